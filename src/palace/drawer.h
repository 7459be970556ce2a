// Drawers: what the product keeps, one text with its place each. Functions on top of a collection, so that every
// backend has them. Many threads may call them at once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "loci/collection.h"
#include "loci/metadata.h"
#include "loci/record.h"
#include "loci/result.h"
#include "palace/place.h"

namespace loci {

struct NewDrawer {
  std::string document;
  std::optional<std::string> wing = {};  // absent: what the metadata says, else the default
  std::optional<std::string> room = {};
  std::optional<std::string> source = {};  // the file or conversation that the text came from
  std::optional<std::string> id = {};      // absent: a new one
  Metadata metadata = {};
};

// The record that a drawer becomes: its text as it is, and its place and time among the metadata. Errors:
// invalid_argument for a text without a visible character, a bad name, or metadata that contradicts wing, room or
// source.
Result<Record> make_drawer(NewDrawer drawer, std::int64_t now_unix_ms);

// Stores one drawer whole and answers with it as it was stored; it is durable then. It joins a wing and a room that the
// palace has under another spelling (known_place.h). Errors: also already_exists.
Result<Record> add_drawer(Collection& drawers, NewDrawer drawer, std::int64_t now_unix_ms);

struct DrawersFound {
  std::vector<Record> drawers;       // in the order asked for
  std::vector<std::string> missing;  // ids that do not exist
};
Result<DrawersFound> find_drawers(const Collection& drawers, const std::vector<std::string>& ids,
                                  const Include& include = {});

struct ListRequest {
  Scope scope = {};
  std::size_t limit = 20;
  std::size_t offset = 0;
  std::optional<std::string> document = {};  // only drawers with exactly this text
};
struct DrawerList {
  std::vector<Record> drawers;  // in insertion order
  std::size_t total = 0;        // that the request is about
};
Result<DrawerList> list_drawers(const Collection& drawers, const ListRequest& request);

struct DrawerChange {
  std::string id;
  std::optional<std::string> document = {};
  std::optional<std::string> wing = {};
  std::optional<std::string> room = {};
  Metadata metadata = {};  // merged into what is there, key by key
};
// Changes one drawer and answers with it as it is now. It joins known places as a new one does. With another text a
// mined drawer leaves its source and names it in `edited_from`: mining neither removes it nor brings the text back that
// it had. Errors: not_found; invalid_argument when nothing is to change.
Result<Record> update_drawer(Collection& drawers, DrawerChange change);

enum class DryRun { no, yes };
struct DeleteRequest {
  std::vector<std::string> ids = {};
  Scope scope = {};  // with ids: only those of them that are in the scope
  DryRun dry_run = DryRun::no;
};
struct DeleteReport {
  std::size_t deleted = 0;  // with a dry run: would be deleted
};
// Errors: invalid_argument for a request that names nothing, not_found (and nothing is deleted) when an id does not
// exist.
Result<DeleteReport> delete_drawers(Collection& drawers, const DeleteRequest& request);

}  // namespace loci
