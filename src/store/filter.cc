#include "loci/filter.h"

#include <algorithm>
#include <cmath>
#include <compare>
#include <type_traits>

namespace loci {
namespace {

// Exact: converting the integer to a double would make neighbours past 2^53 equal.
std::partial_ordering compare(std::int64_t left, double right) {
  constexpr double kTwoTo63 = 9223372036854775808.0;
  if (std::isnan(right)) return std::partial_ordering::unordered;
  if (right >= kTwoTo63) return std::partial_ordering::less;
  if (right < -kTwoTo63) return std::partial_ordering::greater;
  const auto whole = static_cast<std::int64_t>(right);
  if (left != whole) return left <=> whole;
  return 0.0 <=> right - static_cast<double>(whole);
}

std::partial_ordering reversed(std::partial_ordering ordering) { return 0 <=> ordering; }

// F4: numbers with numbers, strings with strings by bytes, booleans with booleans; all else is unordered.
template <typename Left, typename Right>
std::partial_ordering compare_scalars(const Left& left, const Right& right) {
  if constexpr (std::is_same_v<Left, Right>) {
    return left <=> right;
  } else if constexpr (std::is_same_v<Left, std::int64_t> && std::is_same_v<Right, double>) {
    return compare(left, right);
  } else if constexpr (std::is_same_v<Left, double> && std::is_same_v<Right, std::int64_t>) {
    return reversed(compare(right, left));
  } else {
    return std::partial_ordering::unordered;
  }
}

template <typename T>
constexpr bool kIsScalar = std::is_same_v<T, std::string> || std::is_same_v<T, std::int64_t> ||
                           std::is_same_v<T, double> || std::is_same_v<T, bool>;

// Lists are unordered with everything, so that no list equals a scalar.
std::partial_ordering compare_values(const MetadataValue& left, const MetadataValue& right) {
  return std::visit(
      [](const auto& l, const auto& r) -> std::partial_ordering {
        using Left = std::remove_cvref_t<decltype(l)>;
        using Right = std::remove_cvref_t<decltype(r)>;
        if constexpr (kIsScalar<Left> && kIsScalar<Right>) {
          return compare_scalars(l, r);
        } else {
          return std::partial_ordering::unordered;
        }
      },
      left, right);
}

bool equals(const MetadataValue& value, const MetadataValue& operand) { return compare_values(value, operand) == 0; }

bool equals_any(const MetadataValue& value, const std::vector<MetadataValue>& operands) {
  return std::any_of(operands.begin(), operands.end(),
                     [&](const MetadataValue& operand) { return equals(value, operand); });
}

bool contains(const MetadataValue& value, const MetadataValue& operand) {
  return std::visit(
      [&](const auto& v) -> bool {
        using Value = std::remove_cvref_t<decltype(v)>;
        if constexpr (std::is_same_v<Value, std::string>) {
          const auto* part = std::get_if<std::string>(&operand);
          return part != nullptr && v.find(*part) != std::string::npos;
        } else if constexpr (kIsScalar<Value>) {
          return false;
        } else {
          using Element = typename Value::value_type;
          return std::any_of(v.begin(), v.end(),
                             [&](Element element) { return equals(MetadataValue(std::move(element)), operand); });
        }
      },
      value);
}

// Booleans are not ordered: $gt on them is refused by check_filter, and false here.
bool is_ordered(const MetadataValue& value) { return !std::holds_alternative<bool>(value); }

template <typename Leaf, typename Holds>
bool holds_for_tree(const FilterTree<Leaf>& tree, const Holds& holds) {
  const auto holds_for_child = [&](const FilterTree<Leaf>& child) { return holds_for_tree(child, holds); };
  switch (tree.kind) {
    case FilterTree<Leaf>::Kind::all: return std::all_of(tree.children.begin(), tree.children.end(), holds_for_child);
    case FilterTree<Leaf>::Kind::any: return std::any_of(tree.children.begin(), tree.children.end(), holds_for_child);
    case FilterTree<Leaf>::Kind::leaf: return holds(tree.leaf);
  }
  return false;
}

}  // namespace

std::string_view to_string(FilterOperator op) {
  switch (op) {
    case FilterOperator::eq: return "$eq";
    case FilterOperator::ne: return "$ne";
    case FilterOperator::in: return "$in";
    case FilterOperator::nin: return "$nin";
    case FilterOperator::gt: return "$gt";
    case FilterOperator::gte: return "$gte";
    case FilterOperator::lt: return "$lt";
    case FilterOperator::lte: return "$lte";
    case FilterOperator::contains: return "$contains";
    case FilterOperator::not_contains: return "$not_contains";
  }
  return "$unknown";
}

bool matches(const Condition& condition, const MetadataValue* value) {
  const auto holds_for_operand = [&](auto relation) {
    return value != nullptr && condition.operands.size() == 1 && relation(*value, condition.operands.front());
  };
  const auto is_ordering = [&](auto question) {
    return holds_for_operand([&](const MetadataValue& v, const MetadataValue& operand) {
      return is_ordered(v) && question(compare_values(v, operand));
    });
  };
  switch (condition.op) {
    case FilterOperator::eq: return holds_for_operand(equals);
    case FilterOperator::ne: return !holds_for_operand(equals);
    case FilterOperator::in: return value != nullptr && equals_any(*value, condition.operands);
    case FilterOperator::nin: return value == nullptr || !equals_any(*value, condition.operands);
    case FilterOperator::gt: return is_ordering([](std::partial_ordering o) { return o > 0; });
    case FilterOperator::gte: return is_ordering([](std::partial_ordering o) { return o >= 0; });
    case FilterOperator::lt: return is_ordering([](std::partial_ordering o) { return o < 0; });
    case FilterOperator::lte: return is_ordering([](std::partial_ordering o) { return o <= 0; });
    case FilterOperator::contains: return holds_for_operand(contains);
    case FilterOperator::not_contains: return !holds_for_operand(contains);
  }
  return false;
}

bool matches(const Filter& filter, const Metadata& metadata) {
  return holds_for_tree(filter, [&](const Condition& condition) {
    const auto found = metadata.find(condition.key);
    return matches(condition, found == metadata.end() ? nullptr : &found->second);
  });
}

bool matches(const DocumentFilter& filter, std::string_view document) {
  return holds_for_tree(filter, [&](const TextCondition& condition) {
    const bool is_part = document.find(condition.text) != std::string_view::npos;
    switch (condition.op) {
      case FilterOperator::contains: return is_part;
      case FilterOperator::not_contains: return !is_part;
      default: return false;  // refused by check_filter
    }
  });
}

}  // namespace loci
