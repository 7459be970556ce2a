// Reading the records of one collection of a Chroma server: in pages, by filter, also where some have no vector.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "store/chroma/server_client.h"

namespace loci::chroma {

class ServerReader {
 public:
  // Both outlive it. `collection` is the server's own id.
  ServerReader(const ServerClient& client, std::string_view collection);

  // The ids of all records that may pass the selection, in insertion order, up to `limit`; those that pass for sure are
  // among them.
  Result<std::vector<std::string>> candidate_ids(const Selection& selection,
                                                 std::optional<std::size_t> limit = {}) const;

  // The records of these ids, in insertion order; those that are not there are left out. A record whose vector the
  // server has lost comes without one.
  Result<std::vector<Record>> read(const std::vector<std::string>& ids, const Include& include) const;

  // What Collection::scan hands over, a page at a time. The ids are taken first, so that writers in between make no
  // record appear twice; records that they remove are left out.
  Status scan(const GetRequest& request, const std::function<Status(Record)>& visit) const;

  // The whole of those that pass, with what is asked for.
  Result<std::vector<Record>> matching(const std::vector<std::string>& ids, const Selection& selection,
                                       const Include& include) const;

 private:
  Result<Json> get(const Json& request) const;
  Result<std::vector<Record>> read_page(std::span<const std::string> ids, const Include& include) const;
  Status add_vectors(std::span<Record> records) const;

  const ServerClient& client_;
  const std::string path_;
};

}  // namespace loci::chroma
