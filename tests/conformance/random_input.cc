#include "tests/conformance/random_input.h"

#include <limits>

namespace loci::conformance {
namespace {

// Words of different stems, so that every tokenizer tells them apart.
const std::vector<std::string> kWords{"zebra", "lynx", "otter", "fjord", "quartz", "kiwi", "moss", "größe", "лиса"};
const std::vector<std::string> kKeys{"wing", "room", "n", "flag", "ключ"};
const std::vector<std::string> kTexts{"", "a", "b", "work", "home", "workhome", "1", "é"};
const std::vector<std::int64_t> kIntegers{-1, 0, 1, 2, 7, std::int64_t{1} << 53, (std::int64_t{1} << 53) + 1};
const std::vector<double> kReals{-1.5, 0.0, 0.5, 1.0, 2.0, 7.25, 9007199254740992.0};

}  // namespace

std::string RandomInput::id() { return "id" + std::to_string(below(60)); }

std::vector<std::string> RandomInput::ids() {
  std::vector<std::string> ids;
  for (std::size_t n = below(6); n > 0; --n) ids.push_back(id());
  return ids;
}

std::string RandomInput::words() {
  std::string text = pick(kWords);
  for (std::size_t n = below(3); n > 0; --n) text += " " + pick(kWords);
  return text;
}

std::string RandomInput::document() {
  if (one_in(8)) return "";
  return one_in(4) ? words() + "\n" + words() : words();
}

Embedding RandomInput::vector() {
  Embedding vector(kDimension);
  const bool is_coarse = one_in(2);  // small integers make ties
  do {
    for (float& component : vector) {
      component = static_cast<float>(below(is_coarse ? 3 : 20'001)) - (is_coarse ? 1.0F : 10'000.0F);
    }
  } while (vector == Embedding(kDimension));
  return vector;
}

MetadataValue RandomInput::scalar() {
  switch (below(4)) {
    case 0: return pick(kTexts);
    case 1: return pick(kIntegers);
    case 2: return pick(kReals);
    default: return one_in(2);
  }
}

MetadataValue RandomInput::value() {
  if (lists_ == UseLists::no || !one_in(5)) return scalar();
  if (one_in(2)) return std::vector<std::string>{pick(kTexts), pick(kTexts)};
  if (one_in(2)) return std::vector<std::int64_t>{pick(kIntegers)};
  if (one_in(2)) return std::vector<double>{pick(kReals), pick(kReals), pick(kReals)};
  return std::vector<bool>{one_in(2)};
}

Metadata RandomInput::metadata() {
  Metadata metadata;
  for (std::size_t n = below(4); n > 0; --n) metadata.insert_or_assign(pick(kKeys), value());
  return metadata;
}

Record RandomInput::record() {
  Record record{.id = id(), .document = document(), .metadata = metadata()};
  if (!one_in(5) || waiting_ == UseWaiting::no) record.embedding = vector();
  if (keys_ == UseKeys::yes && one_in(3)) {
    UniqueKey key{.source = "source" + std::to_string(below(3)),
                  .content_hash = std::string(64, static_cast<char>('a' + below(4))),
                  .occurrence = static_cast<std::int64_t>(below(3))};
    record.details = RecordDetails{.key = std::move(key), .links = {}};
  }
  return record;
}

void RandomInput::spoil(std::vector<Record>& batch) {
  Record& record = batch[below(batch.size())];
  switch (below(6)) {
    case 0: batch.push_back(batch.front()); break;
    case 1: record.embedding = Embedding{1, 2, 3}; break;
    case 2: record.embedding = Embedding(kDimension, std::numeric_limits<float>::quiet_NaN()); break;
    case 3: record.id.clear(); break;
    case 4: record.document = "\xff"; break;
    default: record.metadata.emplace("", true); break;
  }
}

std::vector<Record> RandomInput::batch() {
  std::vector<Record> batch;
  for (std::size_t n = 1 + below(4); n > 0; --n) batch.push_back(record());
  if (one_in(10)) spoil(batch);
  return batch;
}

std::vector<RecordUpdate> RandomInput::updates() {
  std::vector<RecordUpdate> updates;
  for (std::size_t n = 1 + below(3); n > 0; --n) {
    RecordUpdate& update = updates.emplace_back(RecordUpdate{.id = id()});
    if (one_in(2)) update.document = document();
    if (one_in(2)) update.metadata = metadata();
    if (one_in(3) || (update.document && waiting_ == UseWaiting::no)) {
      update.embedding = one_in(15) ? Embedding{1, 2} : vector();
    }
  }
  return updates;
}

Filter RandomInput::condition() {
  constexpr FilterOperator kOperators[] = {FilterOperator::eq,          FilterOperator::ne,  FilterOperator::in,
                                           FilterOperator::nin,         FilterOperator::gt,  FilterOperator::gte,
                                           FilterOperator::lt,          FilterOperator::lte, FilterOperator::contains,
                                           FilterOperator::not_contains};
  Condition condition{.key = pick(kKeys), .op = kOperators[below(std::size(kOperators))], .operands = {}};
  const bool is_range = condition.op >= FilterOperator::gt && condition.op <= FilterOperator::lte;
  if (condition.op == FilterOperator::in || condition.op == FilterOperator::nin) {
    for (std::size_t n = below(4); n > 0; --n) condition.operands.push_back(scalar());
  } else if (is_range && one_in(2)) {
    condition.operands.emplace_back(pick(kIntegers));
  } else if (is_range) {
    condition.operands.emplace_back(pick(kReals));
  } else {
    condition.operands.push_back(scalar());
  }
  if (one_in(60)) condition.op = static_cast<FilterOperator>(99);
  return Filter::of(std::move(condition));
}

Filter RandomInput::filter(std::size_t depth) {
  if (depth == 0 || one_in(2)) return condition();
  std::vector<Filter> parts;
  for (std::size_t n = 1 + below(3); n > 0; --n) parts.push_back(filter(depth - 1));
  return one_in(2) ? Filter::all_of(std::move(parts)) : Filter::any_of(std::move(parts));
}

DocumentFilter RandomInput::document_filter(std::size_t depth) {
  if (depth == 0 || !one_in(3)) {
    const FilterOperator op = one_in(3) ? FilterOperator::not_contains : FilterOperator::contains;
    const std::string word = pick(kWords);
    return DocumentFilter::of({.op = op, .text = one_in(2) ? word : word.substr(0, 2)});
  }
  std::vector<DocumentFilter> parts{document_filter(depth - 1), document_filter(depth - 1)};
  return one_in(2) ? DocumentFilter::all_of(std::move(parts)) : DocumentFilter::any_of(std::move(parts));
}

Selection RandomInput::selection() {
  Selection selection;
  if (one_in(2)) selection.ids = ids();
  if (one_in(2)) selection.where = filter();
  if (one_in(4)) selection.where_document = document_filter();
  return selection;
}

Include RandomInput::include() {
  return {.documents = !one_in(4),
          .metadatas = !one_in(4),
          .distances = true,
          .embeddings = one_in(2),
          .details = one_in(2)};
}

}  // namespace loci::conformance
