// recall: the newest drawers, without a question.
#include <memory>
#include <utility>

#include "api/caller.h"
#include "api/record_json.h"
#include "api/request.h"
#include "api/scope_fields.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/clock.h"
#include "palace/recall.h"
#include "palace/time_span.h"

namespace loci {
namespace {

constexpr Field kRecallFields[] = {
    {.name = "since",
     .help = "only what was filed from this time on: 2026-03-09, 2026-03, yesterday, 12h, 7d",
     .placeholder = "WHEN"},
    {.name = "until", .help = "only what was filed until then, that day or month included", .placeholder = "WHEN"},
    kWingField,
    kRoomField,
    kSourceField,
    kTagField,
    kWhereField,
    {.name = "limit",
     .type = FieldType::integer,
     .help = "at most so many",
     .default_value = "10",
     .minimum = 1,
     .maximum = 1000},
    {.name = "offset",
     .type = FieldType::integer,
     .help = "leave out so many first",
     .default_value = "0",
     .minimum = 0},
};
constexpr Example kRecallExamples[] = {
    {"recall", "what was stored last"},
    {"recall --since 7d --wing shop", "what a project learnt this week"},
    {"recall --since 2026-01-01 --until 2026-01-31 --source notes.md", "of a time and a file"},
};

Result<std::optional<TimeSpan>> span_from(const Request& request, std::string_view name, std::int64_t now) {
  const std::optional<std::string> text = request.text(name);
  if (!text) return std::optional<TimeSpan>();
  return std::optional<TimeSpan>(TRY(parse_time_span(*text, now)));
}

Result<Answer> run_recall(Session& session, const Request& request, Caller& caller) {
  const std::int64_t now = now_unix_ms();
  const std::optional<TimeSpan> since = TRY(span_from(request, "since", now));
  const std::optional<TimeSpan> until = TRY(span_from(request, "until", now));
  Filter where = TRY(where_from(request));
  RecallRequest what = {
      .scope = {.wing = request.text(kWingField.name),
                .room = request.text(kRoomField.name),
                .tag = request.text(kTagField.name),
                .where = std::move(where)},
      .since_unix_ms = since ? std::optional(since->start_unix_ms) : std::nullopt,
      .until_unix_ms = until ? std::optional(until->end_unix_ms) : std::nullopt,
      .source = request.text("source"),
      .limit = static_cast<std::size_t>(request.required_integer("limit")),
      .offset = static_cast<std::size_t>(request.required_integer("offset")),
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  Json degraded = TRY(settle_place(*drawers, what.scope));
  const DrawerList found = TRY(recall_drawers(*drawers, what));
  Json list = Json::array();
  for (const Record& drawer : found.drawers) list.push_back(drawer_to_json(drawer, caller.drawer_parts()));
  Json body = {{"drawers", std::move(list)},
               {"total", found.total},
               {"count", found.drawers.size()},
               {"offset", what.offset},
               {"limit", what.limit}};
  if (!degraded.empty()) body["degraded"] = std::move(degraded);
  return Answer{std::move(body)};
}

}  // namespace

constexpr Operation kRecallOperation = {
    .name = "recall",
    .summary = "Show the newest drawers, without a question.",
    .fields = kRecallFields,
    .examples = kRecallExamples,
    .run = run_recall,
};

}  // namespace loci
