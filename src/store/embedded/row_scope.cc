#include "store/embedded/row_scope.h"

#include "store/embedded/sql_functions.h"

namespace loci::embedded {
namespace {

// The strings that the filter demands for a key; nothing when it leaves other values open.
std::optional<std::vector<std::string>> demanded_strings(const Filter& filter, std::string_view key) {
  if (filter.kind == Filter::Kind::all) {
    for (const Filter& child : filter.children) {
      if (std::optional<std::vector<std::string>> demanded = demanded_strings(child, key)) return demanded;
    }
    return {};
  }
  const bool is_demand = filter.kind == Filter::Kind::leaf && filter.leaf.key == key &&
                         (filter.leaf.op == FilterOperator::eq || filter.leaf.op == FilterOperator::in);
  if (!is_demand) return {};
  std::vector<std::string> strings;
  for (const MetadataValue& operand : filter.leaf.operands) {
    const auto* text = std::get_if<std::string>(&operand);
    if (text == nullptr) return {};
    strings.push_back(*text);
  }
  return strings;
}

}  // namespace

RowScope::RowScope(std::int64_t collection, const Filter& where, const DocumentFilter& where_document,
                   const std::vector<std::int64_t>* rows)
    : collection_(collection), where_(where), where_document_(where_document) {
  if (rows != nullptr) rows_ = encode_list(*rows);
  const auto wings = demanded_strings(where, "wing");
  const auto rooms = demanded_strings(where, "room");
  if (wings) wings_ = encode_list(*wings);
  if (rooms) rooms_ = encode_list(*rooms);
  is_one_place_ = wings && rooms && wings->size() == 1 && rooms->size() == 1;
}

std::string RowScope::from(std::string_view joins) const {
  const bool narrows = rows_ || wings_ || rooms_;
  // Without something to narrow by, the table is read in row order, which is also the order of the answer.
  std::string sql = narrows ? "records r" : "records r NOT INDEXED";
  if (joins.find("sources s") == std::string_view::npos) sql += " LEFT JOIN sources s ON s.id = r.source";
  if (!where_document_.is_empty() && joins.find("documents d") == std::string_view::npos) {
    sql += " LEFT JOIN documents d ON d.row = r.row";
  }
  sql += ' ';
  sql += joins;
  // The plus keeps SQLite from reading the whole collection by an index instead of the rows that are named.
  sql += rows_ ? " WHERE +r.collection = ?1" : " WHERE r.collection = ?1";
  if (rows_) sql += " AND r.row IN (SELECT value FROM json_each(?4))";
  if (wings_ || rooms_) {
    // The index on one place has its rows in order, so that the first of them are found without looking at the others.
    sql += is_one_place_ ? " AND r.place = " : " AND r.place IN ";
    sql += "(SELECT id FROM places WHERE ";
    if (wings_) sql += "wing IN (SELECT value FROM json_each(?5))";
    if (wings_ && rooms_) sql += " AND ";
    if (rooms_) sql += "room IN (SELECT value FROM json_each(?6))";
    sql += ")";
  }
  if (!where_.is_empty()) sql += " AND loci_where(?2, r.metadata, s.metadata)";
  if (!where_document_.is_empty()) sql += " AND loci_text(?3, d.text)";
  return sql;
}

void RowScope::bind(Statement& statement) const {
  statement.bind(1, collection_);
  if (!where_.is_empty()) statement.bind_pointer(2, &where_, kFilterPointer);
  if (!where_document_.is_empty()) statement.bind_pointer(3, &where_document_, kDocumentFilterPointer);
  if (rows_) statement.bind_blob(4, *rows_);
  if (wings_) statement.bind_blob(5, *wings_);
  if (rooms_) statement.bind_blob(6, *rooms_);
}

}  // namespace loci::embedded
