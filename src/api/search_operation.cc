// search: from a question to drawers.
#include <memory>
#include <utility>

#include "api/caller.h"
#include "api/record_json.h"
#include "api/request.h"
#include "api/scope_fields.h"
#include "api/session.h"
#include "api/tables.h"
#include "embed/make_embedder.h"
#include "palace/word_search.h"

namespace loci {
namespace {

constexpr Field kSearchFields[] = {
    {.name = "query",
     .help = "what to look for; a drawer that has any of the words is found",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "QUERY"},
    kWingField,
    kRoomField,
    kWhereField,
    {.name = "limit",
     .type = FieldType::integer,
     .help = "at most so many hits",
     .default_value = "10",
     .minimum = 1,
     .maximum = 1000},
};
constexpr Example kSearchExamples[] = {
    {"search \"why did we choose GraphQL\"", "ask a question"},
    {"search timeout --wing shop --room api --limit 3", "in one room"},
    {"search error --where '{\"severity\": {\"$gte\": 3}}'", "among drawers with certain metadata"},
};

Json hit_to_json(const SearchHit& hit) {
  Json json = drawer_to_json(hit.record);
  json["score"] = hit.score;
  Json ranges = Json::array();
  for (const Highlight& highlight : hit.highlights) {
    ranges.push_back({{"start", highlight.start}, {"end", highlight.end}});
  }
  json["highlights"] = std::move(ranges);
  return json;
}

// What the answer lacks, why, and what to do about it.
Json degraded_parts(const Settings& settings) {
  std::string reason = "words only: this version does not search by meaning yet";
  if (settings.embedder.value == kNoEmbedder) {
    const bool was_chosen = settings.embedder.origin != SettingOrigin::default_value;
    reason = was_chosen
                 ? "words only: no embedder configured"
                 : "words only: the model " + std::string(kDefaultModel) + " is not there; tools/setup.sh fetches it";
  }
  return Json::array({{{"part", "meaning"}, {"reason", std::move(reason)}}});
}

Result<Answer> run_search(Session& session, const Request& request, Caller&) {
  const SearchRequest search = {
      .query = request.required_text("query"),
      .scope = TRY(scope_from(request)),
      .limit = static_cast<std::size_t>(request.required_integer("limit")),
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const SearchAnswer found = TRY(search_words(*drawers, search));
  Json hits = Json::array();
  for (const SearchHit& hit : found.hits) hits.push_back(hit_to_json(hit));
  return Answer{{{"query", search.query},
                 {"hits", std::move(hits)},
                 {"drawers_in_scope", found.drawers_in_scope},
                 {"pending", found.pending},
                 {"degraded", degraded_parts(palace.settings)}}};
}

}  // namespace

constexpr Operation kSearchOperation = {
    .name = "search",
    .summary = "Find drawers by the words in them, best first.",
    .fields = kSearchFields,
    .examples = kSearchExamples,
    .run = run_search,
};

}  // namespace loci
