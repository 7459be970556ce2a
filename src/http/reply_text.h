// An answer as the bytes that go over the wire.
#pragma once

#include <string>

#include "http/message.h"

namespace loci::http {

struct ReplyForm {
  bool is_head_request = false;  // everything but the body
  bool is_stream = false;        // the body follows, its length unknown
  bool is_chunked = false;       // of a stream: in chunks
  bool keeps_alive = true;
};

// No header can smuggle in another line: those with bytes that a header cannot have are left out.
std::string reply_text(const Reply& reply, const ReplyForm& form);

}  // namespace loci::http
