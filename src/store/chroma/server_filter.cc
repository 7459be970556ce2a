#include "store/chroma/server_filter.h"

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace loci::chroma {
namespace {

// Above this, reals and integers are no longer told apart exactly by everyone on the way.
constexpr double kExactIntegers = 9007199254740992.0;

Json to_json(const MetadataValue& scalar) {
  if (const auto* text = std::get_if<std::string>(&scalar)) return *text;
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) return *integer;
  if (const auto* real = std::get_if<double>(&scalar)) return *real;
  if (const auto* boolean = std::get_if<bool>(&scalar)) return *boolean;
  return nullptr;
}

// A number that every comparison takes as it is.
bool is_plain_number(const MetadataValue& scalar) {
  if (const auto* integer = std::get_if<std::int64_t>(&scalar)) {
    return std::abs(static_cast<double>(*integer)) < kExactIntegers;
  }
  const auto* real = std::get_if<double>(&scalar);
  return real != nullptr && std::abs(*real) < kExactIntegers;
}

bool is_number(const MetadataValue& scalar) {
  return std::holds_alternative<std::int64_t>(scalar) || std::holds_alternative<double>(scalar);
}

Json condition(const std::string& key, const char* op, Json operand) { return {{key, {{op, std::move(operand)}}}}; }

// All or any of the parts. A part that is null holds for everything.
Json joined(const char* op, std::vector<Json> parts) {
  const bool is_all = std::string_view(op) == "$and";
  std::vector<Json> known;
  for (Json& part : parts) {
    if (!part.is_null()) {
      known.push_back(std::move(part));
    } else if (!is_all) {
      return nullptr;
    }
  }
  if (known.empty()) return nullptr;
  if (known.size() == 1) return std::move(known.front());
  return {{op, std::move(known)}};
}

// An integer equals a real of the same value, which the server's $eq does not know, but its ranges do.
Json equals(const std::string& key, const MetadataValue& scalar) {
  if (!is_number(scalar)) return condition(key, "$eq", to_json(scalar));
  if (!is_plain_number(scalar)) return nullptr;
  return joined("$and", {condition(key, "$gte", to_json(scalar)), condition(key, "$lte", to_json(scalar))});
}

// For integers the server cuts the fraction of a real operand off, so that 2 is not below 2.5 and -3 not above -3.5.
// Where equality counts, the cut operand leaves out nothing.
Json range(const std::string& key, FilterOperator op, const MetadataValue& scalar) {
  if (!is_plain_number(scalar)) return nullptr;
  const auto* real = std::get_if<double>(&scalar);
  if (real != nullptr && *real != std::trunc(*real)) {
    if (op == FilterOperator::gt) op = FilterOperator::gte;
    if (op == FilterOperator::lt) op = FilterOperator::lte;
  }
  return condition(key, std::string(to_string(op)).c_str(), to_json(scalar));
}

Json leaf_where(const Condition& leaf) {
  switch (leaf.op) {
    case FilterOperator::eq: return equals(leaf.key, leaf.operands.front());
    case FilterOperator::in: {
      if (leaf.operands.empty()) return nullptr;
      std::vector<Json> parts;
      for (const MetadataValue& operand : leaf.operands) parts.push_back(equals(leaf.key, operand));
      return joined("$or", std::move(parts));
    }
    case FilterOperator::gt:
    case FilterOperator::gte:
    case FilterOperator::lt:
    case FilterOperator::lte: return range(leaf.key, leaf.op, leaf.operands.front());
    case FilterOperator::ne:
      if (is_number(leaf.operands.front())) return nullptr;
      return condition(leaf.key, "$ne", to_json(leaf.operands.front()));
    case FilterOperator::nin:
    case FilterOperator::contains:
    case FilterOperator::not_contains: return nullptr;
  }
  return nullptr;
}

}  // namespace

Json server_where(const Filter& filter) {
  if (filter.kind == Filter::Kind::leaf) return leaf_where(filter.leaf);
  std::vector<Json> parts;
  for (const Filter& child : filter.children) parts.push_back(server_where(child));
  return joined(filter.kind == Filter::Kind::all ? "$and" : "$or", std::move(parts));
}

Json server_where_document(const DocumentFilter& filter) {
  if (filter.kind == DocumentFilter::Kind::leaf) {
    // A record without a document passes $not_contains here, and who knows there.
    if (filter.leaf.op != FilterOperator::contains || filter.leaf.text.empty()) return nullptr;
    return {{"$contains", filter.leaf.text}};
  }
  std::vector<Json> parts;
  for (const DocumentFilter& child : filter.children) parts.push_back(server_where_document(child));
  return joined(filter.kind == DocumentFilter::Kind::all ? "$and" : "$or", std::move(parts));
}

}  // namespace loci::chroma
