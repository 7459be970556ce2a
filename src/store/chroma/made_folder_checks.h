// What comes out of a folder that was made by hand, for tests. Throws what is an error.
#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "store/chroma/coverage.h"
#include "store/chroma/made_folder.h"
#include "store/chroma/recovery.h"

namespace loci::chroma {

inline VerifyReport examined(const MadeFolder& folder, VerifyDepth depth = VerifyDepth::quick) {
  auto report = examine_folder(*folder.palace(), depth);
  if (!report.ok()) throw std::runtime_error(report.error().message);
  return *std::move(report);
}

// The vectors of the collection: "id=first number", in the order of rows.
inline std::vector<std::string> vectors_in(const MadeFolder& folder, Copies copies = Copies::ignored) {
  using Found = Result<std::vector<std::string>>;
  FolderPalace palace(folder.path(), Access::read_only, FolderOptions{copies});
  Found found = palace.read([&](Connection& connection, const SchemaVersions& versions) -> Found {
    std::vector<std::string> shown;
    const std::vector<CollectionRow> rows = TRY(list_collections(connection, versions));
    const auto recovered = TRY(palace.vectors(connection, rows.at(0)));
    for (const RecoveredRecord& record : recovered->records) {
      const auto vector = TRY(vector_at(connection, *recovered, record.place));
      if (vector) shown.push_back(record.id + "=" + std::to_string(static_cast<int>(vector->at(0))));
    }
    return shown;
  });
  if (!found.ok()) throw std::runtime_error(found.error().message);
  return *std::move(found);
}

}  // namespace loci::chroma
