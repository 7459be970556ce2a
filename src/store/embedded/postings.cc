#include "store/embedded/postings.h"

#include <new>

#include "store/embedded/schema.h"

namespace loci::embedded {
namespace {

constexpr const char* kFunction = "loci_postings";
constexpr const char* kPostingsPointer = "loci_postings";

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

int read_all(const Fts5ExtensionApi* api, Fts5Context* context, Postings& postings) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  int code = api->xRowCount(context, &rows);
  if (code == SQLITE_OK) code = api->xColumnTotalSize(context, -1, &words);
  if (code != SQLITE_OK) return code;
  postings.rows = rows;
  postings.average_size = rows > 0 && words > 0 ? static_cast<double>(words) / static_cast<double>(rows) : 1;
  postings.phrases.resize(static_cast<std::size_t>(api->xPhraseCount(context)));
  for (std::size_t i = 0; i < postings.phrases.size() && code == SQLITE_OK; ++i)
    code = api->xQueryPhrase(context, static_cast<int>(i), &postings.phrases[i], add_posting);
  return code;
}

void postings_function(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int count,
                       sqlite3_value** values) {
  auto* postings = count == 1 ? static_cast<Postings*>(sqlite3_value_pointer(values[0], kPostingsPointer)) : nullptr;
  if (postings == nullptr) return sqlite3_result_error(result, "loci_postings is for Loci alone", -1);
  try {
    const int code = read_all(api, context, *postings);
    if (code != SQLITE_OK) sqlite3_result_error_code(result, code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(result);
  }
}

}  // namespace

Result<Postings> read_postings(Connection& connection, std::int64_t collection, const std::string& expression) {
  const std::string words = words_table(collection);
  Postings postings;
  Statement select = TRY(connection.prepare("SELECT " + std::string(kFunction) + "(" + words + ", ?2) FROM " + words +
                                            " WHERE " + words + " MATCH ?1 LIMIT 1"));
  TRY(select.bind(1, expression).bind_pointer(2, &postings, kPostingsPointer).step());
  return postings;
}

int register_postings(fts5_api* fts5) {
  return fts5->xCreateFunction(fts5, kFunction, nullptr, postings_function, nullptr);
}

}  // namespace loci::embedded
