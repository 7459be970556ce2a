// hnswlib (M 16, efConstruction 200) on the files of the vector bench; ef is raised until the recall is 0.99.
//
// hnswlib_peer --base FILE --queries FILE --dim N
#include <algorithm>
#include <filesystem>
#include <memory>

#include <hnswlib/hnswlib.h>

#include "base/temporary_folder.h"
#include "bench/peers/peer_report.h"

int main(int argument_count, char** arguments) {
  using namespace loci;
  using namespace loci::bench;
  const VectorWorkload work(argument_count, arguments);
  hnswlib::InnerProductSpace space(work.base().dimension());
  PeerFigures figures{.system = "hnswlib", .settings = {}, .latency = {}};
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "index").string();
  {
    const Stopwatch build;
    hnswlib::HierarchicalNSW<float> index(&space, work.base().rows(), 16, 200);
    for (std::size_t row = 0; row < work.base().rows(); ++row)
      index.addPoint(normalized(work.base().row(row)).data(), row);
    figures.build_seconds = build.seconds();
    index.saveIndex(file);
  }
  figures.bytes_per_row =
      static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(work.base().rows());
  const Stopwatch open;
  hnswlib::HierarchicalNSW<float> index(&space, file);
  figures.open_seconds = open.seconds();
  const VectorWorkload::Search search = [&](std::size_t query) {
    auto nearest = index.searchKnn(normalized(work.queries().row(query)).data(), kNeighbours);
    std::vector<std::size_t> rows;
    for (; !nearest.empty(); nearest.pop()) rows.push_back(nearest.top().second);
    return rows;
  };
  std::size_t ef = kNeighbours;
  for (index.setEf(ef); work.recall(search) < kWantedRecall && ef < work.base().rows(); index.setEf(ef))
    ef = ef * 5 / 4;
  figures.settings = "M 16, efC 200, ef " + std::to_string(ef);
  work.measure(search, figures);
  work.print(figures);
  return 0;
}
