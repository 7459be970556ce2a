#include "store/embedded/words_ahead.h"

#include <exception>
#include <memory>
#include <system_error>
#include <utility>

#include "text/tokenizer.h"

namespace loci::embedded {
namespace {

constexpr char kSlotName[] = "loci:words";
constexpr std::size_t kWorthAThread = 32'000;  // bytes of text; a thread costs as much as cutting some thousand

static_assert(kMaxTokenBytes <= 128, "a word's length must fit into seven bits");

PackedWords pack_words(Tokenizer& tokenizer, std::string_view text) {
  PackedWords packed;
  packed.reserve(text.size() + text.size() / 4);
  tokenizer.tokenize(text, TokenizeFor::document, [&](const Token& token) {
    packed.push_back(static_cast<char>((token.text.size() - 1) | (token.colocated ? 0x80U : 0U)));
    packed.append(token.text);
    return 0;
  });
  return packed;
}

void delete_slot(void* slot) {
  const std::unique_ptr<const PackedWords*> owned(static_cast<const PackedWords**>(slot));
}

}  // namespace

WordsAhead::WordsAhead(std::span<const SourceUpdate> updates) {
  std::size_t bytes = 0;
  for (const SourceUpdate& update : updates) {
    for (const SourceRecord& record : update.records) {
      texts_.push_back(record.document);
      bytes += record.document.size();
    }
  }
  if (bytes < kWorthAThread) return;
  {
    const MutexLock lock(mutex_);
    words_.resize(texts_.size());
  }
  try {
    thread_ = std::thread([this] { run(); });
  } catch (const std::system_error&) {
    // Without a thread the writer gets nothing ahead, and loses nothing but time.
  }
}

WordsAhead::~WordsAhead() {
  {
    const MutexLock lock(mutex_);
    has_ended_ = true;
  }
  if (thread_.joinable()) thread_.join();
}

std::optional<PackedWords> WordsAhead::take(std::size_t number) {
  const MutexLock lock(mutex_);
  if (number >= next_) {
    next_ = number + 1;
    return std::nullopt;
  }
  while (!words_[number] && !has_ended_) is_cut_.wait(mutex_);
  return std::exchange(words_[number], std::nullopt);
}

void WordsAhead::run() noexcept {
  try {
    Tokenizer tokenizer;
    while (true) {
      std::size_t number = 0;
      {
        const MutexLock lock(mutex_);
        if (has_ended_ || next_ >= texts_.size()) return;
        number = next_++;
      }
      PackedWords packed = pack_words(tokenizer, texts_[number]);
      const MutexLock lock(mutex_);
      words_[number] = std::move(packed);
      is_cut_.notify_all();
    }
  } catch (const std::exception&) {  // out of memory: the writer goes on alone, and meets it if it lasts
    const MutexLock lock(mutex_);
    has_ended_ = true;
    is_cut_.notify_all();
  }
}

WordsInHand::WordsInHand(Connection& connection, const PackedWords& words)
    : slot_(static_cast<const PackedWords**>(sqlite3_get_clientdata(connection.handle(), kSlotName))) {
  *slot_ = &words;
}

WordsInHand::~WordsInHand() { *slot_ = nullptr; }

const PackedWords* const* WordsInHand::slot_of(sqlite3* handle) {
  return static_cast<const PackedWords* const*>(sqlite3_get_clientdata(handle, kSlotName));
}

int WordsInHand::prepare(sqlite3* handle) {
  auto slot = std::make_unique<const PackedWords*>(nullptr);
  return sqlite3_set_clientdata(handle, kSlotName, static_cast<void*>(slot.release()), delete_slot);
}

}  // namespace loci::embedded
