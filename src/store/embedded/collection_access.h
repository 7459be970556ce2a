// Transactions on one collection, looked up anew each time.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "store/embedded/catalog.h"
#include "store/embedded/palace_handle.h"

namespace loci::embedded {

// Many threads may use it at once. Holds nothing of the database: each call sees what is there now.
class CollectionAccess {
 public:
  CollectionAccess(std::shared_ptr<PalaceHandle> palace, std::string name)
      : palace_(std::move(palace)), name_(std::move(name)) {}

  // Runs work(Connection&, CollectionRow&) in a transaction, with the collection as it is stored now.
  template <typename Work>
  auto read(const Work& work) const {
    using Answer = decltype(work(std::declval<Connection&>(), std::declval<CollectionRow&>()));
    const auto attempt = [&]() -> Answer {
      const std::shared_ptr<Database> database = TRY(palace_->database());
      return database->read([&](Connection& connection) -> Answer {
        CollectionRow collection = TRY(load_collection(connection, name_));
        return work(connection, collection);
      });
    };
    return attempt();
  }
  template <typename Work>
  auto write(const Work& work) const {
    using Answer = decltype(work(std::declval<Connection&>(), std::declval<CollectionRow&>()));
    const auto attempt = [&]() -> Answer {
      const std::shared_ptr<Database> database = TRY(palace_->database());
      return database->write([&](Connection& connection) -> Answer {
        CollectionRow collection = TRY(load_collection(connection, name_));
        return work(connection, collection);
      });
    };
    return attempt();
  }

  Result<std::shared_ptr<Database>> database() const { return palace_->database(); }
  const std::string& name() const { return name_; }

 private:
  const std::shared_ptr<PalaceHandle> palace_;
  const std::string name_;
};

}  // namespace loci::embedded
