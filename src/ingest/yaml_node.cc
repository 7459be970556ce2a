#include "ingest/yaml_node.h"

#include <memory>

#include <yaml.h>

namespace loci {
namespace {

constexpr int kDeepest = 32;

Error yaml_error(std::size_t line, std::string_view what) {
  return {ErrorKind::invalid_argument, "line " + std::to_string(line) + ": " + std::string(what)};
}

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event_); }

  yaml_event_t* get() { return &event_; }
  yaml_event_type_t type() const { return event_.type; }
  std::size_t line() const { return event_.start_mark.line + 1; }
  std::string scalar() const {
    return {reinterpret_cast<const char*>(event_.data.scalar.value), event_.data.scalar.length};
  }

 private:
  yaml_event_t event_ = {};
};

class Reader {
 public:
  explicit Reader(std::string_view text) {
    yaml_parser_initialize(&parser_);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  Reader(const Reader&) = delete;
  Reader& operator=(const Reader&) = delete;
  ~Reader() { yaml_parser_delete(&parser_); }

  Result<YamlNode> document() {
    while (true) {
      Event event;
      TRY(next(event));
      if (event.type() == YAML_STREAM_END_EVENT) return YamlNode{.kind = YamlNode::Kind::map, .line = 1};
      if (event.type() == YAML_STREAM_START_EVENT || event.type() == YAML_DOCUMENT_START_EVENT) continue;
      return node(event, 0);
    }
  }

 private:
  Status next(Event& event) {
    if (yaml_parser_parse(&parser_, event.get()) == 1) return {};
    return yaml_error(parser_.problem_mark.line + 1, parser_.problem != nullptr ? parser_.problem : "this is no YAML");
  }

  Result<YamlNode> node(const Event& event, int depth) {
    if (depth > kDeepest) return yaml_error(event.line(), "it is nested too deep");
    YamlNode node{.line = event.line()};
    switch (event.type()) {
      case YAML_SCALAR_EVENT: node.text = event.scalar(); return node;
      case YAML_SEQUENCE_START_EVENT: node.kind = YamlNode::Kind::list; return list(std::move(node), depth);
      case YAML_MAPPING_START_EVENT: node.kind = YamlNode::Kind::map; return map(std::move(node), depth);
      default: return yaml_error(event.line(), "anchors and aliases are not for configuration; write it out");
    }
  }

  Result<YamlNode> list(YamlNode list, int depth) {
    while (true) {
      Event event;
      TRY(next(event));
      if (event.type() == YAML_SEQUENCE_END_EVENT) return list;
      list.items.push_back(TRY(node(event, depth + 1)));
    }
  }

  Result<YamlNode> map(YamlNode map, int depth) {
    while (true) {
      Event key;
      TRY(next(key));
      if (key.type() == YAML_MAPPING_END_EVENT) return map;
      if (key.type() != YAML_SCALAR_EVENT) return yaml_error(key.line(), "a key must be a text");
      Event value;
      TRY(next(value));
      map.pairs.emplace_back(key.scalar(), TRY(node(value, depth + 1)));
    }
  }

  yaml_parser_t parser_ = {};
};

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (const auto& [name, value] : pairs) {
    if (name == key) return &value;
  }
  return nullptr;
}

Result<YamlNode> parse_yaml(std::string_view text) { return Reader(text).document(); }

}  // namespace loci
