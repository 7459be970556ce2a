#include "api/operations.h"

#include <algorithm>

#include "api/request.h"
#include "api/tables.h"

namespace loci {
namespace {

constexpr const Operation* kOperations[] = {
    &kInitOperation,     &kAddOperation,         &kMineOperation,   &kSyncOperation,        &kSearchOperation,
    &kRecallOperation,   &kListOperation,        &kGetOperation,    &kUpdateOperation,      &kDeleteOperation,
    &kStatusOperation,   &kExportOperation,      &kImportOperation, &kMigrateOperation,     &kVerifyOperation,
    &kBackupOperation,   &kRestoreOperation,     &kRepairOperation, &kQuarantineOperation,  &kDoctorOperation,
    &kBackendsOperation, &kSetEmbedderOperation, &kEmbedOperation,  &kMaintenanceOperation, &kBenchOperation,
    &kEvalOperation,     &kModelOperation,
};

// "init, add or import".
std::string names_of_creators() {
  std::vector<std::string_view> names;
  for (const Operation* operation : kOperations) {
    if (operation->creates_palace == CreatesPalace::yes) names.push_back(operation->name);
  }
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (i > 0) text += i + 1 == names.size() ? " or " : ", ";
    text += names[i];
  }
  return text;
}

// Backends know the palace, but neither the operations nor the flags.
Error explain(Session& session, const Error& error) {
  if (error.kind == ErrorKind::palace_not_found) {
    const Result<std::filesystem::path> palace = resolve_palace(session.options().sources);
    const std::string place = palace.ok() ? " at " + palace->string() : "";
    return {error.kind, "there is no palace" + place + "; create one with " + names_of_creators()};
  }
  if (error.kind == ErrorKind::collection_not_initialized) {
    return {error.kind, error.message + "; status lists the collections there are, --collection chooses one"};
  }
  return error;
}

Error refused_read_only(const Operation& operation) {
  std::string message = std::string(operation.name) + " changes the palace or writes a file, which read-only forbids; ";
  if (!operation.reads_when.empty()) message += "call it " + std::string(operation.reads_when) + ", or ";
  return {ErrorKind::invalid_argument, message + "leave --read-only out"};
}

}  // namespace

std::span<const Operation* const> operations() { return kOperations; }

const Operation* find_operation(std::string_view name) {
  const auto found = std::find_if(std::begin(kOperations), std::end(kOperations),
                                  [&](const Operation* operation) { return operation->name == name; });
  return found == std::end(kOperations) ? nullptr : *found;
}

Result<Answer> call(Session& session, const Operation& operation, Json fields, Caller& caller) {
  const Request request = TRY(Request::make(operation, std::move(fields)));
  const Effect effect = operation.effect_of == nullptr ? operation.effect : operation.effect_of(request);
  if (session.options().access == Access::read_only && effect != Effect::reads) return refused_read_only(operation);
  Result<Answer> answer = operation.run(session, request, caller);
  if (!answer.ok()) return explain(session, answer.error());
  return answer;
}

Json error_to_json(const Error& error) {
  return {{"error", {{"kind", to_string(error.kind)}, {"message", error.message}}}};
}

}  // namespace loci
