// embed_quality_bench --model FOLDER --data FOLDER [--commit ID]
//
// Does the int8 path find what the float path finds? Each folder below --data in the BEIR layout (corpus.jsonl,
// queries.jsonl, and qrels.tsv or files in qrels/) is searched exactly by cosine with vectors of either path, and
// scored by the judgements: nDCG at 10 and the share of relevant documents in the first 10. One JSON line for each set
// and precision.
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "bench/workloads/measure.h"
#include "embed/sentence_embedder.h"

namespace loci::bench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::size_t kDepth = 10;

struct Texts {
  std::vector<std::string> ids;
  std::vector<std::string> texts;
};

struct DataSet {
  std::string name;
  Texts documents;
  Texts queries;
  std::map<std::string, std::map<std::string, double>> judgements;  // query → document → gain
};

Texts read_texts(const fs::path& path) {
  Texts read;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    const Json json = Json::parse(line);
    read.ids.push_back(json["_id"].get<std::string>());
    const std::string title = json.value("title", "");
    read.texts.push_back((title.empty() ? "" : title + " ") + json["text"].get<std::string>());
  }
  return read;
}

std::vector<fs::path> judgement_files(const fs::path& folder) {
  if (fs::exists(folder / "qrels.tsv")) return {folder / "qrels.tsv"};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "qrels")) files.push_back(entry.path());
  return files;
}

bool is_data_set(const fs::path& folder) {
  return fs::exists(folder / "corpus.jsonl") && fs::exists(folder / "queries.jsonl") &&
         (fs::exists(folder / "qrels.tsv") || fs::exists(folder / "qrels"));
}

std::vector<fs::path> data_sets_below(const fs::path& folder) {
  std::vector<fs::path> sets;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.is_directory() && is_data_set(entry.path())) sets.push_back(entry.path());
  }
  std::ranges::sort(sets);
  return sets;
}

DataSet read_data_set(const fs::path& folder, std::string name) {
  DataSet set = {std::move(name), read_texts(folder / "corpus.jsonl"), {}, {}};
  for (const fs::path& file : judgement_files(folder)) {
    std::ifstream in(file);
    std::string line;
    std::getline(in, line);  // the names of the columns
    while (std::getline(in, line)) {
      std::istringstream fields(line);
      std::string query;
      std::string document;
      double gain = 0;
      if (fields >> query >> document >> gain && gain > 0) set.judgements[query][document] = gain;
    }
  }
  Texts all = read_texts(folder / "queries.jsonl");
  for (std::size_t i = 0; i < all.ids.size(); ++i) {
    if (!set.judgements.contains(all.ids[i])) continue;
    set.queries.ids.push_back(all.ids[i]);
    set.queries.texts.push_back(all.texts[i]);
  }
  return set;
}

// The documents nearest to the query, nearest first.
std::vector<std::size_t> nearest(const Embedding& query, const std::vector<Embedding>& documents) {
  std::vector<std::pair<float, std::size_t>> scores;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    float score = 0;
    for (std::size_t j = 0; j < query.size(); ++j) score += query[j] * documents[i][j];
    scores.emplace_back(-score, i);
  }
  const std::size_t depth = std::min(kDepth, scores.size());
  std::partial_sort(scores.begin(), scores.begin() + static_cast<std::ptrdiff_t>(depth), scores.end());
  std::vector<std::size_t> found;
  for (std::size_t i = 0; i < depth; ++i) found.push_back(scores[i].second);
  return found;
}

struct Score {
  double ndcg = 0;
  double recall = 0;
};

Score score(const std::vector<std::size_t>& found, const Texts& documents, const std::map<std::string, double>& gains) {
  const auto discounted = [](double gain, std::size_t rank) { return gain / std::log2(static_cast<double>(rank) + 2); };
  Score result;
  for (std::size_t rank = 0; rank < found.size(); ++rank) {
    const auto gain = gains.find(documents.ids[found[rank]]);
    if (gain == gains.end()) continue;
    result.ndcg += discounted(gain->second, rank);
    result.recall += 1.0 / static_cast<double>(gains.size());
  }
  std::vector<double> ideal;
  for (const auto& [document, gain] : gains) ideal.push_back(gain);
  std::ranges::sort(ideal, std::greater<>());
  double best = 0;
  for (std::size_t rank = 0; rank < std::min(kDepth, ideal.size()); ++rank) best += discounted(ideal[rank], rank);
  result.ndcg /= best;
  return result;
}

Score run(const DataSet& set, const SentenceEmbedder& embedder) {
  const std::vector<Embedding> documents = embedder.embed(set.documents.texts).value();
  const std::vector<Embedding> queries = embedder.embed(set.queries.texts).value();
  Score sum;
  for (std::size_t i = 0; i < queries.size(); ++i) {
    const Score one = score(nearest(queries[i], documents), set.documents, set.judgements.at(set.queries.ids[i]));
    sum.ndcg += one.ndcg;
    sum.recall += one.recall;
  }
  const auto count = static_cast<double>(queries.size());
  return {sum.ndcg / count, sum.recall / count};
}

int run_all(int argument_count, char** arguments) {
  const fs::path model = option(argument_count, arguments, "model", "");
  const fs::path data = option(argument_count, arguments, "data", "");
  const std::string commit = option(argument_count, arguments, "commit", "unknown");
  if (!fs::is_directory(data)) {
    std::cerr << "embed_quality_bench: --data names no folder\n";
    return 2;
  }
  for (const fs::path& folder : data_sets_below(data)) {
    const DataSet set = read_data_set(folder, folder.lexically_relative(data).string());
    for (const Precision precision : {Precision::float32, Precision::int8}) {
      const auto embedder = SentenceEmbedder::open(model, {.precision = precision});
      if (!embedder.ok()) {
        std::cerr << embedder.error().message << '\n';
        return 1;
      }
      const Score result = run(set, **embedder);
      std::cout << result_line("embed_quality",
                               {{"set", set.name},
                                {"precision", std::string(precision == Precision::int8 ? "int8" : "float32")},
                                {"queries", static_cast<std::int64_t>(set.queries.ids.size())},
                                {"ndcg_at_10", result.ndcg},
                                {"recall_at_10", result.recall}},
                               commit);
      std::cout.flush();
    }
  }
  return 0;
}

}  // namespace
}  // namespace loci::bench

int main(int argument_count, char** arguments) { return loci::bench::run_all(argument_count, arguments); }
