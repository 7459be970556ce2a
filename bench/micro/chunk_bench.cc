// Question: how fast is text cut into chunks, per kind? The files are this repository's golden ones, repeated to a
// megabyte.
#include <string>

#include <benchmark/benchmark.h>

#include "base/file.h"
#include "text/chunk.h"

namespace loci {
namespace {

constexpr std::size_t kTextBytes = 1'000'000;

void BM_Chunk(benchmark::State& state, const std::string& name) {
  const Result<std::string> content = read_file(std::string(LOCI_GOLDEN_FOLDER "/") + name);
  if (!content.ok()) return state.SkipWithError(content.error().message.c_str());
  std::string text;
  while (text.size() < kTextBytes) text += *content + "\n";
  const TextType type = detect_text_type(name, text.substr(0, 256));
  for (auto _ : state) benchmark::DoNotOptimize(chunk_text(text, type));
  state.SetBytesProcessed(static_cast<std::int64_t>(state.iterations() * text.size()));
}

BENCHMARK_CAPTURE(BM_Chunk, markdown, "notes.md");
BENCHMARK_CAPTURE(BM_Chunk, cpp, "shapes.cpp");
BENCHMARK_CAPTURE(BM_Chunk, python, "tasks.py");
BENCHMARK_CAPTURE(BM_Chunk, javascript, "router.js");
BENCHMARK_CAPTURE(BM_Chunk, json, "settings.json");
BENCHMARK_CAPTURE(BM_Chunk, yaml, "pipeline.yaml");
BENCHMARK_CAPTURE(BM_Chunk, html, "page.html");
BENCHMARK_CAPTURE(BM_Chunk, csv, "people.csv");
BENCHMARK_CAPTURE(BM_Chunk, plain, "letter.txt");

}  // namespace
}  // namespace loci
