#include "store/embedded/sql_functions.h"

#include <memory>
#include <new>
#include <string_view>

#include "loci/filter.h"
#include "store/embedded/jsonb.h"
#include "store/embedded/postings.h"
#include "store/embedded/snapshot_memory.h"
#include "store/embedded/words_ahead.h"
#include "text/tokenizer.h"

// SQLite is C: what it calls must not throw through it.
namespace loci::embedded {
namespace {

JsonbView blob_of(sqlite3_value* value) {
  const auto* data = static_cast<const std::uint8_t*>(sqlite3_value_blob(value));
  if (data == nullptr) return {};
  return {data, static_cast<std::size_t>(sqlite3_value_bytes(value))};
}

bool holds(const Filter& filter, JsonbView own, JsonbView shared) {
  switch (filter.kind) {
    case Filter::Kind::all:
      for (const Filter& child : filter.children) {
        if (!holds(child, own, shared)) return false;
      }
      return true;
    case Filter::Kind::any:
      for (const Filter& child : filter.children) {
        if (holds(child, own, shared)) return true;
      }
      return false;
    case Filter::Kind::leaf: {
      const std::optional<MetadataValue> value = find_value(own, shared, filter.leaf.key);
      return matches(filter.leaf, value ? &*value : nullptr);
    }
  }
  return false;
}

void where_function(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto* filter = static_cast<const Filter*>(sqlite3_value_pointer(arguments[0], kFilterPointer));
  if (filter == nullptr) return sqlite3_result_error(context, "loci_where takes a bound filter", -1);
  try {
    sqlite3_result_int(context, holds(*filter, blob_of(arguments[1]), blob_of(arguments[2])) ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

void text_function(sqlite3_context* context, int, sqlite3_value** arguments) {
  const auto* filter = static_cast<const DocumentFilter*>(sqlite3_value_pointer(arguments[0], kDocumentFilterPointer));
  if (filter == nullptr) return sqlite3_result_error(context, "loci_text takes a bound filter", -1);
  const auto* text = reinterpret_cast<const char*>(sqlite3_value_text(arguments[1]));
  const std::string_view document =
      text == nullptr ? std::string_view()
                      : std::string_view(text, static_cast<std::size_t>(sqlite3_value_bytes(arguments[1])));
  try {
    sqlite3_result_int(context, matches(*filter, document) ? 1 : 0);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(context);
  }
}

struct ConnectionTokenizer {
  Tokenizer tokenizer;
  const PackedWords* const* in_hand;  // WordsInHand::slot_of the connection
};

int create_tokenizer(void* in_hand, const char**, int, Fts5Tokenizer** out) {
  try {
    auto made = std::make_unique<ConnectionTokenizer>();
    made->in_hand = static_cast<const PackedWords* const*>(in_hand);
    *out = reinterpret_cast<Fts5Tokenizer*>(made.release());
    return SQLITE_OK;
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

void delete_tokenizer(Fts5Tokenizer* tokenizer) {
  const std::unique_ptr<ConnectionTokenizer> owned(reinterpret_cast<ConnectionTokenizer*>(tokenizer));
}

int run_tokenizer(Fts5Tokenizer* tokenizer, void* context, int flags, const char* text, int size,
                  int (*emit)(void*, int, const char*, int, int, int)) {
  auto* const ours = reinterpret_cast<ConnectionTokenizer*>(tokenizer);
  if (flags == FTS5_TOKENIZE_DOCUMENT && *ours->in_hand != nullptr) {
    // Where a word stands in the text matters to nobody who puts a document into an index.
    return for_each_word(**ours->in_hand, [&](bool is_colocated, std::string_view word) {
      return emit(context, is_colocated ? FTS5_TOKEN_COLOCATED : 0, word.data(), static_cast<int>(word.size()), 0, 0);
    });
  }
  const auto purpose = (flags & FTS5_TOKENIZE_QUERY) != 0 ? TokenizeFor::query : TokenizeFor::document;
  // FTS5 passes a null pointer for an empty text.
  const std::string_view input =
      text == nullptr ? std::string_view() : std::string_view(text, static_cast<std::size_t>(size));
  try {
    return ours->tokenizer.tokenize(input, purpose, [&](const Token& token) {
      return emit(context, token.colocated ? FTS5_TOKEN_COLOCATED : 0, token.text.data(),
                  static_cast<int>(token.text.size()), static_cast<int>(token.start), static_cast<int>(token.end));
    });
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
}

// FTS5 hands out its interface through a bound pointer (https://sqlite.org/fts5.html#extending_fts5). Asking for it
// reads the schema, so a damaged file shows here first.
int fts5_interface(sqlite3* handle, fts5_api** api) {
  sqlite3_stmt* statement = nullptr;
  int code = sqlite3_prepare_v2(handle, "SELECT fts5(?1)", -1, &statement, nullptr);
  if (code == SQLITE_OK) code = sqlite3_bind_pointer(statement, 1, static_cast<void*>(api), "fts5_api_ptr", nullptr);
  if (code == SQLITE_OK) sqlite3_step(statement);
  const int finalized = sqlite3_finalize(statement);
  if (code == SQLITE_OK) code = finalized;
  return code == SQLITE_OK && *api == nullptr ? SQLITE_NOMEM : code;
}

}  // namespace

int register_sql_functions(sqlite3* handle) {
  constexpr int kFlags = SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_DIRECTONLY;
  int code =
      sqlite3_create_function_v2(handle, "loci_where", 3, kFlags, nullptr, where_function, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return code;
  code = sqlite3_create_function_v2(handle, "loci_text", 2, kFlags, nullptr, text_function, nullptr, nullptr, nullptr);
  if (code != SQLITE_OK) return code;
  fts5_api* fts5 = nullptr;
  code = fts5_interface(handle, &fts5);
  if (code != SQLITE_OK) return code;
  code = WordsInHand::prepare(handle);
  if (code != SQLITE_OK) return code;
  code = SnapshotMemory::prepare(handle);
  if (code != SQLITE_OK) return code;
  fts5_tokenizer tokenizer{create_tokenizer, delete_tokenizer, run_tokenizer};
  auto* in_hand = const_cast<const PackedWords**>(WordsInHand::slot_of(handle));
  code = fts5->xCreateTokenizer(fts5, "loci", static_cast<void*>(in_hand), &tokenizer, nullptr);
  return code == SQLITE_OK ? register_postings(fts5) : code;
}

}  // namespace loci::embedded
