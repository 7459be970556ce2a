// Ending work on a database early, once nobody wants its result any more.
#pragma once

#include "loci/result.h"
#include "loci/upkeep.h"

namespace loci::sqlite {

class Connection;

// What cancelled work ends with.
Error interrupted();

// Between two steps of the work: an error once it is cancelled.
Status check_wanted(const IsCancelled& is_cancelled);

// As long as it lives, every statement of the connection that takes long ends with interrupted() soon after the work
// was cancelled; a writing one rolls its transaction back. One at a time for each connection.
class CancellableStatements {
 public:
  // Both must outlive it.
  CancellableStatements(Connection& connection, const IsCancelled& is_cancelled);
  ~CancellableStatements();
  CancellableStatements(const CancellableStatements&) = delete;
  CancellableStatements& operator=(const CancellableStatements&) = delete;

 private:
  Connection& connection_;
};

}  // namespace loci::sqlite
