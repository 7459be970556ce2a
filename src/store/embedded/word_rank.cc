#include "store/embedded/word_rank.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <new>
#include <numeric>
#include <vector>

// SQLite is C: what it calls must not throw through it.
namespace loci::embedded {
namespace {

constexpr double kSaturation = 1.2;     // BM25's k1: how much a second occurrence of a word still adds
constexpr double kLengthWeight = 0.75;  // BM25's b: how much a long text has to have more of it

// What is the same for every row of one question.
struct Question {
  std::vector<double> rarity;  // of each phrase
  double best = 0;             // what no row's score reaches
  double average_size = 1;
  std::vector<double> count;  // of each phrase in the row at hand
};

int count_row(const Fts5ExtensionApi*, Fts5Context*, void* rows) {
  ++*static_cast<std::int64_t*>(rows);
  return SQLITE_OK;
}

int prepare(const Fts5ExtensionApi* api, Fts5Context* context, Question& question) {
  sqlite3_int64 rows = 0;
  sqlite3_int64 words = 0;
  int code = api->xRowCount(context, &rows);
  if (code == SQLITE_OK) code = api->xColumnTotalSize(context, -1, &words);
  if (code != SQLITE_OK) return code;
  question.average_size = rows > 0 && words > 0 ? static_cast<double>(words) / static_cast<double>(rows) : 1;
  const int phrases = api->xPhraseCount(context);
  for (int phrase = 0; phrase < phrases; ++phrase) {
    std::int64_t with_phrase = 0;
    code = api->xQueryPhrase(context, phrase, &with_phrase, count_row);
    if (code != SQLITE_OK) return code;
    const auto others = static_cast<double>(rows > with_phrase ? rows - with_phrase : 0);
    question.rarity.push_back(std::log1p((others + 0.5) / (static_cast<double>(with_phrase) + 0.5)));
  }
  question.best = std::accumulate(question.rarity.begin(), question.rarity.end(), 0.0) * (kSaturation + 1);
  question.count.resize(question.rarity.size());
  return SQLITE_OK;
}

// Kept by FTS5 from the first row of a question to its last.
int question_of(const Fts5ExtensionApi* api, Fts5Context* context, Question** found) {
  *found = static_cast<Question*>(api->xGetAuxdata(context, 0));
  if (*found != nullptr) return SQLITE_OK;
  auto made = std::make_unique<Question>();
  const int code = prepare(api, context, *made);
  if (code != SQLITE_OK) return code;
  *found = made.get();
  // FTS5 frees it also when it cannot keep it.
  return api->xSetAuxdata(context, made.release(), [](void* question) { delete static_cast<Question*>(question); });
}

int count_phrases(const Fts5ExtensionApi* api, Fts5Context* context, std::vector<double>& count) {
  std::fill(count.begin(), count.end(), 0.0);
  int instances = 0;
  int code = api->xInstCount(context, &instances);
  for (int i = 0; code == SQLITE_OK && i < instances; ++i) {
    int phrase = 0;
    int column = 0;
    int offset = 0;
    code = api->xInst(context, i, &phrase, &column, &offset);
    if (code == SQLITE_OK && phrase >= 0 && static_cast<std::size_t>(phrase) < count.size())
      count[static_cast<std::size_t>(phrase)] += 1;
  }
  return code;
}

int rank_row(const Fts5ExtensionApi* api, Fts5Context* context, double* share) {
  Question* question = nullptr;
  int code = question_of(api, context, &question);
  if (code == SQLITE_OK) code = count_phrases(api, context, question->count);
  int size = 0;
  if (code == SQLITE_OK) code = api->xColumnSize(context, -1, &size);
  if (code != SQLITE_OK) return code;
  const double length = 1 - kLengthWeight + kLengthWeight * size / question->average_size;
  double score = 0;
  for (std::size_t i = 0; i < question->rarity.size(); ++i) {
    const double count = question->count[i];
    score += question->rarity[i] * count * (kSaturation + 1) / (count + kSaturation * length);
  }
  *share = question->best > 0 ? score / question->best : 0;
  return SQLITE_OK;
}

void rank_function(const Fts5ExtensionApi* api, Fts5Context* context, sqlite3_context* result, int, sqlite3_value**) {
  try {
    double share = 0;
    const int code = rank_row(api, context, &share);
    if (code == SQLITE_OK) return sqlite3_result_double(result, -share);
    sqlite3_result_error_code(result, code);
  } catch (const std::bad_alloc&) {
    sqlite3_result_error_nomem(result);
  }
}

}  // namespace

int register_word_rank(fts5_api* fts5) {
  return fts5->xCreateFunction(fts5, kWordRank, nullptr, rank_function, nullptr);
}

}  // namespace loci::embedded
