// migrate: a palace of any backend into another one; and verify --against, which compares the two.
#include <chrono>
#include <filesystem>
#include <system_error>
#include <utility>

#include "api/caller.h"
#include "api/configuration_file.h"
#include "api/migration.h"
#include "api/request.h"
#include "api/session.h"
#include "api/tables.h"
#include "base/file.h"
#include "ops/compare.h"
#include "ops/migrate.h"

namespace loci {
namespace {

namespace fs = std::filesystem;

// The collection that MemPalace keeps its drawers in.
constexpr std::string_view kMemPalaceDrawers = "mempalace_drawers";
// The facts of a MemPalace lie in its folder, or beside it.
constexpr std::string_view kKnowledgeGraph = "knowledge_graph.sqlite3";
constexpr std::string_view kImportedFolder = "imported";

constexpr Field kMigrateFields[] = {
    {.name = "from", .help = "the backend of the source; found out if not given", .placeholder = "BACKEND"},
    {.name = "source",
     .type = FieldType::path,
     .help = "the folder, file or server address to read; it is not changed",
     .is_required = true,
     .placeholder = "DIR|URL"},
    {.name = "to", .help = "the backend of the new palace; loci if not given", .placeholder = "BACKEND"},
    {.name = "overwrite",
     .type = FieldType::boolean,
     .help = "replace the collections that the palace has under the same names"},
    {.name = "accept_re_embed",
     .type = FieldType::boolean,
     .help = "where vectors cannot be taken over, migrate the texts and make vectors anew"},
    {.name = "include_quarantined",
     .type = FieldType::boolean,
     .help = "also vectors of folders that were renamed away as damaged"},
    {.name = "source_model",
     .help = "the model that made the vectors, where the source does not say it",
     .placeholder = "NAME"},
};
constexpr Example kMigrateExamples[] = {
    {"migrate --from chroma --source ~/.mempalace/palace --palace new", "a MemPalace, without re-embedding"},
    {"migrate --source ./old --palace new", "the backend of the source is found out"},
};

struct Place {
  Backend* backend;
  PalaceRef ref;
};

Result<PalaceRef> source_ref(const std::string& source) {
  if (is_server_address(source)) return palace_ref(fs::path(source.substr(0, source.find_last_not_of('/') + 1)));
  std::error_code error;
  fs::path path = fs::absolute(expand_home(source), error).lexically_normal();
  if (error) return io_error("cannot find", source, error.value());
  return PalaceRef::at(path.has_filename() ? path : path.parent_path());
}

Result<Backend*> find_backend(Session& session, const std::string& name) {
  const Result<Backend*> backend = session.registry().find(name);
  if (backend.ok() || backend.error().kind != ErrorKind::not_found) return backend;
  return Error{ErrorKind::invalid_argument, backend.error().message};
}

// The source with its backend: the one that is named, or the one whose files are there.
Result<Place> source_place(Session& session, const std::string& source, const std::optional<std::string>& backend) {
  PalaceRef ref = TRY(source_ref(source));
  std::error_code ignored;
  // Not palace_not_found: that is about the palace of the call.
  if (ref.local_path && !fs::exists(*ref.local_path, ignored)) {
    return Error{ErrorKind::not_found, "there is no source at " + ref.local_path->string()};
  }
  std::string name = backend.value_or("");
  if (name.empty() && !ref.local_path) name = kServerBackend;
  if (name.empty()) {
    const std::vector<std::string> found = session.registry().detect(*ref.local_path);
    if (found.size() != 1) {
      return Error{found.empty() ? ErrorKind::not_found : ErrorKind::invalid_argument,
                   (found.empty() ? "there is no palace in " : "there are files of several backends in ") + source +
                       "; --from names the backend"};
    }
    name = found.front();
  }
  Backend* found = TRY(find_backend(session, name));
  return Place{.backend = found, .ref = std::move(ref)};
}

// Copied aside and renamed, so that a half of it is never taken for the whole.
Status copy_whole_file(const fs::path& from, const fs::path& to) {
  TRY(make_private_folder(to.parent_path()));
  const fs::path aside = to.string() + ".part";
  std::error_code error;
  fs::copy_file(from, aside, fs::copy_options::overwrite_existing, error);
  if (!error) fs::permissions(aside, fs::perms::owner_read | fs::perms::owner_write, error);
  if (!error) fs::rename(aside, to, error);
  if (error) return io_error("cannot copy to", to, error.value());
  return sync_folder(to.parent_path());
}

// Facts of a MemPalace, byte for byte: the database and, where it has one, its log.
Result<Json> import_files(const Place& source, const Place& target) {
  Json imported = Json::array();
  if (!source.ref.local_path || !target.ref.local_path) return imported;
  for (const fs::path& folder : {*source.ref.local_path, source.ref.local_path->parent_path()}) {
    std::error_code ignored;
    if (!fs::is_regular_file(folder / kKnowledgeGraph, ignored)) continue;
    for (const std::string_view suffix : {"", "-wal"}) {
      const std::string name = std::string(kKnowledgeGraph) + std::string(suffix);
      if (!fs::is_regular_file(folder / name, ignored)) continue;
      TRY(copy_whole_file(folder / name, *target.ref.local_path / kImportedFolder / name));
      imported.push_back(std::string(kImportedFolder) + "/" + name);
    }
    break;
  }
  return imported;
}

Json collection_to_json(const MigratedCollection& collection) {
  return {{"name", collection.name},
          {"records", collection.records},
          {"written", collection.written},
          {"already_there", collection.already_there},
          {"folded", collection.folded},
          {"missing", collection.missing},
          {"missing_ids", collection.missing_ids},
          {"refused", collection.refused},
          {"refusals", collection.refusals},
          {"model", text_or_null(collection.model)}};
}

// A MemPalace's users search its drawers without naming the collection.
Result<std::string> set_default_collection(const Place& target, const MigrateReport& report, const Settings& settings) {
  for (const MigratedCollection& collection : report.collections) {
    if (collection.name != kMemPalaceDrawers || !target.ref.local_path) continue;
    TRY(write_palace_configuration(*target.ref.local_path, {.collection = std::string(kMemPalaceDrawers)}));
    return std::string(kMemPalaceDrawers);
  }
  return settings.collection.value;
}

Result<Answer> run_migrate(Session& session, const Request& request, Caller& caller) {
  const Place source = TRY(source_place(session, request.required_text("source"), request.text("from")));
  const ChosenPalace palace = TRY(session.palace(request.text("to")));
  const Place target{.backend = palace.backend, .ref = palace.ref};
  const MigrateRequest what = {.source = source.ref,
                               .target = target.ref,
                               .overwrite = request.flag("overwrite"),
                               .accept_re_embed = request.flag("accept_re_embed"),
                               .source_model = request.text("source_model"),
                               .include_quarantined = request.flag("include_quarantined"),
                               .model_swap = session.options().model_swap};
  const MigrateObserver observer = {
      .progress =
          [&](const MigrateProgress& progress) {
            caller.progress(
                {.unit = "records", .done = progress.done, .total = progress.total, .detail = progress.collection});
          },
      .is_cancelled = [&] { return caller.is_cancelled(); }};
  const auto start = std::chrono::steady_clock::now();
  Result<MigrateReport> migrated = migrate(*source.backend, *target.backend, what, observer);
  if (!migrated.ok() && migrated.error().kind == ErrorKind::palace_not_found) {
    return Error{ErrorKind::not_found, migrated.error().message};  // the target is created, so it is the source
  }
  const MigrateReport report = TRY(std::move(migrated));
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;

  Json imported = TRY(import_files(source, target));
  const std::string default_collection = TRY(set_default_collection(target, report, palace.settings));
  Json collections = Json::array();
  std::size_t written = 0;
  for (const MigratedCollection& collection : report.collections) {
    written += collection.written;
    collections.push_back(collection_to_json(collection));
  }
  const MigrationRecord& record = report.record;
  return Answer{{{"from", record.source_backend},
                 {"source", record.source},
                 {"to", target.backend->info().name},
                 {"palace", target.ref.id},
                 {"resumed", report.is_resumed},
                 {"lossless", record.is_lossless && record.refused == 0},
                 {"records", record.records},
                 {"written", written},
                 {"missing", record.missing},
                 {"refused", record.refused},
                 {"source_model", text_or_null(record.source_model)},
                 {"target_model", text_or_null(record.target_model)},
                 {"overrides", record.overrides},
                 {"collections", std::move(collections)},
                 {"default_collection", default_collection},
                 {"imported", std::move(imported)},
                 {"seconds", taken.count()}},
                record.missing + record.refused == 0 ? Outcome::done : Outcome::needs_attention};
}

}  // namespace

Result<Answer> verify_against(Session& session, const Request& request, Caller& caller) {
  const ChosenPalace palace = TRY(session.palace());
  const Place source = TRY(source_place(session, request.required_text("against"), request.text("from")));
  const std::optional<MigrationRecord> record =
      TRY(read_migration_record(*palace.backend, palace.ref, Access::read_only));
  const bool has_vectors = !record || record->is_lossless;
  const CompareRequest what{.palace = palace.ref,
                            .source = source.ref,
                            .vectors = has_vectors ? CompareVectors::compare : CompareVectors::leave_out};
  const CompareReport report =
      TRY(compare_palaces(*palace.backend, *source.backend, what, [&](const CompareReport& so_far) {
        caller.progress({.unit = "records", .done = so_far.records});
        return caller.is_cancelled();
      }));
  Json differences = Json::array();
  for (const Difference& difference : report.shown) {
    differences.push_back({{"collection", difference.collection}, {"id", difference.id}, {"what", difference.what}});
  }
  return Answer{{{"palace", palace.ref.id},
                 {"against", source.ref.id},
                 {"collections", report.collections},
                 {"records", report.records},
                 {"equal", report.equal},
                 {"vectors", report.vectors},
                 {"vectors_compared", has_vectors},
                 {"without_vector", report.without_vector},
                 {"only_here", report.only_here},
                 {"different", report.differences},
                 {"differences", std::move(differences)}},
                report.differences == 0 ? Outcome::done : Outcome::needs_attention};
}

constexpr Operation kMigrateOperation = {
    .name = "migrate",
    .summary = "Copy a palace of any backend into a new one without losing anything; go on where it was interrupted.",
    .fields = kMigrateFields,
    .examples = kMigrateExamples,
    .effect = Effect::writes,
    .creates_palace = CreatesPalace::yes,
    .names_files = NamesFiles::yes,
    .stores_texts = StoresTexts::yes,
    .run = run_migrate,
};

}  // namespace loci
