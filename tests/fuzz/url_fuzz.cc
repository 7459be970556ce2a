// Any bytes as an address and as a server's answer: an error or something that makes sense.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "embed/http_embedder.h"
#include "net/url.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  if (const loci::Result<loci::Url> url = loci::parse_url(text); url.ok()) {
    // What was understood means the same when it is written down again.
    const std::string again = (url->is_secure ? "https://" : "http://") + loci::host_header(*url) + url->target;
    const loci::Result<loci::Url> second = loci::parse_url(again);
    if (!second.ok() || !(*second == *url)) std::abort();
  }
  for (const loci::EmbeddingProtocol protocol : {loci::EmbeddingProtocol::ollama, loci::EmbeddingProtocol::openai}) {
    const auto vectors = loci::parse_embeddings(protocol, text, 2, "the server");
    if (vectors.ok() && vectors->size() != 2) std::abort();
  }
  return 0;
}
