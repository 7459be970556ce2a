#include "store/embedded/postings.h"

#include <algorithm>
#include <new>
#include <utility>

#include "store/embedded/schema.h"
#include "store/embedded/snapshot_memory.h"
#include "text/query_words.h"

namespace loci::embedded {
namespace {

constexpr const char* kFunction = "loci_postings";
constexpr const char* kPostingsPointer = "loci_postings";

constexpr std::size_t kWorthKeeping = 256;  // postings of a list; a shorter one is read as quickly as it is found
constexpr std::size_t kMostKeptPostings = 250'000;  // of a collection

// What FTS5 fills in.
struct PhraseLists {
  WordTotals totals;
  std::vector<std::vector<Posting>> lists;
};

// SQLite is C: what it calls must not throw through it.
int add_posting(const Fts5ExtensionApi* api, Fts5Context* context, void* list) {
  std::uint32_t count = 0;
  Fts5PhraseIter place{};
  int column = 0;
  int offset = 0;
  const int code = api->xPhraseFirst(context, 0, &place, &column, &offset);
  if (code != SQLITE_OK) return code;
  for (; column >= 0; api->xPhraseNext(context, &place, &column, &offset)) ++count;
  try {
    static_cast<std::vector<Posting>*>(list)->push_back({api->xRowid(context), count});
  } catch (const std::bad_alloc&) {
    return SQLITE_NOMEM;
  }
  return SQLITE_OK;
}

int read_all(const Fts5ExtensionApi* api, Fts5Context* context, PhraseLists& phrases) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  int code = api->xRowCount(context, &rows);
  if (code == SQLITE_OK) code = api->xColumnTotalSize(context, -1, &words);
  if (code != SQLITE_OK) return code;
  phrases.totals.rows = rows;
  if (rows > 0 && words > 0) phrases.totals.average_size = static_cast<double>(words) / static_cast<double>(rows);
  phrases.lists.resize(static_cast<std::size_t>(api->xPhraseCount(context)));
  for (std::size_t i = 0; i < phrases.lists.size() && code == SQLITE_OK; ++i)
    code = api->xQueryPhrase(context, static_cast<int>(i), &phrases.lists[i], add_posting);
  return code;
}

void postings_function(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int count,
                       sqlite3_value** values) {
  auto* phrases = count == 1 ? static_cast<PhraseLists*>(sqlite3_value_pointer(values[0], kPostingsPointer)) : nullptr;
  if (phrases == nullptr) return sqlite3_result_error(result, "loci_postings is for Loci alone", -1);
  try {
    const int code = read_all(api, context, *phrases);
    if (code != SQLITE_OK) sqlite3_result_error_code(result, code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(result);
  }
}

// Without lists when none of the terms occurs.
Result<PhraseLists> read_lists(Connection& connection, std::int64_t collection, std::span<const std::string> terms) {
  const std::string words = words_table(collection);
  const std::string expression = fts5_any_term_query(terms);
  PhraseLists phrases;
  Statement select = TRY(connection.prepare("SELECT " + std::string(kFunction) + "(" + words + ", ?2) FROM " + words +
                                            " WHERE " + words + " MATCH ?1 LIMIT 1"));
  TRY(select.bind(1, expression).bind_pointer(2, &phrases, kPostingsPointer).step());
  if (!phrases.lists.empty() && phrases.lists.size() != terms.size())
    return Error{ErrorKind::internal, "the word index has read a question in another way than it was meant"};
  return phrases;
}

void keep(CollectionMemory& memory, const std::string& term, const PostingList& list) {
  if (list->size() < kWorthKeeping || memory.kept_postings + list->size() > kMostKeptPostings) return;
  if (memory.common_words.emplace(term, list).second) memory.kept_postings += list->size();
}

}  // namespace

Result<Postings> read_postings(Connection& connection, std::int64_t collection, std::span<const std::string> terms) {
  CollectionMemory* const memory = SnapshotMemory::of(connection, collection);
  std::vector<PostingList> known(terms.size());
  std::vector<std::string> asked;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (memory != nullptr && memory->totals) {
      if (const auto found = memory->common_words.find(terms[i]); found != memory->common_words.end())
        known[i] = found->second;
    }
    if (known[i] == nullptr) asked.push_back(terms[i]);
  }
  PhraseLists read;
  if (!asked.empty()) read = TRY(read_lists(connection, collection, asked));
  if (read.lists.empty() && asked.size() == terms.size()) return Postings{};
  Postings postings = {.totals = read.lists.empty() ? *memory->totals : read.totals, .phrases = std::move(known)};
  if (memory != nullptr) memory->totals = postings.totals;
  read.lists.resize(asked.size());  // without a row none of them was handed over
  std::size_t next = 0;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (postings.phrases[i] != nullptr) continue;
    postings.phrases[i] = std::make_shared<const std::vector<Posting>>(std::move(read.lists[next++]));
    if (memory != nullptr) keep(*memory, terms[i], postings.phrases[i]);
  }
  return postings;
}

int register_postings(fts5_api* fts5) {
  return fts5->xCreateFunction(fts5, kFunction, nullptr, postings_function, nullptr);
}

}  // namespace loci::embedded
