#include <limits>
#include <utility>

#include "base/utf8.h"
#include "ops/json_reader.h"
#include "ops/record_line.h"
#include "store/contract.h"

namespace loci {
namespace {

Error unknown_field(const JsonReader& reader, const std::string& name, std::string_view place) {
  return reader.error("unknown field " + in_quotes(name) + std::string(place));
}

// True when the value is null, which is then read.
Result<bool> take_null(JsonReader& reader) {
  if (reader.peek() != JsonKind::null) return false;
  TRY(reader.null());
  return true;
}

Result<std::int64_t> read_integer(JsonReader& reader) {
  const std::string_view number = TRY(reader.number());
  if (!is_integer(number)) return reader.error("this number should be an integer");
  return integer_value(number);
}

Result<Embedding> read_vector(JsonReader& reader) {
  Embedding vector;
  const auto read_element = [&]() -> Status {
    const std::string_view number = TRY(reader.number());
    vector.push_back(TRY(float_value(number)));
    return ok_status();
  };
  TRY(reader.array(read_element));
  return vector;
}

Result<MetadataValue> read_scalar(JsonReader& reader) {
  switch (reader.peek()) {
    case JsonKind::string: return MetadataValue(TRY(reader.string()));
    case JsonKind::boolean: return MetadataValue(TRY(reader.boolean()));
    case JsonKind::number: {
      const std::string_view number = TRY(reader.number());
      if (is_integer(number)) return MetadataValue(TRY(integer_value(number)));
      return MetadataValue(TRY(real_value(number)));
    }
    case JsonKind::none: return reader.error("this is not JSON; here should be a value");
    default: break;
  }
  return reader.error("a metadata value is a string, a number, true, false or a list of one of these, but here is " +
                      std::string(to_string(reader.peek())));
}

// Makes the list of the element's type, or appends to it.
Status append_element(MetadataValue& list, bool is_first, MetadataValue element, const JsonReader& reader) {
  return std::visit(
      [&](auto& value) -> Status {
        using Element = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<Element, std::string> || std::is_arithmetic_v<Element>) {
          if (is_first) list = std::vector<Element>{};
          auto* elements = std::get_if<std::vector<Element>>(&list);
          if (elements == nullptr)
            return reader.error("all elements of a list must be of one type (1 and 1.0 are of two)");
          elements->push_back(std::move(value));
        }
        return ok_status();
      },
      element);
}

Result<MetadataValue> read_value(JsonReader& reader) {
  if (reader.peek() != JsonKind::array) return read_scalar(reader);
  MetadataValue list = std::vector<std::string>{};
  bool is_first = true;
  const auto read_element = [&]() -> Status {
    MetadataValue element = TRY(read_scalar(reader));
    return append_element(list, std::exchange(is_first, false), std::move(element), reader);
  };
  TRY(reader.array(read_element));
  return list;
}

Result<Metadata> read_metadata(JsonReader& reader) {
  Metadata metadata;
  const auto read_entry = [&](const std::string& name) -> Status {
    metadata.insert_or_assign(name, TRY(read_value(reader)));
    return ok_status();
  };
  TRY(reader.object(read_entry));
  return metadata;
}

Result<UniqueKey> read_key(JsonReader& reader) {
  UniqueKey key;
  int fields = 0;
  const auto read_field = [&](const std::string& name) -> Status {
    ++fields;
    if (name == "source") {
      key.source = TRY(reader.string());
    } else if (name == "content_hash") {
      key.content_hash = TRY(reader.string());
    } else if (name == "occurrence") {
      key.occurrence = TRY(read_integer(reader));
    } else {
      return unknown_field(reader, name, " in loci.key");
    }
    return ok_status();
  };
  TRY(reader.object(read_field));
  if (fields != 3) return reader.error("loci.key needs source, content_hash and occurrence");
  return key;
}

Result<Link> read_link(JsonReader& reader) {
  Link link;
  int fields = 0;
  const auto read_field = [&](const std::string& name) -> Status {
    ++fields;
    if (name == "kind") {
      link.kind = TRY(reader.string());
    } else if (name == "target_id") {
      link.target_id = TRY(reader.string());
    } else {
      return unknown_field(reader, name, " in loci.links");
    }
    return ok_status();
  };
  TRY(reader.object(read_field));
  if (fields != 2) return reader.error("a link needs kind and target_id");
  return link;
}

Status read_detail(JsonReader& reader, const std::string& name, RecordDetails& details, NamedDetails& named) {
  if (name == "key") {
    details.key = TRY(read_key(reader));
  } else if (name == "links") {
    named.links = true;
    return reader.array([&]() -> Status {
      details.links.push_back(TRY(read_link(reader)));
      return ok_status();
    });
  } else if (name == "use_count") {
    named.use_count = true;
    details.use_count = TRY(read_integer(reader));
  } else if (name == "created_at") {
    named.created_at = true;
    details.created_at = TRY(read_integer(reader));
  } else if (name == "updated_at") {
    named.updated_at = true;
    details.updated_at = TRY(read_integer(reader));
  } else {
    return unknown_field(reader, name, " in loci; a newer Loci may have written it");
  }
  return ok_status();
}

// One member of the object `loci`.
Status read_loci_member(JsonReader& reader, const std::string& name, RecordLine& line) {
  if (name == "metric") {
    line.metric = parse_distance_metric(TRY(reader.string()));
    return line.metric ? ok_status() : reader.error("a metric is cosine, l2 or ip");
  }
  if (name == "model") {
    line.model = TRY(reader.string());
    return ok_status();
  }
  if (name == "dimension") {
    const std::int64_t dimension = TRY(read_integer(reader));
    if (dimension < 1 || dimension > std::numeric_limits<std::int32_t>::max())
      return reader.error("a dimension is at least 1");
    line.dimension = static_cast<std::size_t>(dimension);
    return ok_status();
  }
  if (!line.record.details) line.record.details.emplace();
  return read_detail(reader, name, *line.record.details, line.named);
}

// The fields of a line, as they come.
class LineReader {
 public:
  explicit LineReader(std::string_view text) : reader_(text) {}

