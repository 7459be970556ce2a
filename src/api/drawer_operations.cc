// add, get, list, update, delete: drawers one by one.
#include <memory>
#include <utility>

#include "api/caller.h"
#include "api/embed_queue.h"
#include "api/record_json.h"
#include "api/request.h"
#include "api/scope_fields.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/clock.h"
#include "palace/drawer.h"

namespace loci {
namespace {

Result<Metadata> metadata_from(const Request& request) {
  const Json* object = request.object("metadata");
  if (object == nullptr) return Metadata{};
  return metadata_from_json(*object);
}

Json drawers_to_json(const std::vector<Record>& drawers, DrawerParts parts) {
  Json list = Json::array();
  for (const Record& drawer : drawers) list.push_back(drawer_to_json(drawer, parts));
  return list;
}

// --- add ---

constexpr Field kAddFields[] = {
    {.name = "document",
     .help = "the text, stored word for word",
     .on_command_line = OnCommandLine::positional_or_file,
     .is_required = true,
     .placeholder = "TEXT"},
    {.name = "wing", .help = "the project, person or agent it belongs to; general if not given", .placeholder = "WING"},
    {.name = "room", .help = "the topic within the wing; general if not given", .placeholder = "ROOM"},
    {.name = "source", .help = "the file or conversation it came from", .placeholder = "SOURCE"},
    {.name = "metadata",
     .type = FieldType::object,
     .help = "more about it: texts, numbers, booleans, or lists of one of these",
     .placeholder = "JSON"},
    {.name = "id", .help = "an id of your own; made if not given", .placeholder = "ID"},
};
constexpr Example kAddExamples[] = {
    {"add \"We chose GraphQL because the app needs fewer round trips\" --wing shop --room api", "store a sentence"},
    {"add --file notes.md --wing shop --room meetings", "store a file as one drawer"},
    {"add - --wing logs --metadata '{\"severity\": 3}' < error.log", "store what another program wrote"},
};

Result<Answer> run_add(Session& session, const Request& request, Caller& caller) {
  Metadata metadata = TRY(metadata_from(request));
  NewDrawer drawer = {
      .document = request.required_text("document"),
      .wing = request.text("wing"),
      .room = request.text("room"),
      .source = request.text("source"),
      .id = request.text("id"),
      .metadata = std::move(metadata),
  };
  const std::int64_t now = now_unix_ms();
  // Once without a palace, so that a drawer that will be refused does not create one.
  TRY(make_drawer(drawer, now));
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::write_texts, IfMissing::create));
  const Record stored = TRY(add_drawer(*drawers, std::move(drawer), now));
  // It has its vector. An index that cannot be brought up to date makes searches slower, which `doctor` tells.
  if (palace.settings.embed == EmbedWhen::now) static_cast<void>(build_index(*drawers, caller));
  return Answer{drawer_to_json(stored)};
}

// --- get ---

constexpr Field kGetFields[] = {
    {.name = "ids",
     .type = FieldType::text_list,
     .help = "the drawers to show",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "ID"},
};
constexpr Example kGetExamples[] = {
    {"get note-1", "show a drawer in full"},
    {"get note-1 note-2 --json", "as JSON, for another program"},
};

Result<Answer> run_get(Session& session, const Request& request, Caller& caller) {
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const DrawersFound found = TRY(find_drawers(*drawers, request.texts("ids"), {.details = true}));
  return Answer{{{"drawers", drawers_to_json(found.drawers, caller.drawer_parts())}, {"missing", found.missing}},
                found.missing.empty() ? Outcome::done : Outcome::not_found};
}

// --- list ---

constexpr Field kListFields[] = {
    kWingField,
    kRoomField,
    kWhereField,
    kSourceField,
    kTagField,
    kRoleField,
    kAgentField,
    kKindField,
    kSinceField,
    kBeforeField,
    kOnField,
    {.name = "document", .help = "only drawers with exactly this text", .placeholder = "TEXT"},
    {.name = "limit", .type = FieldType::integer, .help = "at most so many", .default_value = "20", .minimum = 1},
    {.name = "offset",
     .type = FieldType::integer,
     .help = "leave out so many first",
     .default_value = "0",
     .minimum = 0},
};
constexpr Example kListExamples[] = {
    {"list --wing shop", "the drawers of a wing, oldest first"},
    {"list --where '{\"severity\": {\"$gte\": 3}}' --limit 100", "by metadata"},
};

