#include "store/chroma/index_metadata.h"

#include <algorithm>
#include <string_view>
#include <unordered_map>

#include "store/chroma/little_endian.h"

namespace loci::chroma {
namespace {

struct Value {
  enum class Kind : std::uint8_t { none, number, text, map, object, mark } kind = Kind::none;
  std::int64_t number = 0;     // or the index of a map
  std::string_view text = {};  // in the file
};

// Runs the program; for one file.
class Unpickler {
 public:
  explicit Unpickler(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  // Empty when it ended as it should.
  std::string run();
  // The map of the outermost object, or what there is of it when the file was cut.
  std::optional<Value> field(std::string_view name) const;
  // The pairs of a map, with those that were not put into it yet.
  std::vector<std::pair<Value, Value>> pairs(const Value& map) const;

 private:
  enum class Next { go_on, stop, fail };
  Next step(std::uint8_t instruction);
  Next push(Value value) {
    stack_.push_back(value);
    return Next::go_on;
  }
  Next push_map();
  template <typename Length>
  Next push_text();
  template <typename Number>
  Next push_number();
  Next push_long(std::size_t size);
  Next set_items();
  Next set_item();
  Next pop(std::size_t count);
  Next remember(std::uint64_t index);
  Next recall(std::uint64_t index);
  Next skip_line();
  template <typename Number>
  std::optional<Number> take();
  std::optional<std::size_t> last_mark() const;

  const std::span<const std::uint8_t> bytes_;
  std::size_t at_ = 0;
  std::vector<Value> stack_;
  std::vector<std::vector<std::pair<Value, Value>>> maps_;
  std::unordered_map<std::uint64_t, Value> memo_;
};

std::string Unpickler::run() {
  while (at_ < bytes_.size()) {
    const std::size_t begin = at_;
    const std::uint8_t instruction = bytes_[at_++];
    switch (step(instruction)) {
      case Next::go_on: break;
      case Next::stop: return {};
      case Next::fail: at_ = begin; return "cannot be read from byte " + std::to_string(begin) + " on";
    }
  }
  return bytes_.empty() ? "is empty" : "is cut off at byte " + std::to_string(bytes_.size());
}

Unpickler::Next Unpickler::step(std::uint8_t instruction) {
  using Kind = Value::Kind;
  switch (instruction) {
    case 0x80: return take<std::uint8_t>() ? Next::go_on : Next::fail;   // protocol
    case 0x95: return take<std::uint64_t>() ? Next::go_on : Next::fail;  // frame
    case '.': return Next::stop;
    case 'N': return push({});
    case 0x88:
    case 0x89: return push({.kind = Kind::number, .number = instruction == 0x88 ? 1 : 0});
    case '}': return push_map();
    case ')': return push({.kind = Kind::object});
    case '(': return push({.kind = Kind::mark});
    case 's': return set_item();
    case 'u': return set_items();
    case 'J': return push_number<std::int32_t>();
    case 'K': return push_number<std::uint8_t>();
    case 'M': return push_number<std::uint16_t>();
    case 0x8a: {
      const auto size = take<std::uint8_t>();
      return size ? push_long(*size) : Next::fail;
    }
    case 0x8b: {
      const auto size = take<std::uint32_t>();
      return size ? push_long(*size) : Next::fail;
    }
    case 0x8c: return push_text<std::uint8_t>();
    case 'X': return push_text<std::uint32_t>();
    case 0x8d: return push_text<std::uint64_t>();
    case 0x94: return remember(memo_.size());
    case 'q': {
      const auto index = take<std::uint8_t>();
      return index ? remember(*index) : Next::fail;
    }
    case 'r': {
      const auto index = take<std::uint32_t>();
      return index ? remember(*index) : Next::fail;
    }
    case 'h': {
      const auto index = take<std::uint8_t>();
      return index ? recall(*index) : Next::fail;
    }
    case 'j': {
      const auto index = take<std::uint32_t>();
      return index ? recall(*index) : Next::fail;
    }
    case 'c': {  // a name of a class: two lines
      const bool is_there = skip_line() == Next::go_on && skip_line() == Next::go_on;
      return is_there ? push({.kind = Kind::object}) : Next::fail;
    }
    case 0x93:  // the same from two texts
    case 0x81:  // an object of that class, from its arguments
    case 'R': return pop(2) == Next::go_on ? push({.kind = Kind::object}) : Next::fail;
    case 'b': {  // the state of an object is all that we want of it
      if (stack_.size() < 2) return Next::fail;
      const Value state = stack_.back();
      pop(2);
      return push(state);
    }
    default: return Next::fail;
  }
}

template <typename Number>
std::optional<Number> Unpickler::take() {
  const std::optional<Number> number = load<Number>(bytes_, at_);
  if (number) at_ += sizeof(Number);
  return number;
}

Unpickler::Next Unpickler::push_map() {
  maps_.emplace_back();
  return push({.kind = Value::Kind::map, .number = static_cast<std::int64_t>(maps_.size() - 1)});
}

template <typename Length>
Unpickler::Next Unpickler::push_text() {
  const std::optional<Length> size = take<Length>();
  if (!size || *size > bytes_.size() - at_) return Next::fail;
  const std::string_view text(reinterpret_cast<const char*>(bytes_.data()) + at_, static_cast<std::size_t>(*size));
  at_ += text.size();
  return push({.kind = Value::Kind::text, .text = text});
}

template <typename Number>
Unpickler::Next Unpickler::push_number() {
  const std::optional<Number> number = take<Number>();
  return number ? push({.kind = Value::Kind::number, .number = *number}) : Next::fail;
}

Unpickler::Next Unpickler::push_long(std::size_t size) {
  if (size > 8 || size > bytes_.size() - at_) return Next::fail;
  std::uint64_t number = 0;
  for (std::size_t i = 0; i < size; ++i) number |= std::uint64_t{bytes_[at_ + i]} << (8 * i);
  const bool is_negative = size > 0 && (bytes_[at_ + size - 1] & 0x80) != 0;
  if (is_negative && size < 8) number |= ~std::uint64_t{0} << (8 * size);
  at_ += size;
  return push({.kind = Value::Kind::number, .number = static_cast<std::int64_t>(number)});
}

std::optional<std::size_t> Unpickler::last_mark() const {
  for (std::size_t i = stack_.size(); i-- > 0;) {
    if (stack_[i].kind == Value::Kind::mark) return i;
  }
  return {};
}

Unpickler::Next Unpickler::set_items() {
  const std::optional<std::size_t> mark = last_mark();
  if (!mark || *mark == 0 || stack_[*mark - 1].kind != Value::Kind::map || (stack_.size() - *mark) % 2 == 0)
    return Next::fail;
  auto& map = maps_[static_cast<std::size_t>(stack_[*mark - 1].number)];
  for (std::size_t i = *mark + 1; i < stack_.size(); i += 2) map.emplace_back(stack_[i], stack_[i + 1]);
  stack_.resize(*mark);
  return Next::go_on;
}

Unpickler::Next Unpickler::set_item() {
  if (stack_.size() < 3 || stack_[stack_.size() - 3].kind != Value::Kind::map) return Next::fail;
  auto& map = maps_[static_cast<std::size_t>(stack_[stack_.size() - 3].number)];
  map.emplace_back(stack_[stack_.size() - 2], stack_.back());
  return pop(2);
}

Unpickler::Next Unpickler::pop(std::size_t count) {
  if (stack_.size() < count) return Next::fail;
  stack_.resize(stack_.size() - count);
  return Next::go_on;
}

Unpickler::Next Unpickler::remember(std::uint64_t index) {
  if (stack_.empty()) return Next::fail;
  memo_[index] = stack_.back();
  return Next::go_on;
}

Unpickler::Next Unpickler::recall(std::uint64_t index) {
  const auto found = memo_.find(index);
  return found == memo_.end() ? Next::fail : push(found->second);
}

Unpickler::Next Unpickler::skip_line() {
  while (at_ < bytes_.size()) {
    if (bytes_[at_++] == '\n') return Next::go_on;
  }
  return Next::fail;
}

std::optional<Value> Unpickler::field(std::string_view name) const {
  const auto is_it = [&](const Value& key) { return key.kind == Value::Kind::text && key.text == name; };
  std::optional<Value> found;
  // The outermost map is the first one; what is not in it yet lies on the stack as key, value, key, value.
  if (!maps_.empty()) {
    for (const auto& [key, value] : maps_.front()) {
      if (is_it(key)) found = value;
    }
  }
  for (std::size_t i = 0; !found && i + 1 < stack_.size(); ++i) {
    if (is_it(stack_[i])) found = stack_[i + 1];
  }
  return found;
}

std::vector<std::pair<Value, Value>> Unpickler::pairs(const Value& map) const {
  if (map.kind != Value::Kind::map) return {};
  std::vector<std::pair<Value, Value>> pairs = maps_[static_cast<std::size_t>(map.number)];
  for (std::size_t i = 0; i + 1 < stack_.size(); ++i) {
    const bool is_open =
        stack_[i].kind == Value::Kind::map && stack_[i].number == map.number && stack_[i + 1].kind == Value::Kind::mark;
    for (std::size_t j = i + 2; is_open && j + 1 < stack_.size(); j += 2) pairs.emplace_back(stack_[j], stack_[j + 1]);
    if (is_open) break;
  }
  return pairs;
}

}  // namespace

IndexMetadata parse_index_metadata(std::span<const std::uint8_t> bytes) {
  using Kind = Value::Kind;
  IndexMetadata metadata;
  Unpickler unpickler(bytes);
  metadata.problem = unpickler.run();
  if (const auto total = unpickler.field("total_elements_added"); total && total->kind == Kind::number)
    metadata.total_elements_added = static_cast<std::uint64_t>(total->number);
  if (const auto seq = unpickler.field("max_seq_id"); seq && seq->kind == Kind::number)
    metadata.max_seq_id = seq->number;
  if (const auto seqs = unpickler.field("id_to_seq_id"); seqs && metadata.problem.empty()) {
    for (const auto& [id, seq] : unpickler.pairs(*seqs)) {
      if (seq.kind == Kind::number) metadata.last_seq = std::max(metadata.last_seq, seq.number);
    }
  }
  const std::optional<Value> labels = unpickler.field("id_to_label");
  if (!labels || labels->kind != Kind::map) {
    if (metadata.problem.empty()) metadata.problem = "has no labels";
    return metadata;
  }
  for (const auto& [id, label] : unpickler.pairs(*labels)) {
    if (id.kind == Kind::text && label.kind == Kind::number && label.number > 0)
      metadata.labels.emplace_back(id.text, static_cast<std::uint64_t>(label.number));
  }
  return metadata;
}

}  // namespace loci::chroma
