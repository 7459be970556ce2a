#include <cctype>
#include <cmath>
#include <limits>
#include <memory>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "loci/filter.h"
#include "store/contract.h"
#include "store/filter_errors.h"

namespace loci {
namespace {

using Json = nlohmann::json;

// JSON with the order of its keys kept, as far as filters need it: null stands for "no value of metadata".
struct Node {
  enum class Kind { null, scalar, list, object };

  Kind kind = Kind::null;
  MetadataValue scalar = {};
  std::vector<Node> items = {};
  std::vector<std::pair<std::string, Node>> members = {};
};

// Builds a Node. Our own reader instead of nlohmann's document: that one keeps the last of two equal keys and forgets
// the first, that is, it drops a part of the filter; and it has no limit on depth.
class NodeReader : public nlohmann::json_sax<Json> {
 public:
  bool null() override { return put({}); }
  bool boolean(bool value) override { return put_scalar(value); }
  bool number_integer(std::int64_t value) override { return put_scalar(value); }
  bool number_unsigned(std::uint64_t value) override {
    if (value > static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max())) return fail_range(value);
    return put_scalar(static_cast<std::int64_t>(value));
  }
  bool number_float(double value, const std::string& digits) override {
    // Integers that fit no 64 bits arrive here too; as reals they would match their neighbours.
    if (digits.find_first_of(".eE") == std::string::npos) return fail_range(digits);
    return put_scalar(value);
  }
  bool string(std::string& value) override { return put_scalar(std::move(value)); }
  bool binary(Json::binary_t&) override { return fail("the filter holds binary data"); }

  bool start_object(std::size_t) override { return open(Node::Kind::object); }
  bool key(std::string& name) override {
    if (!open_.back().keys.insert(name).second) return fail(fmt::format("the filter has {} twice", in_quotes(name)));
    open_.back().key = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Node::Kind::list); }
  bool end_array() override { return close(); }

  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception& error) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: …": the part after the tag is for people.
    const std::string_view text = error.what();
    const std::size_t tag_end = text.find("] ");
    return fail(fmt::format("the filter is not JSON (byte {}): {}", position,
                            tag_end == std::string_view::npos ? text : text.substr(tag_end + 2)));
  }

  Node take_root() { return std::move(root_); }
  const std::string& complaint() const { return complaint_; }

 private:
  // An object or list whose end is not read yet.
  struct Open {
    Node node;
    std::string key = {};
    std::set<std::string> keys = {};
  };

  // Each level of a filter is an object and a list; a condition has up to three more.
  static constexpr std::size_t kMaxJsonDepth = 2 * kMaxFilterDepth + 3;

  bool open(Node::Kind kind) {
    if (open_.size() >= kMaxJsonDepth) {
      return fail(fmt::format("the filter is nested more than {} deep", kMaxFilterDepth));
    }
    open_.push_back({.node = {.kind = kind}});
    return true;
  }

  bool close() {
    Node node = std::move(open_.back().node);
    open_.pop_back();
    return put(std::move(node));
  }

  bool put_scalar(MetadataValue value) { return put({.kind = Node::Kind::scalar, .scalar = std::move(value)}); }

  bool put(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
    } else if (Open& parent = open_.back(); parent.node.kind == Node::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else {
      parent.node.members.emplace_back(std::move(parent.key), std::move(node));
    }
    return true;
  }

  bool fail(std::string complaint) {
    complaint_ = std::move(complaint);
    return false;
  }

  template <typename Digits>
  bool fail_range(const Digits& digits) {
    return fail(fmt::format("the filter has the integer {}, which does not fit 64 bits", digits));
  }

  std::vector<Open> open_;
  Node root_;
  std::string complaint_;
};

Result<Node> read_node(std::string_view json) {
  if (json.size() > kMaxFilterJsonBytes) {
    return invalid_filter(
        fmt::format("the filter has {} bytes; at most {} are allowed", json.size(), kMaxFilterJsonBytes));
  }
  // The parser takes a NUL for the end of the text, and would not see what follows.
  if (json.find('\0') != std::string_view::npos) return invalid_filter("the filter has a NUL in it");
  NodeReader reader;
  if (!Json::sax_parse(json.begin(), json.end(), &reader)) return invalid_filter(reader.complaint());
  return reader.take_root();
}

