#include "store/embedded/row_embedder.h"

#include <span>
#include <string_view>
#include <utility>

#include "store/embedded/checksum.h"
#include "store/identity.h"

namespace loci::embedded {
namespace {

constexpr std::size_t kMostBytes = std::size_t{8} << 20;  // of vectors that are remembered

// The vectors of all these texts; of those that the embedder refuses, found by halving, the reason.
struct Answer {
  std::vector<std::optional<Embedding>> vectors = {};
  std::vector<std::string> refusals = {};
};

Status embed_one_by_one(const Embedder& embedder, std::span<const std::string> texts, Answer& answer) {
  Result<std::vector<Embedding>> vectors = embed_texts(embedder, texts);
  if (!vectors.ok() && vectors.error().kind != ErrorKind::invalid_argument) return vectors.error();
  if (!vectors.ok() && texts.size() > 1) {
    TRY(embed_one_by_one(embedder, texts.first(texts.size() / 2), answer));
    return embed_one_by_one(embedder, texts.subspan(texts.size() / 2), answer);
  }
  for (std::size_t i = 0; i < texts.size(); ++i) {
    answer.vectors.push_back(vectors.ok() ? std::optional(std::move((*vectors)[i])) : std::nullopt);
    answer.refusals.push_back(vectors.ok() ? "" : vectors.error().message);
  }
  return {};
}

Result<Answer> embed_what_is_accepted(const Embedder& embedder, const std::vector<std::string>& texts) {
  Answer answer;
  Result<std::vector<Embedding>> vectors = embed_texts(embedder, texts);
  if (vectors.ok()) {
    for (Embedding& vector : *vectors) answer.vectors.emplace_back(std::move(vector));
    answer.refusals.resize(texts.size());
    return answer;
  }
  // A key that is not accepted, or a model that embeds nothing, refuses this text as well.
  const std::string plain = "ready";
  if (vectors.error().kind != ErrorKind::invalid_argument || !embed_texts(embedder, {&plain, 1}).ok())
    return vectors.error();
  TRY(embed_one_by_one(embedder, texts, answer));
  return answer;
}

}  // namespace

// One of the different texts of a batch.
struct RowEmbedder::Text {
  Sha256 key;
  const std::string* text;
  std::optional<Embedding> vector = {};
  std::string refusal = {};
};

Result<std::vector<EmbeddedRow>> RowEmbedder::embed(const Embedder& embedder, const std::vector<PendingRow>& rows) {
  std::map<std::string_view, std::size_t> number_of;  // of a text among the different ones
  std::vector<Text> texts;
  for (const PendingRow& row : rows) {
    if (row.is_damaged) continue;
    if (number_of.emplace(row.text, texts.size()).second)
      texts.push_back({.key = sha256(embedder.model_name() + '\n' + row.text), .text = &row.text});
  }
  recall(texts);
  std::vector<std::string> wanted;
  for (const Text& text : texts) {
    if (!text.vector) wanted.push_back(*text.text);
  }
  Answer answer = TRY(embed_what_is_accepted(embedder, wanted));
  std::size_t next = 0;
  for (Text& text : texts) {
    if (text.vector) continue;
    text.vector = std::move(answer.vectors[next]);
    text.refusal = std::move(answer.refusals[next]);
    ++next;
  }
  remember(texts);
  std::vector<EmbeddedRow> embedded;
  for (const PendingRow& row : rows) {
    if (row.is_damaged) {
      embedded.push_back({.row = row, .vector = {}, .refusal = damaged_record(row.id, "text").message});
      continue;
    }
    const Text& text = texts[number_of.at(row.text)];
    embedded.push_back({.row = row, .vector = text.vector, .refusal = text.refusal});
  }
  return embedded;
}

void RowEmbedder::recall(std::vector<Text>& texts) {
  const MutexLock lock(mutex_);
  for (Text& text : texts) {
    if (const auto found = known_.find(text.key); found != known_.end()) text.vector = found->second;
  }
}

void RowEmbedder::remember(const std::vector<Text>& texts) {
  const MutexLock lock(mutex_);
  for (const Text& text : texts) {
    if (!text.vector || known_.contains(text.key)) continue;
    if (known_bytes_ > kMostBytes) {
      known_.clear();
      known_bytes_ = 0;
    }
    known_.emplace(text.key, *text.vector);
    known_bytes_ += text.vector->size() * sizeof(float);
  }
}

}  // namespace loci::embedded