Result<Answer> run_list(Session& session, const Request& request, Caller& caller) {
  ListRequest list = {
      .scope = TRY(scope_from(request)),
      .limit = static_cast<std::size_t>(request.required_integer("limit")),
      .offset = static_cast<std::size_t>(request.required_integer("offset")),
      .document = request.text("document"),
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  Json degraded = TRY(settle_place(*drawers, list.scope));
  const DrawerList found = TRY(list_drawers(*drawers, list));
  Json body = {{"drawers", drawers_to_json(found.drawers, caller.drawer_parts())},
               {"total", found.total},
               {"count", found.drawers.size()},
               {"offset", list.offset},
               {"limit", list.limit}};
  if (!degraded.empty()) body["degraded"] = std::move(degraded);
  return Answer{std::move(body)};
}

// --- update ---

constexpr Field kUpdateFields[] = {
    {.name = "id",
     .help = "the drawer to change",
     .on_command_line = OnCommandLine::positional,
     .is_required = true,
     .placeholder = "ID"},
    {.name = "document",
     .help = "its new text; a mined drawer leaves its file with it, and is yours",
     .on_command_line = OnCommandLine::option_or_file,
     .placeholder = "TEXT"},
    {.name = "wing", .help = "move it to this wing", .placeholder = "WING"},
    {.name = "room", .help = "move it to this room", .placeholder = "ROOM"},
    {.name = "metadata",
     .type = FieldType::object,
     .help = "put these into its metadata; other keys stay",
     .placeholder = "JSON"},
};
constexpr Example kUpdateExamples[] = {
    {"update note-1 --room decisions", "move a drawer to another room"},
    {"update note-1 --document \"We chose GraphQL, and keep REST for partners\"", "give it a new text"},
};

Result<Answer> run_update(Session& session, const Request& request, Caller&) {
  Metadata metadata = TRY(metadata_from(request));
  DrawerChange change = {
      .id = request.required_text("id"),
      .document = request.text("document"),
      .wing = request.text("wing"),
      .room = request.text("room"),
      .metadata = std::move(metadata),
  };
  const ChosenPalace palace = TRY(session.palace());
  // Only a new text needs a vector, and with it the model.
  const Purpose purpose = change.document ? Purpose::write_texts : Purpose::read;
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, purpose, IfMissing::fail));
  return Answer{drawer_to_json(TRY(update_drawer(*drawers, std::move(change))))};
}

// --- delete ---

constexpr Field kDeleteFields[] = {
    {.name = "ids",
     .type = FieldType::text_list,
     .help = "the drawers to delete",
     .on_command_line = OnCommandLine::positional,
     .placeholder = "ID"},
    kWingField,
    kRoomField,
    kWhereField,
    kTagField,
    kRoleField,
    kAgentField,
    kKindField,
    kSinceField,
    kBeforeField,
    kOnField,
    {.name = "dry_run", .type = FieldType::boolean, .help = "only say how many would be deleted"},
};
constexpr Example kDeleteExamples[] = {
    {"delete note-1", "delete a drawer"},
    {"delete --wing logs --where '{\"severity\": {\"$lt\": 3}}' --dry-run", "see what a filter would delete"},
};

Result<Answer> run_delete(Session& session, const Request& request, Caller&) {
  Scope scope = TRY(scope_from(request));
  const DeleteRequest what = {
      .ids = request.texts("ids"),
      .scope = std::move(scope),
      .dry_run = request.flag("dry_run") ? DryRun::yes : DryRun::no,
  };
  const ChosenPalace palace = TRY(session.palace());
  const std::shared_ptr<Collection> drawers = TRY(session.drawers(palace, Purpose::read, IfMissing::fail));
  const DeleteReport report = TRY(delete_drawers(*drawers, what));
  return Answer{{{"deleted", report.deleted}, {"dry_run", what.dry_run == DryRun::yes}}};
}

}  // namespace

constexpr Operation kAddOperation = {
    .name = "add",
    .summary = "Store one text as a drawer, word for word.",
    .fields = kAddFields,
    .examples = kAddExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .stores_texts = StoresTexts::yes,
    .run = run_add,
};
constexpr Operation kGetOperation = {
    .name = "get",
    .summary = "Show drawers by their ids.",
    .fields = kGetFields,
    .examples = kGetExamples,
    .run = run_get,
};
constexpr Operation kListOperation = {
    .name = "list",
    .summary = "List drawers, oldest first.",
    .fields = kListFields,
    .examples = kListExamples,
    .run = run_list,
};
constexpr Operation kUpdateOperation = {
    .name = "update",
    .summary = "Change the text, place or metadata of a drawer.",
    .fields = kUpdateFields,
    .examples = kUpdateExamples,
    .effect = Effect::writes,
    .stores_texts = StoresTexts::yes,
    .run = run_update,
};
constexpr Operation kDeleteOperation = {
    .name = "delete",
    .summary = "Delete drawers by id or by filter.",
    .fields = kDeleteFields,
    .examples = kDeleteExamples,
    .effect = Effect::destroys,
    .run = run_delete,
};

}  // namespace loci
