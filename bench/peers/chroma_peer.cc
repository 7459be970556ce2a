// A Chroma server on the files of the vector bench, over one kept connection. ef_search is Chroma's default.
//
// chroma_peer --url http://127.0.0.1:PORT --base FILE --queries FILE --dim N
#include <charconv>
#include <cstdio>

#include "bench/peers/chroma_client.h"
#include "bench/peers/peer_report.h"
#include "bench/workloads/measure.h"

namespace {

using namespace loci;
using namespace loci::bench;

constexpr std::size_t kBatch = 1'000;

}  // namespace

int main(int argument_count, char** arguments) {
  const VectorWorkload work(argument_count, arguments);
  const auto client = or_end(ChromaClient::connect(option(argument_count, arguments, "url", ""), "vectors"));
  PeerFigures figures{.system = "chroma", .settings = "server, defaults", .latency = {}};
  for (std::size_t row = 0; row < work.base().rows();) {
    std::vector<Record> batch;
    for (; batch.size() < kBatch && row < work.base().rows(); ++row) {
      Record& record = batch.emplace_back();
      record.id = std::to_string(row);
      record.embedding = Embedding(work.base().row(row).begin(), work.base().row(row).end());
      record.metadata["row"] = static_cast<std::int64_t>(row);
    }
    const std::string body = chroma_upsert_body(batch);
    const Stopwatch watch;
    or_end(client->upsert(body));
    figures.load_seconds += watch.seconds();
  }
  work.measure(
      [&](std::size_t query) {
        std::vector<std::size_t> rows;
        for (const std::string& id : or_end(client->query(work.queries().row(query), kNeighbours))) {
          std::size_t& row = rows.emplace_back(0);
          std::from_chars(id.data(), id.data() + id.size(), row);
        }
        return rows;
      },
      figures);
  work.print(figures);
  return 0;
}