constexpr FilterOperator kOperators[] = {
    FilterOperator::eq,       FilterOperator::ne,           FilterOperator::in, FilterOperator::nin,
    FilterOperator::gt,       FilterOperator::gte,          FilterOperator::lt, FilterOperator::lte,
    FilterOperator::contains, FilterOperator::not_contains,
};

const FilterOperator* find_operator(std::string_view name) {
  for (const FilterOperator& op : kOperators) {
    if (name == to_string(op)) return &op;
  }
  return nullptr;
}

bool is_operator_name(std::string_view name) { return name.starts_with('$'); }

// Several parts of one object hold together; a single one stands for itself.
template <typename Leaf>
FilterTree<Leaf> joined(std::vector<FilterTree<Leaf>> parts) {
  if (parts.size() == 1) return std::move(parts.front());
  return FilterTree<Leaf>::all_of(std::move(parts));
}

template <typename Leaf>
Result<FilterTree<Leaf>> read_tree(const Node& node);

// {"$and": […]} and {"$or": […]}.
template <typename Leaf>
Result<FilterTree<Leaf>> read_combination(const std::string& name, const Node& node) {
  if (node.kind != Node::Kind::list || node.items.empty()) {
    return invalid_filter(fmt::format("{} takes a list of at least one filter", name));
  }
  std::vector<FilterTree<Leaf>> parts;
  parts.reserve(node.items.size());
  for (const Node& item : node.items) parts.push_back(TRY(read_tree<Leaf>(item)));
  return name == "$and" ? FilterTree<Leaf>::all_of(std::move(parts)) : FilterTree<Leaf>::any_of(std::move(parts));
}

Result<Filter> read_condition(const std::string& key, const std::string& name, const Node& operand) {
  const FilterOperator* op = find_operator(name);
  if (op == nullptr) {
    if (!is_operator_name(name)) {
      return invalid_filter(fmt::format("{} has {} inside; metadata is flat, and only operators such as $eq stand here",
                                        in_quotes(key), in_quotes(name)));
    }
    return unsupported_filter(fmt::format("unknown filter operator {} on {}", in_quotes(name), in_quotes(key)));
  }
  Condition condition{.key = key, .op = *op, .operands = {}};
  if (*op == FilterOperator::in || *op == FilterOperator::nin) {
    if (operand.kind != Node::Kind::list)
      return invalid_filter(fmt::format("{} on {} takes a list", name, in_quotes(key)));
    condition.operands.reserve(operand.items.size());
    for (const Node& item : operand.items) {
      if (item.kind != Node::Kind::scalar) {
        return invalid_filter(fmt::format("{} on {} takes strings, numbers and booleans only", name, in_quotes(key)));
      }
      condition.operands.push_back(item.scalar);
    }
  } else {
    if (operand.kind != Node::Kind::scalar) {
      return invalid_filter(fmt::format("{} on {} takes one string, number or boolean", name, in_quotes(key)));
    }
    condition.operands.push_back(operand.scalar);
  }
  return Filter::of(std::move(condition));
}

// One `"key": …` of `where`.
Result<Filter> read_member(const std::string& key, const Node& value, Filter*) {
  if (is_operator_name(key)) {
    if (find_operator(key) == nullptr)
      return unsupported_filter(fmt::format("unknown filter operator {}", in_quotes(key)));
    return unsupported_filter(
        fmt::format("{} needs a key here, as in {{\"wing\": {{\"{}\": …}}}}; the text of a document is "
                    "asked for in where_document",
                    key, key));
  }
  if (value.kind == Node::Kind::scalar) return read_condition(key, "$eq", value);
  if (value.kind != Node::Kind::object) {
    return invalid_filter(fmt::format("{} takes a string, a number, a boolean or an object of operators{}",
                                      in_quotes(key), value.kind == Node::Kind::list ? "; $in takes a list" : ""));
  }
  if (value.members.empty()) return invalid_filter(fmt::format("{} has no operator", in_quotes(key)));
  std::vector<Filter> parts;
  parts.reserve(value.members.size());
  for (const auto& [name, operand] : value.members) parts.push_back(TRY(read_condition(key, name, operand)));
  return joined(std::move(parts));
}

