// embed_bench --model FOLDER [--precision int8|float32] [--threads N] vectors|speed
//
// What bench/peers/embed_reference.mjs asks of our embedder.
//   vectors  for each line of standard input, a JSON string, a line {"tokens":[…],"vector":[…]}
//   speed    embeds the lines --rounds times as one batch; prints one line with the best tokens per second, the time to
//            open the model, the first query and the best later one
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/workloads/measure.h"
#include "embed/sentence_embedder.h"

namespace loci::bench {
namespace {

using Json = nlohmann::json;

constexpr const char* kQuery = "why did we move the mobile client to another query language";

std::vector<std::string> read_texts() {
  std::vector<std::string> texts;
  for (std::string line; std::getline(std::cin, line);) texts.push_back(Json::parse(line).get<std::string>());
  return texts;
}

void print_vectors(const SentenceEmbedder& embedder, const std::vector<std::string>& texts) {
  const std::vector<Embedding> vectors = embedder.embed(texts).value();
  for (std::size_t i = 0; i < texts.size(); ++i) {
    std::cout << Json{{"tokens", embedder.tokens(texts[i])}, {"vector", vectors[i]}}.dump() << '\n';
  }
}

double seconds_to_embed(const SentenceEmbedder& embedder, const std::vector<std::string>& texts) {
  const Stopwatch watch;
  if (!embedder.embed(texts).ok()) std::abort();
  return watch.seconds();
}

void print_speed(const SentenceEmbedder& embedder, const std::vector<std::string>& texts, double open_seconds,
                 int rounds) {
  const std::vector<std::string> query = {kQuery};
  const double first_query = seconds_to_embed(embedder, query);
  double warm_query = first_query;
  double batch = 1e9;
  std::size_t tokens = 0;
  for (const std::string& text : texts) tokens += embedder.count_tokens(text);
  for (int round = 0; round < rounds; ++round) {
    warm_query = std::min(warm_query, seconds_to_embed(embedder, query));
    batch = std::min(batch, seconds_to_embed(embedder, texts));
  }
  std::cout << Json{{"tokens_per_second", static_cast<double>(tokens) / batch},
                    {"open_ms", open_seconds * 1e3},
                    {"first_query_ms", first_query * 1e3},
                    {"query_ms", warm_query * 1e3}}
                   .dump()
            << '\n';
}

int run(int argument_count, char** arguments) {
  const std::string mode = arguments[argument_count - 1];
  SentenceEmbedderOptions options;
  if (option(argument_count, arguments, "precision", "int8") == "float32") options.precision = Precision::float32;
  options.threads = std::stoul(option(argument_count, arguments, "threads", "2"));
  const Stopwatch watch;
  const auto embedder = SentenceEmbedder::open(option(argument_count, arguments, "model", ""), options);
  if (!embedder.ok()) {
    std::cerr << embedder.error().message << '\n';
    return 1;
  }
  const double open_seconds = watch.seconds();
  const std::vector<std::string> texts = read_texts();
  if (mode == "vectors") {
    print_vectors(**embedder, texts);
  } else {
    print_speed(**embedder, texts, open_seconds, std::stoi(option(argument_count, arguments, "rounds", "3")));
  }
  return 0;
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) { return loci::bench::run(argument_count, arguments); }
