#include <cmath>
#include <type_traits>

#include <fmt/format.h>

#include "base/utf8.h"
#include "store/contract.h"
#include "store/filter_errors.h"

namespace loci {
namespace {

bool is_text(std::string_view text) { return text.find('\0') == std::string_view::npos && is_valid_utf8(text); }

bool is_known(FilterOperator op) { return to_string(op) != "$unknown"; }

bool is_range(FilterOperator op) {
  return op == FilterOperator::gt || op == FilterOperator::gte || op == FilterOperator::lt || op == FilterOperator::lte;
}

bool takes_list(FilterOperator op) { return op == FilterOperator::in || op == FilterOperator::nin; }

// What the walk over a tree adds up, so that the bounds hold for the whole of it.
struct Totals {
  std::size_t conditions = 0;
  std::size_t operands = 0;
};

Status check_operand(const MetadataValue& operand, const Condition& condition) {
  const auto complain = [&](std::string_view what) {
    return invalid_filter(fmt::format("{} on {} {}", to_string(condition.op), in_quotes(condition.key), what));
  };
  if (const auto* text = std::get_if<std::string>(&operand)) {
    if (!is_text(*text)) return complain("has a text that is not UTF-8 or has a NUL in it");
  } else if (const auto* real = std::get_if<double>(&operand)) {
    if (!std::isfinite(*real)) return complain("has a number that is not finite");
  } else if (std::holds_alternative<bool>(operand)) {
    if (is_range(condition.op)) return complain("has a boolean; only numbers and strings have an order");
  } else if (!std::holds_alternative<std::int64_t>(operand)) {
    return complain("has a list inside; operands are strings, numbers and booleans");
  }
  return ok_status();
}

Status check_leaf(const Condition& condition, const FilterLimits& limits, Totals& totals) {
  if (!is_known(condition.op)) {
    return unsupported_filter(
        fmt::format("unknown filter operator {} on {}", static_cast<int>(condition.op), in_quotes(condition.key)));
  }
  if (is_range(condition.op) && limits.range == RangeFilters::refused) {
    return unsupported_filter(
        fmt::format("this backend has no operator {} (on {})", to_string(condition.op), in_quotes(condition.key)));
  }
  if (condition.key.empty()) return invalid_filter(fmt::format("{} has an empty key", to_string(condition.op)));
  if (!is_text(condition.key)) {
    return invalid_filter(fmt::format("the key {} of {} is not UTF-8 or has a NUL in it", in_quotes(condition.key),
                                      to_string(condition.op)));
  }
  if (condition.key.front() == '$') {
    return unsupported_filter(
        fmt::format("{} is not a key: names that begin with $ are operators", in_quotes(condition.key)));
  }
  if (!takes_list(condition.op) && condition.operands.size() != 1) {
    return invalid_filter(fmt::format("{} on {} takes one operand, not {}", to_string(condition.op),
                                      in_quotes(condition.key), condition.operands.size()));
  }
  totals.operands += condition.operands.size();
  if (totals.operands > kMaxFilterOperands) {
    return invalid_filter(fmt::format("the filter has more than {} operands; split the request", kMaxFilterOperands));
  }
  for (const MetadataValue& operand : condition.operands) TRY(check_operand(operand, condition));
  return ok_status();
}

Status check_leaf(const TextCondition& condition, const FilterLimits&, Totals&) {
  if (!is_known(condition.op)) {
    return unsupported_filter(fmt::format("unknown filter operator {} on a document", static_cast<int>(condition.op)));
  }
  if (condition.op != FilterOperator::contains && condition.op != FilterOperator::not_contains) {
    return unsupported_filter(
        fmt::format("{} is no operator for documents; they have $contains and $not_contains", to_string(condition.op)));
  }
  if (condition.text.empty()) {
    return invalid_filter(fmt::format("{} on a document has an empty text", to_string(condition.op)));
  }
  if (!is_text(condition.text)) {
    return invalid_filter(
        fmt::format("{} on a document has a text that is not UTF-8 or has a NUL in it", to_string(condition.op)));
  }
  return ok_status();
}

template <typename Leaf>
Status check_tree(const FilterTree<Leaf>& tree, const FilterLimits& limits, std::size_t depth, Totals& totals) {
  using Kind = typename FilterTree<Leaf>::Kind;
  if (depth > kMaxFilterDepth) {
    return invalid_filter(fmt::format("the filter is nested more than {} deep", kMaxFilterDepth));
  }
  if (tree.kind == Kind::leaf) {
    if (!tree.children.empty()) return invalid_filter("a condition of the filter has parts of its own");
    if (++totals.conditions > kMaxFilterConditions) {
      return invalid_filter(
          fmt::format("the filter has more than {} conditions; $in takes many values in one", kMaxFilterConditions));
    }
    return check_leaf(tree.leaf, limits, totals);
  }
  if (tree.kind != Kind::all && tree.kind != Kind::any) {
    return unsupported_filter(fmt::format("unknown kind {} of filter", static_cast<int>(tree.kind)));
  }
  if (tree.children.empty()) {
    return invalid_filter(tree.kind == Kind::any ? "$or needs at least one part"
                                                 : "an empty filter inside another one; leave that part out");
  }
  for (const FilterTree<Leaf>& child : tree.children) TRY(check_tree(child, limits, depth + 1, totals));
  return ok_status();
}

template <typename Leaf>
Status check_whole(const FilterTree<Leaf>& tree, const FilterLimits& limits) {
  if (tree.is_empty()) return ok_status();
  Totals totals;
  return check_tree(tree, limits, 1, totals);
}

}  // namespace

FilterLimits filter_limits(const BackendInfo& info) {
  return {.range = info.has(capability::kRangeFilters) ? RangeFilters::accepted : RangeFilters::refused};
}

Status check_filter(const Filter& filter, const FilterLimits& limits) { return check_whole(filter, limits); }

Status check_filter(const DocumentFilter& filter) { return check_whole(filter, {}); }

}  // namespace loci
