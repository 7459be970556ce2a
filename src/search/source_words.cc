#include "search/source_words.h"

#include <cmath>
#include <cstddef>
#include <unordered_map>
#include <utility>
#include <vector>

#include "search/pooling.h"
#include "search/weights.h"
#include "text/query_words.h"
#include "text/term_matcher.h"

namespace loci {
namespace {

struct SourceText {
  std::vector<double> counts;  // of each term of the question
  double size = 0;             // in words
};

using SourceTexts = std::unordered_map<std::string, SourceText>;  // by source_key()

// How much each term tells apart these sources.
std::vector<double> rarities(const SourceTexts& sources, std::size_t terms) {
  std::vector<double> rarity;
  for (std::size_t term = 0; term < terms; ++term) {
    double with_term = 0;
    for (const auto& [key, source] : sources) with_term += source.counts[term] > 0 ? 1 : 0;
    const double others = static_cast<double>(sources.size()) - with_term;
    rarity.push_back(std::log1p((others + 0.5) / (with_term + 0.5)));
  }
  return rarity;
}

double average_size(const SourceTexts& sources) {
  double sum = 0;
  for (const auto& [key, source] : sources) sum += source.size;
  return sum > 0 ? sum / static_cast<double>(sources.size()) : 1;
}

double share_of(const SourceText& source, const std::vector<double>& rarity, double average) {
  const double length = 1 - kSourceLengthWeight + kSourceLengthWeight * source.size / average;
  double found = 0;
  double all = 0;
  for (std::size_t term = 0; term < rarity.size(); ++term) {
    found += rarity[term] * source.counts[term] / (source.counts[term] + kSourceSaturation * length);
    all += rarity[term];
  }
  return all > 0 ? found / all : 0;
}

}  // namespace

Status add_source_words(const Collection& drawers, const std::string& question, Candidates& candidates) {
  const std::vector<std::string> terms = query_terms(question);
  if (terms.empty() || candidates.empty()) return ok_status();
  std::vector<std::string> ids;
  for (const auto& [id, candidate] : candidates) ids.push_back(id);
  TermMatcher matcher(terms);
  SourceTexts sources;
  const GetRequest get = {.selection = {.ids = std::move(ids)}, .include = {.metadatas = false}};
  for (const Record& record : TRY(drawers.get(get))) {
    SourceText& source = sources[source_key(candidates[record.id])];
    source.counts.resize(terms.size());
    for (const TermMatch& match : matcher.find(record.document)) ++source.counts[match.term];
    source.size += static_cast<double>(matcher.word_count());
  }
  const std::vector<double> rarity = rarities(sources, terms.size());
  const double average = average_size(sources);
  for (auto& [id, candidate] : candidates) {
    const auto source = sources.find(source_key(candidate));
    if (source != sources.end()) candidate.source_words = share_of(source->second, rarity, average);
  }
  return ok_status();
}

}  // namespace loci
