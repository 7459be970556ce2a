#include "ops/migrate.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/clock.h"
#include "ops/migrate_collection.h"
#include "store/contract.h"

namespace loci {
namespace {

// What will be copied.
struct Plan {
  std::vector<CollectionToCopy> collections;
  std::size_t total = 0;
  bool is_lossless = true;
};

Result<std::string> model_of(const CollectionInfo& info, const MigrateRequest& request) {
  if (!request.source_model) return info.model;
  if (info.model.empty() || info.model == *request.source_model || request.model_swap == ModelSwap::force) {
    return *request.source_model;
  }
  return Error{ErrorKind::embedder_mismatch, "the source says that the vectors of " + in_quotes(info.name) +
                                                 " are of " + info.model + ", not of " + *request.source_model +
                                                 "; leave --source-model out, or --force-model-swap overrides it"};
}

// V2: may this be called lossless, and if not, is that accepted?
Status check_lossless(const BackendInfo& source, const BackendInfo& target, const MigrateRequest& request, Plan& plan) {
  std::string reason;
  if (!source.has(capability::kMigrationExport)) reason = "the backend " + source.name + " does not give its vectors";
  if (!target.has(capability::kEmbeddingsPassthrough)) {
    reason = "the backend " + target.name + " does not keep vectors as they are";
  }
  plan.is_lossless = reason.empty();
  if (plan.is_lossless || request.accept_re_embed) return ok_status();
  return Error{ErrorKind::unsupported, "this would not be lossless: " + reason +
                                           "; --accept-re-embed migrates the texts and makes the vectors anew"};
}

Result<Plan> make_plan(Backend& source, Backend& target, const MigrateRequest& request) {
  Plan plan;
  TRY(check_lossless(source.info(), target.info(), request, plan));
  for (const CollectionInfo& info : TRY(source.collections(request.source, Access::read_only))) {
    if (info.name == kMigrationsCollection) continue;
    CollectionToCopy copy{.info = info, .takes_vectors = plan.is_lossless};
    copy.model = TRY(model_of(info, request));
    const OpenOptions open{.access = Access::read_only, .with_quarantined = request.include_quarantined};
    copy.from = TRY(source.collection(request.source, info.name, open));
    copy.count = TRY(copy.from->count());
    plan.total += copy.count;
    plan.collections.push_back(std::move(copy));
  }
  return plan;
}

std::vector<std::string> overrides_of(const MigrateRequest& request, const Plan& plan) {
  std::vector<std::string> names;
  if (request.overwrite) names.emplace_back("overwrite");
  if (request.accept_re_embed && !plan.is_lossless) names.emplace_back("accept_re_embed");
  if (request.include_quarantined) names.emplace_back("include_quarantined");
  if (request.source_model) names.emplace_back("source_model");
  if (request.source_model && request.model_swap == ModelSwap::force) names.emplace_back("force_model_swap");
  return names;
}

// Is the target free for this migration, or is it one that was interrupted? `resumed` is its record then.
Status check_target(Backend& target, const MigrateRequest& request, const std::string& source_backend,
                    std::optional<MigrationRecord>& resumed) {
  const Result<std::vector<CollectionInfo>> there = target.collections(request.target, Access::read_only);
  if (!there.ok()) return there.error().kind == ErrorKind::palace_not_found ? ok_status() : Status(there.error());
  if (request.overwrite) return ok_status();
  resumed = TRY(read_migration_record(target, request.target, Access::read_only));
  // Without a record, its collection alone is what a migration left that was killed at the very beginning.
  const bool is_empty = std::all_of(there->begin(), there->end(),
                                    [](const CollectionInfo& info) { return info.name == kMigrationsCollection; });
  if (is_empty && !resumed) return ok_status();
  const bool is_ours = resumed && resumed->source_backend == source_backend && resumed->source == request.source.id;
  if (is_ours && resumed->phase != MigrationPhase::complete) return ok_status();
  const std::string why = is_ours ? " was migrated from there already" : " exists";
  return Error{ErrorKind::already_exists, "the palace " + request.target.id + why +
                                              "; choose another one, or --overwrite replaces its collections"};
}

// Removes what has the names of the source's collections.
Status clear(Backend& target, const PalaceRef& palace, const Plan& plan) {
  for (const CollectionInfo& there : TRY(target.collections(palace, Access::read_write))) {
    const auto is_named = [&](const CollectionToCopy& copy) { return copy.info.name == there.name; };
    if (std::none_of(plan.collections.begin(), plan.collections.end(), is_named)) continue;
    TRY(target.delete_collection(palace, there.name));
  }
  return ok_status();
}

}  // namespace

Result<MigrateReport> migrate(Backend& source, Backend& target, const MigrateRequest& request,
                              const MigrateObserver& observer) {
  if (&source == &target && request.source.id == request.target.id) {
    return Error{ErrorKind::invalid_argument, "source and target are the same palace"};
  }
  Plan plan = TRY(make_plan(source, target, request));
  std::optional<MigrationRecord> resumed;
  TRY(check_target(target, request, source.info().name, resumed));

  MigrateReport report{.record = {.source_backend = source.info().name,
                                  .source = request.source.id,
                                  .started_at = resumed ? resumed->started_at : now_unix_ms(),
                                  .is_lossless = plan.is_lossless,
                                  .source_model = {},
                                  .target_model = {},
                                  .overrides = resumed ? resumed->overrides : overrides_of(request, plan)},
                       .is_resumed = resumed.has_value(),
                       .collections = {}};
  if (!plan.collections.empty()) {
    report.record.source_model = plan.collections.front().info.model;
    report.record.target_model = plan.is_lossless ? plan.collections.front().model : "";
  }
  if (!resumed || resumed->phase == MigrationPhase::clearing) {
    TRY(write_migration_record(target, request.target, report.record));
    TRY(clear(target, request.target, plan));
    report.record.phase = MigrationPhase::copying;
    TRY(write_migration_record(target, request.target, report.record));
  }
  report.record.phase = MigrationPhase::copying;

  MigrateProgress progress{.collection = {}, .done = 0, .total = plan.total};
  for (const CollectionToCopy& copy : plan.collections) {
    progress.collection = copy.info.name;
    report.collections.push_back(TRY(copy_collection(target, request.target, copy, progress, observer)));
    report.record.records += copy.count - report.collections.back().refused;
    report.record.missing += report.collections.back().missing;
    report.record.refused += report.collections.back().refused;
  }
  report.record.phase = MigrationPhase::complete;
  report.record.finished_at = now_unix_ms();
  TRY(write_migration_record(target, request.target, report.record));
  return report;
}

}  // namespace loci
