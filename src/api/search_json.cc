#include "api/search_json.h"

#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

#include "api/record_json.h"
#include "base/count_characters.h"
#include "ingest/drawer_keys.h"
#include "search/budget.h"
#include "text/date_range.h"
#include "text/query_words.h"

namespace loci {
namespace {

// A day far from those that the question names adds less, and finds nothing.
constexpr double kLeastPart = 0.001;

// A part of the source, from its first to its last line or byte; null for a drawer that is no part of one.
Json range_of(const Metadata& metadata, std::string_view start_key, std::string_view end_key) {
  const auto start = metadata.find(start_key);
  const auto end = metadata.find(end_key);
  if (start == metadata.end() || end == metadata.end()) return nullptr;
  const auto* from = std::get_if<std::int64_t>(&start->second);
  const auto* to = std::get_if<std::int64_t>(&end->second);
  if (from == nullptr || to == nullptr) return nullptr;
  return {{"start", *from}, {"end", *to}};
}

Json drawer_in_source(const Record& record, DrawerParts parts) {
  Json json = drawer_to_json(record, parts);
  json["lines"] = range_of(record.metadata, kLineStartKey, kLineEndKey);
  json["bytes"] = range_of(record.metadata, kByteStartKey, kByteEndKey);
  const auto date = record.metadata.find(kContentDateKey);
  json["content_date"] = date != record.metadata.end() && std::holds_alternative<std::string>(date->second)
                             ? Json(std::get<std::string>(date->second))
                             : Json(nullptr);
  return json;
}

Json too_long(const Record& drawer) {
  const TextSize size = size_of(drawer.document);
  return {{"id", drawer.id}, {"characters", size.characters}, {"tokens", size.tokens}};
}

Json within(const std::vector<Record>& drawers, Budget& budget, Json& left_out) {
  Json list = Json::array();
  for (const Record& drawer : drawers) {
    if (budget.take(drawer.document)) {
      list.push_back(drawer_in_source(drawer, DrawerParts::all));
    } else {
      left_out.push_back(too_long(drawer));
    }
  }
  return list;
}

}  // namespace

Json hit_to_json(const SearchHit& hit, DrawerParts parts) {
  Json json = drawer_in_source(hit.record, parts);
  json["score"] = hit.score;
  json["scores"] = {{"words", hit.words},
                    {"similarity", hit.similarity ? Json(*hit.similarity) : Json(nullptr)},
                    {"date", hit.date},
                    {"parts",
                     {{"meaning", hit.parts.meaning},
                      {"words", hit.parts.words},
                      {"date", hit.parts.date},
                      {"speaker", hit.parts.speaker},
                      {"place", hit.parts.place},
                      {"exact", hit.parts.exact}}}};
  Json matched_via = Json::array();
  if (hit.words > 0) matched_via.push_back("words");
  if (hit.is_near) matched_via.push_back("meaning");
  if (hit.parts.date >= kLeastPart) matched_via.push_back("date");
  if (hit.is_told) matched_via.push_back("speaker");
  if (hit.parts.place > 0) matched_via.push_back("place");
  if (!hit.exact.empty()) matched_via.push_back("exact");
  json["matched_via"] = std::move(matched_via);
  if (parts == DrawerParts::all) {
    Json ranges = Json::array();
    for (const Highlight& highlight : hit.highlights) {
      ranges.push_back({{"start", highlight.start}, {"end", highlight.end}});
    }
    json["highlights"] = std::move(ranges);
  }
  if (!hit.exact.empty()) json["exact"] = hit.exact;
  if (!hit.also_in.empty()) {
    json["also_in"] = hit.also_in;
    json["copies"] = hit.copies;
  }
  return json;
}

HitsWithinBudget hits_to_json(const std::vector<SearchHit>& hits, const std::vector<Neighbours>& around, TextSize most,
                              DrawerParts parts) {
  HitsWithinBudget answer;
  Budget budget(most);
  std::vector<std::pair<std::size_t, Json>> fitting;
  for (std::size_t i = 0; i < hits.size(); ++i) {
    const Record& record = hits[i].record;
    if (budget.take(record.document)) {
      fitting.emplace_back(i, hit_to_json(hits[i], parts));
    } else {
      answer.left_out.push_back(too_long(record));
    }
  }
  // Hits come before what stands around them.
  for (auto& [i, json] : fitting) {
    if (!around.empty()) {
      Json before = within(around[i].before, budget, answer.left_out);
      Json after = within(around[i].after, budget, answer.left_out);
      json["context"] = {{"before", std::move(before)}, {"after", std::move(after)}};
    }
    answer.hits.push_back(std::move(json));
  }
  return answer;
}

Json explanation_to_json(const SearchAnswer& answer, const SearchTimes& times) {
  Json dates = Json::array();
  for (const DateRange& range : answer.facts.dates)
    dates.push_back({{"first", to_date(range.first_day)}, {"last", to_date(range.last_day)}});
  return {{"searched_for", answer.searched_for},
          {"told_as", answer.told_as ? Json(*answer.told_as) : Json(nullptr)},
          {"readable_share", answer.readable_share},
          {"terms", query_terms(answer.searched_for)},
          {"exact_terms", answer.facts.exact_terms},
          {"dates", std::move(dates)},
          {"places", {{"wings", answer.facts.places.wings}, {"rooms", answer.facts.places.rooms}}},
          {"times_ms",
           {{"embed", times.embed_ms},
            {"words", times.words_ms},
            {"vectors", times.vectors_ms},
            {"fetch", times.fetch_ms},
            {"rest", times.rest_ms},
            {"total", times.total_ms}}}};
}

}  // namespace loci
