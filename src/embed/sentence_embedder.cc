#include "embed/sentence_embedder.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <system_error>
#include <thread>
#include <utility>

#include "base/sha256.h"
#include "base/utf8.h"
#include "embed/models.h"

namespace loci {
namespace {

// Enough rows to use each weight many times while it is in the cache, few enough to stay there themselves.
constexpr std::size_t kBatchTokens = 256;
// Below this many tokens a second thread costs more than it brings.
constexpr std::size_t kTokensWorthAThread = 64;
// A text of 10 MB has some ten thousand windows; what comes after this many changes the average little.
constexpr std::size_t kMaxWindows = 64;

using Batch = std::vector<std::size_t>;  // indices of sequences

// Sequences of similar length together, longest first, so that threads end at about the same time.
std::vector<Batch> make_batches(std::span<const TokenSequence> sequences, std::size_t threads) {
  std::size_t total = 0;
  for (const TokenSequence& sequence : sequences) total += sequence.size();
  const std::size_t batch_tokens = std::clamp(total / threads, kTokensWorthAThread, kBatchTokens);
  std::vector<std::size_t> order(sequences.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(
      order, [&](std::size_t left, std::size_t right) { return sequences[left].size() > sequences[right].size(); });

  std::vector<Batch> batches;
  std::size_t tokens = kBatchTokens;
  for (const std::size_t index : order) {
    if (batches.empty() || tokens + sequences[index].size() > batch_tokens) {
      batches.emplace_back();
      tokens = 0;
    }
    batches.back().push_back(index);
    tokens += sequences[index].size();
  }
  return batches;
}

// Runs `work` on this thread and, as far as the system gives them, on `extra` others; returns when all are done.
template <typename Work>
void run_with_helpers(std::size_t extra, const Work& work) {
  std::vector<std::thread> helpers;
  try {
    for (std::size_t i = 0; i < extra; ++i) helpers.emplace_back(work);
  } catch (const std::system_error&) {
    // No more threads to be had: those that run, and this one, do all of it.
  }
  work();
  for (std::thread& helper : helpers) helper.join();
}

Embedding average(std::span<const Embedding> vectors, std::span<const TokenSequence> sequences) {
  if (vectors.size() == 1) return vectors.front();
  Embedding sum(vectors.front().size(), 0.0F);
  for (std::size_t i = 0; i < vectors.size(); ++i) {
    const auto weight = static_cast<float>(sequences[i].size());
    for (std::size_t j = 0; j < sum.size(); ++j) sum[j] += weight * vectors[i][j];
  }
  const double squares = std::inner_product(sum.begin(), sum.end(), sum.begin(), 0.0);
  if (!(squares > 0)) return vectors.front();  // they cancel, which texts do not do
  for (float& value : sum) value = static_cast<float>(value / std::sqrt(squares));
  return sum;
}

Status check_ids(const WordPieceSettings& settings, const Vocabulary& vocabulary, const ModelConfig& config,
                 const std::string& name) {
  const auto fits = [&](TokenId id) { return id >= 0 && static_cast<std::size_t>(id) < config.vocabulary; };
  const bool all_fit = fits(settings.begin) && fits(settings.end) && fits(settings.unknown) &&
                       fits(vocabulary.largest_id()) &&
                       std::ranges::all_of(settings.added_tokens, fits, &AddedToken::id);
  if (all_fit) return ok_status();
  return Error{ErrorKind::corruption, name + " has tokens that the weights have no row for; it is of another model"};
}

}  // namespace

SentenceEmbedder::SentenceEmbedder(std::string name, SentenceEmbedderOptions options, LoadedModel model,
                                   WordPieceSettings tokenizer, const ModelConfig& config)
    : name_(std::move(name)),
      options_(std::move(options)),
      model_(std::move(model)),
      tokenizer_(std::move(tokenizer), model_.model().vocabulary),
      encoder_(config, model_.model().weights) {}

Result<std::unique_ptr<SentenceEmbedder>> SentenceEmbedder::open(const std::filesystem::path& model_folder,
                                                                 SentenceEmbedderOptions options) {
  const ModelConfig config = TRY(read_model_config(model_folder));
  LoadedModel model = TRY(LoadedModel::load(model_folder, config, options.precision, options.pins));
  const std::string tokenizer_name = (model_folder / "tokenizer.json").string();
  const PackedModel& packed = model.model();
  WordPieceSettings tokenizer =
      TRY(parse_word_piece_settings(packed.tokenizer_settings, packed.vocabulary, tokenizer_name));
  TRY(check_ids(tokenizer, packed.vocabulary, config, tokenizer_name));
  options.threads = std::max<std::size_t>(options.threads, 1);

  // "models/x/" names x too.
  const std::filesystem::path folder = std::filesystem::weakly_canonical(model_folder);
  std::string name = folder.filename().string();
  if (options.long_text == LongText::windows) name += kWindowsSuffix;
  return std::unique_ptr<SentenceEmbedder>(
      new SentenceEmbedder(std::move(name), std::move(options), std::move(model), std::move(tokenizer), config));
}

Result<std::vector<Embedding>> SentenceEmbedder::embed(std::span<const std::string> texts) const {
  std::vector<TokenSequence> all;
  std::vector<std::size_t> begins;  // of each text's sequences
  for (const std::string& text : texts) {
    if (!is_valid_utf8(text)) {
      const std::string which = "text " + std::to_string(begins.size() + 1) + " of " + std::to_string(texts.size());
      return Error{ErrorKind::invalid_argument, (texts.size() == 1 ? "the text" : which) + " is not valid UTF-8"};
    }
    begins.push_back(all.size());
    std::ranges::move(sequences(text), std::back_inserter(all));
  }
  std::vector<Embedding> vectors = encode(all);
  if (!model_.is_whole())
    return Error{ErrorKind::corruption, "the packed model of " + name_ + " was cut off while it was in use; try again"};
  if (options_.long_text == LongText::truncate) return vectors;

  std::vector<Embedding> averages;
  begins.push_back(all.size());
  for (std::size_t i = 0; i + 1 < begins.size(); ++i) {
    const std::size_t count = begins[i + 1] - begins[i];
    averages.push_back(average(std::span(vectors).subspan(begins[i], count), std::span(all).subspan(begins[i], count)));
  }
  return averages;
}

double SentenceEmbedder::readable_share(std::string_view text) const {
  return is_valid_utf8(text) ? tokenizer_.readable_share(text) : 1;
}

std::string SentenceEmbedder::fingerprint() const {
  const ModelConfig& config = encoder_.config();
  const char* pooling = config.pooling == Pooling::mean ? "mean" : "first token";
  return to_hex(sha256(to_hex(model_.model().content) + ' ' + pooling + ' ' + std::to_string(config.max_tokens)));
}

std::size_t SentenceEmbedder::count_tokens(std::string_view text) const {
  std::size_t count = 0;
  for (const TokenSequence& sequence : sequences(text)) count += sequence.size();
  return count;
}

std::vector<TokenId> SentenceEmbedder::tokens(std::string_view text) const {
  return tokenizer_.sequence(text, encoder_.config().max_tokens);
}

// One sequence, or, where long texts are not cut, as many as it takes.
std::vector<TokenSequence> SentenceEmbedder::sequences(std::string_view text) const {
  if (options_.long_text == LongText::truncate) return {tokens(text)};
  const std::size_t window = encoder_.config().max_tokens - 2;
  const std::vector<TokenId> content = tokenizer_.tokens(text, window * kMaxWindows);
  std::vector<TokenSequence> windows;
  std::size_t at = 0;
  do {
    const std::size_t end = std::min(content.size(), at + window);
    TokenSequence& sequence = windows.emplace_back();
    sequence.push_back(tokenizer_.settings().begin);
    for (; at < end; ++at) sequence.push_back(content[at]);
    sequence.push_back(tokenizer_.settings().end);
  } while (at < content.size());
  return windows;
}

std::vector<Embedding> SentenceEmbedder::encode(std::span<const TokenSequence> sequences) const {
  const std::vector<Batch> batches = make_batches(sequences, options_.threads);
  std::vector<Embedding> vectors(sequences.size());
  std::atomic<std::size_t> next_batch = 0;
  const auto work = [&] {
    EncoderWorkspace workspace;
    for (std::size_t i = next_batch++; i < batches.size(); i = next_batch++) {
      std::vector<const TokenSequence*> batch;
      for (const std::size_t index : batches[i]) batch.push_back(&sequences[index]);
      std::vector<Embedding> encoded = encoder_.encode(batch, workspace);
      for (std::size_t j = 0; j < encoded.size(); ++j) vectors[batches[i][j]] = std::move(encoded[j]);
    }
  };
  run_with_helpers(std::min(options_.threads, std::max<std::size_t>(batches.size(), 1)) - 1, work);
  return vectors;
}

}  // namespace loci
