// ImportTarget: one collection that an import writes to, and the rules about whose vectors it takes. For one thread.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "loci/backend.h"
#include "loci/collection.h"
#include "loci/result.h"
#include "ops/import.h"
#include "ops/record_line.h"

namespace loci {

class ImportTarget {
 public:
  // Opens the collection, or makes it with the metric of the first line for it. Without an embedder: records that bring
  // vectors are taken whatever the current model is, the others wait for theirs.
  static Result<ImportTarget> open(Backend& backend, const ImportRequest& request, const std::string& name,
                                   const RecordLine& first);

  // Does the line's vector, if it has one, go with those of the collection? Errors: dimension_mismatch,
  // embedder_mismatch.
  Status check(const RecordLine& line) const;

  // Called for each line that passed the check, before its batch is written. Takes up the line's model if the
  // collection has neither a model nor a vector. This comes before the write, so that an import that is killed between
  // the two takes it up when it runs again.
  Status expect(const RecordLine& line);

  Result<std::unordered_set<std::string>> existing_ids(std::vector<std::string> ids) const;

  // The records of these ids that are there, with their details only.
  Result<std::vector<Record>> existing_details(std::vector<std::string> ids) const;

  Collection& collection() { return *collection_; }

 private:
  ImportTarget(Backend& backend, const ImportRequest& request, std::shared_ptr<Collection> collection,
               CollectionInfo info)
      : backend_(&backend), request_(&request), collection_(std::move(collection)), info_(std::move(info)) {}

  std::string_view model_of(const RecordLine& line) const;

  Backend* backend_;
  const ImportRequest* request_;
  std::shared_ptr<Collection> collection_;
  CollectionInfo info_;
};

}  // namespace loci
