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
#include "palace/place.h"
#include "search/hybrid_search.h"

namespace loci {
namespace {

constexpr Field kSearchFields[] = {
    {.name = "query",
     .help = "what to look for, in your own words",
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
  json["scores"] = {{"words", hit.words}, {"similarity", hit.similarity ? Json(*hit.similarity) : Json(nullptr)}};
  Json matched_via = Json::array();
  if (hit.words > 0) matched_via.push_back("words");
  if (hit.similarity) matched_via.push_back("meaning");
  json["matched_via"] = std::move(matched_via);
  Json ranges = Json::array();
  for (const Highlight& highlight : hit.highlights) {
    ranges.push_back({{"start", highlight.start}, {"end", highlight.end}});
  }
  json["highlights"] = std::move(ranges);
  if (!hit.also_in.empty()) json["also_in"] = hit.also_in;
  return json;
}

// What searches by meaning, or why nothing does.
struct Meaning {
  const Embedder* embedder = nullptr;
  std::string reason = {};
};

// An embedder compares with the vectors of its own model only. Whatever is in the way, words are searched all the same,
// and the answer says what to do.
Meaning meaning_for(Session& session, const Settings& settings, const CollectionInfo& drawers) {
  if (settings.embedder.value == kNoEmbedder) {
    const bool was_chosen = settings.embedder.origin != SettingOrigin::default_value;
    return {.reason = was_chosen
                          ? "no embedder configured"
                          : "the model " + std::string(kDefaultModel) + " is not there; tools/setup.sh fetches it"};
  }
  if (!drawers.dimension) return {.reason = "no drawer has its vector yet; `loci embed` gives them theirs"};
  const Result<const Embedder*> embedder = session.embedder(settings);
  if (!embedder.ok()) return {.reason = embedder.error().message};
  const std::string model = (*embedder)->model_name();
  if (!drawers.model.empty() && drawers.model != model) {
    return {.reason = "the vectors here were made by " + drawers.model + ", and the embedder is " + model +
                      "; choose the one with --embedder, or make them anew"};
  }
  if (*drawers.dimension != (*embedder)->dimension()) {
    return {.reason = "the vectors here have " + std::to_string(*drawers.dimension) + " dimensions, those of " + model +
                      " " + std::to_string((*embedder)->dimension())};
  }
  return {.embedder = *embedder};
}

// What the answer lacks, why, and what to do about it.
Json degraded_parts(const Meaning& meaning, std::size_t pending) {
  Json parts = Json::array();
  if (meaning.embedder == nullptr) {
    parts.push_back({{"part", "meaning"}, {"reason", "words only: " + meaning.reason}});
  } else if (pending > 0) {
    parts.push_back({{"part", "meaning"},
                     {"reason", std::to_string(pending) +
                                    (pending == 1 ? " drawer waits for its vector and is"
                                                  : " drawers wait for their vectors and are") +
                                    " found by words only; `loci embed` goes on with them"}});
  }
  return parts;
}

Result<Answer> run_search(Session& session, const Request& request, Caller&) {
  const Scope scope = TRY(scope_from(request));
  const SearchRequest search = {
      .query = request.required_text("query"),
      .where = to_filter(scope),
      .limit = static_cast<std::size_t>(request.required_integer("limit")),
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const CollectionInfo info = TRY(drawers->info());
  Meaning meaning = meaning_for(session, palace.settings, info);
  const SearchAnswer found = TRY(hybrid_search(*drawers, meaning.embedder, search));
  if (found.embedder_error) meaning = {.reason = found.embedder_error->message};
  Json hits = Json::array();
  for (const SearchHit& hit : found.hits) hits.push_back(hit_to_json(hit));
  const std::size_t in_scope = TRY(count_in_scope(*drawers, scope));
  Json body = {{"query", found.searched_for},
               {"hits", std::move(hits)},
               {"drawers_in_scope", in_scope},
               {"pending", info.pending},
               {"degraded", degraded_parts(meaning, info.pending)}};
  return Answer{std::move(body)};
}

}  // namespace

constexpr Operation kSearchOperation = {
    .name = "search",
    .summary = "Find drawers by meaning and by words, best first.",
    .fields = kSearchFields,
    .examples = kSearchExamples,
    .run = run_search,
};

}  // namespace loci
