#include "store/chroma/json_text.h"

#include <cmath>
#include <limits>

#include "store/chroma/json.h"

namespace loci::chroma {
namespace {

constexpr std::size_t kDeepestJson = 64;

// Python's NaN and Infinity become null; they stand where a value may, never inside a text.
std::string without_python_numbers(std::string_view json) {
  std::string text;
  text.reserve(json.size());
  bool inside_text = false;
  for (std::size_t i = 0; i < json.size(); ++i) {
    const char c = json[i];
    if (inside_text) {
      text += c;
      if (c == '\\' && i + 1 < json.size()) text += json[++i];
      if (c == '"') inside_text = false;
      continue;
    }
    const std::string_view rest = json.substr(i);
    bool is_replaced = false;
    for (const std::string_view token : {"-Infinity", "Infinity", "NaN"}) {
      if (!rest.starts_with(token)) continue;
      text += token == "NaN" ? "\"\\u0001NaN\"" : token[0] == '-' ? "\"\\u0001-Inf\"" : "\"\\u0001Inf\"";
      i += token.size() - 1;
      is_replaced = true;
      break;
    }
    if (is_replaced) continue;
    inside_text = c == '"';
    text += c;
  }
  return text;
}

Json parse(std::string_view text) {
  std::size_t depth = 0;
  bool is_too_deep = false;
  Json json = Json::parse(
      text,
      [&](int level, Json::parse_event_t, Json&) {
        depth = static_cast<std::size_t>(level);
        if (depth > kDeepestJson) is_too_deep = true;
        return !is_too_deep;
      },
      /*allow_exceptions=*/false);
  return is_too_deep ? Json() : json;
}

template <typename T>
std::optional<MetadataValue> list_of(const Json& json, bool (Json::*is_type)() const noexcept) {
  std::vector<T> values;
  for (const Json& element : json) {
    if (!(element.*is_type)()) return {};
    values.push_back(element.get<T>());
  }
  return values;
}

std::optional<MetadataValue> value_of(const Json& json) {
  if (json.is_string()) {
    const std::string& text = json.get_ref<const std::string&>();
    if (text == "\x01NaN") return std::numeric_limits<double>::quiet_NaN();
    if (text == "\x01Inf") return std::numeric_limits<double>::infinity();
    if (text == "\x01-Inf") return -std::numeric_limits<double>::infinity();
    return text;
  }
  if (json.is_boolean()) return json.get<bool>();
  if (json.is_number_unsigned() && json.get<std::uint64_t>() > std::numeric_limits<std::int64_t>::max())
    return json.get<double>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number_float()) return json.get<double>();
  if (!json.is_array() || json.empty()) return {};
  if (json[0].is_string()) return list_of<std::string>(json, &Json::is_string);
  if (json[0].is_boolean()) return list_of<bool>(json, &Json::is_boolean);
  if (json[0].is_number_integer()) {
    if (auto integers = list_of<std::int64_t>(json, &Json::is_number_integer)) return integers;
  }
  return list_of<double>(json, &Json::is_number);
}

// The value below a path of names; null when there is none.
const Json* below(const Json& json, std::initializer_list<const char*> path) {
  const Json* at = &json;
  for (const char* name : path) {
    if (!at->is_object()) return nullptr;
    const auto found = at->find(name);
    if (found == at->end()) return nullptr;
    at = &*found;
  }
  return at;
}

std::optional<std::string> text_below(const Json& json, std::initializer_list<const char*> path) {
  const Json* found = below(json, path);
  if (found == nullptr || !found->is_string()) return {};
  return found->get<std::string>();
}

std::optional<std::size_t> number_below(const Json& json, std::initializer_list<const char*> path) {
  const Json* found = below(json, path);
  if (found == nullptr || !found->is_number_unsigned()) return {};
  return found->get<std::size_t>();
}

bool is_all_default(const Json& hnsw) {
  const auto is = [&](const char* name, double value) {
    const Json* found = below(hnsw, {name});
    return found == nullptr || (found->is_number() && found->get<double>() == value);
  };
  return text_below(hnsw, {"space"}).value_or("l2") == "l2" && is("ef_construction", 100) && is("ef_search", 100) &&
         is("max_neighbors", 16) && is("resize_factor", 1.2) && is("sync_threshold", 1000);
}

}  // namespace

std::optional<MetadataChanges> parse_metadata_changes(std::string_view text) {
  Json json = parse(text);
  if (json.is_discarded()) json = parse(without_python_numbers(text));
  if (!json.is_object()) return {};
  MetadataChanges changes;
  for (const auto& [key, value] : json.items()) {
    if (value.is_null()) {
      changes.emplace(key, std::nullopt);
    } else if (std::optional<MetadataValue> typed = value_of(value)) {
      changes.emplace(key, std::move(typed));
    }
  }
  return changes;
}

std::string to_json(const MetadataChanges& changes) {
  Json json = Json::object();
  for (const auto& [key, value] : changes) {
    if (!value) {
      json[key] = nullptr;
    } else {
      Json& member = json[key];
      std::visit([&member](const auto& each) { member = each; }, *value);
    }
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Space resolve_space(const SpaceSources& sources) {
  Space space;
  const Json schema = parse(sources.schema);
  const Json configuration = parse(sources.configuration);
  const auto metric_of = [](const std::optional<std::string>& name) {
    return name ? parse_distance_metric(*name) : std::nullopt;
  };
  const std::optional<DistanceMetric> by_legacy =
      sources.segment_space ? metric_of(sources.segment_space) : metric_of(sources.metadata_space);
  for (const auto path :
       {std::initializer_list<const char*>{"keys", "#embedding", "float_list", "vector_index", "config"},
        {"defaults", "float_list", "vector_index", "config"}}) {
    const Json* config = below(schema, path);
    if (config == nullptr) continue;
    if (const auto metric = metric_of(text_below(*config, {"space"}))) {
      space.metric = *metric;
      space.neighbours = number_below(*config, {"hnsw", "max_neighbors"});
      return space;
    }
  }
  if (const Json* hnsw = below(configuration, {"vector_index", "hnsw"}); hnsw != nullptr && hnsw->is_object()) {
    space.neighbours = number_below(*hnsw, {"max_neighbors"});
    if (!(is_all_default(*hnsw) && (sources.segment_has_settings || by_legacy))) {
      space.metric = metric_of(text_below(*hnsw, {"space"})).value_or(DistanceMetric::l2);
      return space;
    }
    space.is_contradicted = by_legacy && *by_legacy != DistanceMetric::l2;
  }
  space.metric = by_legacy.value_or(DistanceMetric::l2);
  if (const auto old = metric_of(text_below(configuration, {"hnsw_configuration", "space"}));
      old && *old != space.metric)
    space.is_contradicted = true;
  return space;
}

std::string configuration_for(DistanceMetric metric) {
  return R"({"vector_index":{"hnsw":{"space":")" + std::string(to_string(metric)) +
         R"(","ef_construction":100,"ef_search":100,"max_neighbors":16,"resize_factor":1.2,"sync_threshold":1000}},)"
         R"("embedding_function":null})";
}

}  // namespace loci::chroma
