// FAISS on the files of the vector bench: flat, and HNSW (M 16, efConstruction 200) with efSearch raised until the
// recall is 0.99. One thread, as the others.
//
// faiss_peer --base FILE --queries FILE --dim N [--ids-output FILE]
// With --ids-output it only writes the exact answers: one list of row numbers for each query.
#include <filesystem>
#include <fstream>
#include <memory>

#include <faiss/IndexFlat.h>
#include <faiss/IndexHNSW.h>
#include <faiss/index_io.h>
#include <omp.h>

#include "base/temporary_folder.h"
#include "bench/peers/peer_report.h"
#include "bench/workloads/measure.h"

namespace {

using namespace loci;
using namespace loci::bench;

VectorWorkload::Search search_in(const faiss::Index& index, const VectorWorkload& work) {
  return [&](std::size_t query) {
    std::vector<float> distances(kNeighbours);
    std::vector<faiss::Index::idx_t> labels(kNeighbours);
    index.search(1, normalized(work.queries().row(query)).data(), kNeighbours, distances.data(), labels.data());
    std::vector<std::size_t> rows;
    for (const faiss::Index::idx_t label : labels) {
      if (label >= 0) rows.push_back(static_cast<std::size_t>(label));
    }
    return rows;
  };
}

void build(faiss::Index& index, const VectorWorkload& work, PeerFigures& figures) {
  const Stopwatch watch;
  for (std::size_t row = 0; row < work.base().rows(); ++row) index.add(1, normalized(work.base().row(row)).data());
  figures.build_seconds = watch.seconds();
  const TemporaryFolder folder;
  const std::string file = (folder.path() / "index").string();
  faiss::write_index(&index, file.c_str());
  figures.bytes_per_row =
      static_cast<double>(std::filesystem::file_size(file)) / static_cast<double>(work.base().rows());
  const Stopwatch open;
  const std::unique_ptr<faiss::Index> again(faiss::read_index(file.c_str()));
  figures.open_seconds = open.seconds();
}

void write_exact_answers(const faiss::Index& flat, const VectorWorkload& work, const std::string& file) {
  std::ofstream output(file);
  for (std::size_t query = 0; query < work.queries().rows(); ++query) {
    output << (query == 0 ? "[[" : ",[");
    const std::vector<std::size_t> rows = search_in(flat, work)(query);
    for (std::size_t i = 0; i < rows.size(); ++i) output << (i == 0 ? "" : ",") << rows[i];
    output << ']';
  }
  output << "]\n";
}

}  // namespace

int main(int argument_count, char** arguments) {
  omp_set_num_threads(1);
  const VectorWorkload work(argument_count, arguments);
  const auto dimension = static_cast<int>(work.base().dimension());
  {
    faiss::IndexFlatIP flat(dimension);
    PeerFigures figures{.system = "faiss flat", .settings = "exact", .latency = {}};
    build(flat, work, figures);
    if (const std::string file = option(argument_count, arguments, "ids-output", ""); !file.empty()) {
      write_exact_answers(flat, work, file);
      return 0;
    }
    work.measure(search_in(flat, work), figures);
    work.print(figures);
  }
  faiss::IndexHNSWFlat graph(dimension, 16, faiss::METRIC_INNER_PRODUCT);
  graph.hnsw.efConstruction = 200;
  PeerFigures figures{.system = "faiss hnsw", .settings = {}, .latency = {}};
  build(graph, work, figures);
  const VectorWorkload::Search search = search_in(graph, work);
  graph.hnsw.efSearch = static_cast<int>(kNeighbours);
  while (work.recall(search) < kWantedRecall && graph.hnsw.efSearch < static_cast<int>(work.base().rows()))
    graph.hnsw.efSearch = graph.hnsw.efSearch * 5 / 4;
  figures.settings = "M 16, efC 200, ef " + std::to_string(graph.hnsw.efSearch);
  work.measure(search, figures);
  work.print(figures);
  return 0;
}
