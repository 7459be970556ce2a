// The entries of the table of operations. Each is defined beside its code, in *_operations.cc.
#pragma once

#include "api/operation.h"

namespace loci {

extern const Operation kInitOperation;
extern const Operation kStatusOperation;
extern const Operation kAddOperation;
extern const Operation kGetOperation;
extern const Operation kListOperation;
extern const Operation kUpdateOperation;
extern const Operation kDeleteOperation;
extern const Operation kMineOperation;
extern const Operation kSyncOperation;
extern const Operation kSearchOperation;
extern const Operation kRecallOperation;
extern const Operation kEmbedOperation;
extern const Operation kModelOperation;
extern const Operation kExportOperation;
extern const Operation kImportOperation;
extern const Operation kDoctorOperation;
extern const Operation kBackendsOperation;
extern const Operation kSetEmbedderOperation;
extern const Operation kMigrateOperation;
extern const Operation kVerifyOperation;
extern const Operation kBackupOperation;
extern const Operation kRestoreOperation;
extern const Operation kRepairOperation;
extern const Operation kQuarantineOperation;
extern const Operation kMaintenanceOperation;
extern const Operation kBenchOperation;
extern const Operation kEvalOperation;

}  // namespace loci
