// A Chroma server as a peer: the few calls of its HTTP interface (v2) that the benches need.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/file.h"
#include "loci/record.h"
#include "loci/result.h"

namespace loci::bench {

// The body of an upsert, with the vectors in base64, which the server takes no slower than lists of numbers. Made
// before the clock starts: what Chroma's own clients spend on it is not held against the server.
std::string chroma_upsert_body(std::span<const Record> records);

// One connection, kept open. For one thread.
class ChromaClient {
 public:
  // `url` is "http://127.0.0.1:PORT"; makes a collection with cosine distance where there is none of that name.
  static Result<std::unique_ptr<ChromaClient>> connect(std::string_view url, std::string_view collection);

  // Returns when the server has answered.
  Status upsert(std::string_view body);
  Result<std::size_t> count();
  // The ids of the nearest records.
  Result<std::vector<std::string>> query(std::span<const float> vector, std::size_t n_results);

 private:
  ChromaClient(FileDescriptor socket, std::string host) : socket_(std::move(socket)), host_(std::move(host)) {}

  // The body of the answer. Errors: unavailable; internal for a status other than 2xx.
  Result<std::string> call(std::string_view method, const std::string& path, std::string_view body);
  Result<std::string> read_answer();
  Result<std::string> read_until(std::string_view mark);
  Result<std::string> read_bytes(std::size_t count);
  Status receive();

  FileDescriptor socket_;
  std::string host_;
  std::string collection_path_;
  std::string received_;  // of the answer, not yet used
};

}  // namespace loci::bench
