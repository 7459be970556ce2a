// make_vectors --rows N --output FILE [--shape clustered|isotropic] [--dim 384] [--clusters N] [--seed 1] [--stream 0]
//
// Writes raw float32 rows (ops/made_vectors.h). Rows and queries of one set have the same seed and different streams.
// The default is one cluster for every hundred rows, at most 10,000; give --clusters for queries, which must have as
// many.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>

#include "bench/workloads/measure.h"
#include "ops/made_vectors.h"

int main(int argument_count, char** arguments) {
  const auto value = [&](const char* name, const char* otherwise) {
    return loci::bench::option(argument_count, arguments, name, otherwise);
  };
  const auto number = [&](const char* name, const char* otherwise) {
    return std::strtoull(value(name, otherwise).c_str(), nullptr, 10);
  };
  const std::size_t rows = number("rows", "0");
  const std::string output = value("output", "");
  const auto shape = loci::parse_vector_shape(value("shape", "clustered"));
  const std::size_t dimension = number("dim", "384");
  if (rows == 0 || output.empty() || !shape || dimension == 0) {
    std::fputs(
        "make_vectors --rows N --output FILE [--shape clustered|isotropic] [--dim N] [--clusters N] [--seed N] "
        "[--stream N]\n",
        stderr);
    return 2;
  }
  const std::size_t clusters = std::min<std::size_t>(10'000, std::max<std::size_t>(1, rows / 100));
  loci::VectorMaker maker({.shape = *shape,
                           .dimension = dimension,
                           .clusters = number("clusters", std::to_string(clusters).c_str()),
                           .seed = number("seed", "1"),
                           .stream = number("stream", "0")});
  std::ofstream file(output, std::ios::binary);
  for (std::size_t row = 0; row < rows && file.good(); ++row) {
    const loci::Embedding vector = maker.next();
    file.write(reinterpret_cast<const char*>(vector.data()),
               static_cast<std::streamsize>(vector.size() * sizeof(float)));
  }
  file.close();
  if (!file.good()) std::fprintf(stderr, "cannot write %s\n", output.c_str());
  return file.good() ? 0 : 1;
}
