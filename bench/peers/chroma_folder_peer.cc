// A Chroma folder, asked through Chroma's own server and by Loci directly, in turn and in one run.
//
// chroma_folder_peer --url http://127.0.0.1:PORT --base FILE --dim N --load yes [--characters 800]
//     puts the vectors into the server, each with a text and metadata, and ends
// chroma_folder_peer --url http://127.0.0.1:PORT --base FILE --dim N --queries FILE --folder DIR
//     measures; DIR is the folder that the server has open, which Loci only reads
#include <charconv>
#include <cstdio>
#include <cstdlib>

#include "bench/peers/chroma_client.h"
#include "bench/peers/peer_report.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "store/chroma/folder_backend.h"

namespace {

using namespace loci;
using namespace loci::bench;

constexpr std::size_t kBatch = 1'000;
constexpr std::string_view kCollection = "mempalace_drawers";

void load(ChromaClient& client, const VectorFile& base, std::size_t characters) {
  Corpus corpus({.characters = characters, .dimension = 0});
  for (std::size_t row = 0; row < base.rows();) {
    std::vector<Record> batch = corpus.next(std::min(kBatch, base.rows() - row));
    for (Record& record : batch) {
      record.id = std::to_string(row);
      record.embedding = Embedding(base.row(row).begin(), base.row(row).end());
      ++row;
    }
    or_end(client.upsert(chroma_upsert_body(batch)));
  }
}

std::size_t row_of(const std::string& id) {
  std::size_t row = 0;
  std::from_chars(id.data(), id.data() + id.size(), row);
  return row;
}

}  // namespace

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return option(argument_count, arguments, name, otherwise);
  };
  const auto client = or_end(ChromaClient::connect(value("url", ""), kCollection));
  const VectorWorkload work(argument_count, arguments);
  if (value("load", "") == "yes") {
    load(*client, work.base(), std::strtoull(value("characters", "800").c_str(), nullptr, 10));
    return 0;
  }
  PeerFigures server{.system = "chroma", .settings = "its server, over HTTP", .latency = {}};
  work.measure(
      [&](std::size_t query) {
        std::vector<std::size_t> rows;
        for (const std::string& id : or_end(client->query(work.queries().row(query), kNeighbours)))
          rows.push_back(row_of(id));
        return rows;
      },
      server);
  const auto backend = make_chroma_folder_backend();
  const Stopwatch opening;
  const auto collection =
      or_end(backend->collection(PalaceRef::at(value("folder", "")), kCollection, {.access = Access::read_only}));
  PeerFigures folder{.system = "loci", .settings = "the same folder, read by itself", .latency = {}};
  const auto ask = [&](std::size_t query) {
    const std::span<const float> vector = work.queries().row(query);
    const QueryRequest request{.embeddings = {Embedding(vector.begin(), vector.end())},
                               .n_results = kNeighbours,
                               .include = {.documents = false, .metadatas = false}};
    std::vector<std::size_t> rows;
    const auto answer = or_end(collection->query(request));
    for (const Hit& hit : answer.hits.front()) rows.push_back(row_of(hit.record.id));
    return rows;
  };
  ask(0);
  folder.open_seconds = opening.seconds();
  ask(0);  // the second question makes the index
  folder.build_seconds = opening.seconds() - folder.open_seconds;
  work.measure(ask, folder);
  work.print(server);
  work.print(folder);
  return 0;
}