// One `"$contains": …` of `where_document`.
Result<DocumentFilter> read_member(const std::string& key, const Node& value, DocumentFilter*) {
  if (!is_operator_name(key)) {
    return invalid_filter(
        fmt::format("{} is no operator; where_document takes $contains, $not_contains, $and and $or", in_quotes(key)));
  }
  const FilterOperator* op = find_operator(key);
  if (op == nullptr) return unsupported_filter(fmt::format("unknown filter operator {} on a document", in_quotes(key)));
  if (*op != FilterOperator::contains && *op != FilterOperator::not_contains) {
    return unsupported_filter(
        fmt::format("{} is no operator for documents; they have $contains and $not_contains", key));
  }
  const auto* text = value.kind == Node::Kind::scalar ? std::get_if<std::string>(&value.scalar) : nullptr;
  if (text == nullptr) return invalid_filter(fmt::format("{} on a document takes a string", key));
  return DocumentFilter::of({.op = *op, .text = *text});
}

template <typename Leaf>
Result<FilterTree<Leaf>> read_tree(const Node& node) {
  if (node.kind != Node::Kind::object) return invalid_filter("a filter is a JSON object");
  std::vector<FilterTree<Leaf>> parts;
  parts.reserve(node.members.size());
  for (const auto& [key, value] : node.members) {
    if (key == "$and" || key == "$or") {
      parts.push_back(TRY(read_combination<Leaf>(key, value)));
    } else {
      parts.push_back(TRY(read_member(key, value, static_cast<FilterTree<Leaf>*>(nullptr))));
    }
  }
  return joined(std::move(parts));
}

template <typename Leaf>
Result<FilterTree<Leaf>> parse_tree(std::string_view json) {
  const Node node = TRY(read_node(json));
  FilterTree<Leaf> tree = TRY(read_tree<Leaf>(node));
  TRY(check_filter(tree));
  return tree;
}

Json scalar_to_json(const MetadataValue& value) {
  return std::visit([](const auto& v) { return Json(v); }, value);
}

Json leaf_to_json(const Condition& condition) {
  if (condition.op == FilterOperator::in || condition.op == FilterOperator::nin) {
    Json operands = Json::array();
    for (const MetadataValue& operand : condition.operands) operands.push_back(scalar_to_json(operand));
    return {{condition.key, {{to_string(condition.op), std::move(operands)}}}};
  }
  Json operand = condition.operands.empty() ? Json() : scalar_to_json(condition.operands.front());
  if (condition.op == FilterOperator::eq) return {{condition.key, std::move(operand)}};
  return {{condition.key, {{to_string(condition.op), std::move(operand)}}}};
}

Json leaf_to_json(const TextCondition& condition) { return {{to_string(condition.op), condition.text}}; }

template <typename Leaf>
Json tree_to_json(const FilterTree<Leaf>& tree) {
  if (tree.kind == FilterTree<Leaf>::Kind::leaf) return leaf_to_json(tree.leaf);
  if (tree.is_empty()) return Json::object();
  Json parts = Json::array();
  for (const FilterTree<Leaf>& child : tree.children) parts.push_back(tree_to_json(child));
  Json object = Json::object();
  object[tree.kind == FilterTree<Leaf>::Kind::all ? "$and" : "$or"] = std::move(parts);
  return object;
}

// A filter that check_filter refuses may hold bytes that are not UTF-8; printing it for a message must not throw.
std::string dump(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

}  // namespace

Result<Filter> parse_filter(std::string_view json) { return parse_tree<Condition>(json); }
Result<DocumentFilter> parse_document_filter(std::string_view json) { return parse_tree<TextCondition>(json); }

std::string to_json(const Filter& filter) { return dump(tree_to_json(filter)); }
std::string to_json(const DocumentFilter& filter) { return dump(tree_to_json(filter)); }

}  // namespace loci
