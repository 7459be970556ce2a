#include "store/chroma/server_records.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <utility>

namespace loci::chroma {
namespace {

static_assert(std::endian::native == std::endian::little, "vectors travel with their little end first");

Error wrong_shape() { return {ErrorKind::io, "the Chroma server gave an answer of an unknown shape"}; }

Result<Metadata> metadata_from(const Json& object) {
  Metadata metadata;
  if (object.is_null()) return metadata;
  if (!object.is_object()) return wrong_shape();
  for (const auto& [key, value] : object.items()) {
    if (value.is_string()) {
      metadata.emplace(key, value.get<std::string>());
    } else if (value.is_boolean()) {
      metadata.emplace(key, value.get<bool>());
    } else if (value.is_number_integer()) {
      metadata.emplace(key, value.get<std::int64_t>());
    } else if (value.is_number_float()) {
      metadata.emplace(key, value.get<double>());
    } else if (value.is_array() && !value.empty() && value.front().is_string()) {
      metadata.emplace(key, value.get<std::vector<std::string>>());
    } else if (!value.is_null()) {
      return Error{ErrorKind::unsupported,
                   "the Chroma server gave the metadata \"" + key + "\" a type that is not known"};
    }
  }
  return metadata;
}

// The list of that name, one entry per id; null when it was not asked for.
const Json* list_at(const Json& answer, const char* name, std::size_t size) {
  const auto found = answer.find(name);
  return found != answer.end() && found->is_array() && found->size() == size ? &*found : nullptr;
}

Result<Record> record_from(const Json& id, const Json* document, const Json* metadata, const Json* embedding) {
  if (!id.is_string()) return wrong_shape();
  Record record{.id = id.get<std::string>()};
  if (document != nullptr && document->is_string()) record.document = document->get<std::string>();
  if (metadata != nullptr) record.metadata = TRY(metadata_from(*metadata));
  if (embedding != nullptr && embedding->is_array()) {
    record.embedding.emplace().reserve(embedding->size());
    for (const Json& component : *embedding) {
      if (!component.is_number()) return wrong_shape();
      record.embedding->push_back(component.get<float>());
    }
  }
  return record;
}

}  // namespace

std::string base64_of(std::span<const float> vector) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  const auto* bytes = reinterpret_cast<const unsigned char*>(vector.data());
  const std::size_t size = vector.size_bytes();
  std::string text;
  text.reserve((size + 2) / 3 * 4);
  for (std::size_t at = 0; at < size; at += 3) {
    const std::size_t left = std::min<std::size_t>(3, size - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) bits = bits << 8U | (i < left ? bytes[at + i] : 0U);
    for (std::size_t i = 0; i < 4; ++i) text += i <= left ? kDigits[bits >> (18 - 6 * i) & 63U] : '=';
  }
  return text;
}

Json metadata_to_json(const Metadata& metadata, const Metadata& old) {
  Json object = Json::object();
  for (const auto& [key, value] : old) {
    if (!metadata.contains(key)) object[key] = nullptr;
  }
  for (const auto& [key, value] : metadata) {
    std::visit([&, &name = key](const auto& each) { object[name] = each; }, value);
  }
  return object.empty() ? Json() : object;
}

Result<std::vector<Record>> records_from_get(const Json& answer) {
  const auto ids = answer.find("ids");
  if (ids == answer.end() || !ids->is_array()) return wrong_shape();
  const Json* documents = list_at(answer, "documents", ids->size());
  const Json* metadatas = list_at(answer, "metadatas", ids->size());
  const Json* embeddings = list_at(answer, "embeddings", ids->size());
  std::vector<Record> records;
  records.reserve(ids->size());
  for (std::size_t i = 0; i < ids->size(); ++i) {
    const auto entry = [&](const Json* list) { return list == nullptr ? nullptr : &(*list)[i]; };
    records.push_back(TRY(record_from((*ids)[i], entry(documents), entry(metadatas), entry(embeddings))));
  }
  return records;
}

}  // namespace loci::chroma