  Result<RecordLine> read() {
    TRY(reader_.object([&](const std::string& name) { return read_field(name); }));
    TRY(reader_.end());
    if (!has_id_) return reader_.error("the field id is missing");
    if (!has_document_) return reader_.error("the field document is missing");
    return std::move(line_);
  }

 private:
  Status read_field(const std::string& name) {
    if (name == "id") {
      line_.record.id = TRY(reader_.string());
      has_id_ = true;
      return ok_status();
    }
    if (name == "document") has_document_ = true;
    // Other programs write null for what a record does not have.
    const bool is_null = TRY(take_null(reader_));
    if (is_null) return ok_status();
    if (name == "collection") {
      line_.collection = TRY(reader_.string());
      return line_.collection.empty() ? reader_.error("the name of the collection is empty") : ok_status();
    }
    if (name == "document") {
      line_.record.document = TRY(reader_.string());
    } else if (name == "metadata") {
      line_.record.metadata = TRY(read_metadata(reader_));
    } else if (name == "embedding") {
      line_.record.embedding = TRY(read_vector(reader_));
    } else if (name == "loci") {
      return reader_.object([&](const std::string& member) { return read_loci_member(reader_, member, line_); });
    } else {
      return unknown_field(reader_, name, "; what else a record has belongs into its metadata");
    }
    return ok_status();
  }

  JsonReader reader_;
  RecordLine line_;
  bool has_id_ = false;
  bool has_document_ = false;
};

}  // namespace

Result<RecordLine> parse_record_line(std::string_view line) {
  if (!is_valid_utf8(line)) return Error{ErrorKind::invalid_argument, "the line is not valid UTF-8"};
  return LineReader(line).read();
}

}  // namespace loci
