// Question: how much processor time do the candidates by words take, for questions of eight words of which some are
// common? Data: documents of 800 characters whose words follow Zipf's law (corpus.h), without vectors. Rival, over the
// same word index in the same run: FTS5's own `ORDER BY rank LIMIT n` over the OR of the words (goal: at most a third
// of its time). Besides, the best ten must be those of a ranking of every row that matches: asked for 10 and asked for
// all, the store must give the same ten. FTS5 weighs very common words a little less than we do; how many of the ten it
// shares is shown.
//
// words_bench [--records 100000] [--questions 50] [--results 100] [--folder DIR] [--commit HASH]
// A JSON line goes to the standard output, the table to the standard error.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "base/temporary_folder.h"
#include "bench/workloads/corpus.h"
#include "bench/workloads/measure.h"
#include "loci/backend.h"
#include "store/embedded/database.h"
#include "store/embedded/embedded_backend.h"
#include "store/embedded/sqlite.h"
#include "text/query_words.h"

namespace loci::bench {
namespace {

constexpr std::size_t kBatch = 1'000;
constexpr std::size_t kTop = 10;
constexpr Include kIdsOnly = {.documents = false, .metadatas = false};

struct Settings {
  std::size_t records;
  std::size_t questions;
  std::size_t results;
  std::string commit;
};

using Frequencies = std::unordered_map<std::string, std::size_t>;  // documents of a sample that have the word

void count_words(const std::string& document, Frequencies& frequencies) {
  std::unordered_set<std::string> seen;
  std::string word;
  for (const char letter : document + " ") {
    const char lower = letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter | 0x20) : letter;
    if (lower >= 'a' && lower <= 'z') {
      word.push_back(lower);
    } else if (!word.empty()) {
      if (seen.insert(word).second) ++frequencies[word];
      word.clear();
    }
  }
}

// Eight words: two that up to a fifth of all documents have, two of up to a tenth, four that are rarer.
std::vector<std::string> make_questions(const Frequencies& frequencies, std::size_t sample, std::size_t count) {
  struct Band {
    double from;
    double to;
    int words;
  };
  constexpr Band kBands[] = {{0.10, 0.20, 2}, {0.03, 0.10, 2}, {0.005, 0.03, 2}, {0.0005, 0.005, 2}};
  std::mt19937_64 random(7);
  std::vector<std::vector<std::string>> words;
  for (const Band& band : kBands) {
    std::vector<std::string>& list = words.emplace_back();
    for (const auto& [word, documents] : frequencies) {
      const double part = static_cast<double>(documents) / static_cast<double>(sample);
      if (part > band.from && part <= band.to && query_terms(word).size() == 1) list.push_back(word);
    }
    std::sort(list.begin(), list.end());
  }
  std::vector<std::string> questions;
  for (std::size_t i = 0; i < count; ++i) {
    std::string question;
    for (std::size_t band = 0; band < words.size(); ++band) {
      for (int word = 0; word < kBands[band].words; ++word)
        question += (question.empty() ? "" : " ") + words[band].at(random() % words[band].size());
    }
    questions.push_back(std::move(question));
  }
  return questions;
}

// The processor time of this thread, which does all the work of both: other programs do not add to it.
double processor_seconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct Asked {
  std::vector<std::string> ids;
  double seconds = 0;
};

Result<Asked> ask_store(const Collection& drawers, const std::string& question, std::size_t results) {
  const double start = processor_seconds();
  Asked asked;
  for (WordHit& hit : TRY(drawers.match({.text = question, .n_results = results, .include = kIdsOnly})))
    asked.ids.push_back(std::move(hit.record.id));
  asked.seconds = processor_seconds() - start;
  return asked;
}

Result<Asked> ask_fts5(embedded::Connection& connection, const std::string& question, std::size_t results) {
  const std::string expression = fts5_any_word_query(question);
  const double start = processor_seconds();
  std::vector<std::int64_t> rows;
  Asked asked;
  {
    embedded::Statement select =
        TRY(connection.prepare("SELECT rowid FROM words_1 WHERE words_1 MATCH ?1 ORDER BY rank LIMIT ?2"));
    select.bind(1, expression).bind(2, static_cast<std::int64_t>(results));
    while (TRY(select.step())) rows.push_back(select.integer(0));
  }
  asked.seconds = processor_seconds() - start;
  embedded::Statement id_of = TRY(connection.prepare("SELECT id FROM records WHERE row = ?1"));
  for (const std::int64_t row : rows) {
    TRY(id_of.bind(1, row).step());
    asked.ids.emplace_back(id_of.text(0));
    id_of.reset();
  }
  return asked;
}

std::vector<std::string> top(const std::vector<std::string>& ids) {
  return {ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(std::min(kTop, ids.size()))};
}

struct Report {
  std::vector<double> ours;
  std::vector<double> theirs;
  double matches = 0;        // rows with a word of the question, on average
  double shared_of_ten = 0;  // with FTS5's rank
  std::size_t wrong = 0;     // questions whose ten are not those of the whole ranking
};

Result<Report> measure(const Collection& drawers, embedded::Connection& connection,
                       const std::vector<std::string>& questions, const Settings& settings) {
  Report report;
  for (const std::string& question : questions) {
    TRY(ask_store(drawers, question, settings.results));  // both from a warm cache
    TRY(ask_fts5(connection, question, settings.results));
    const Asked ours = TRY(ask_store(drawers, question, settings.results));
    const Asked theirs = TRY(ask_fts5(connection, question, settings.results));
    const Asked all = TRY(ask_store(drawers, question, settings.records));
    const std::vector<std::string> ten = TRY(ask_store(drawers, question, kTop)).ids;
    report.ours.push_back(ours.seconds);
    report.theirs.push_back(theirs.seconds);
    report.matches += static_cast<double>(all.ids.size()) / static_cast<double>(questions.size());
    if (top(all.ids) != ten || top(ours.ids) != ten) ++report.wrong;
    const std::vector<std::string> theirs_top = top(theirs.ids);
    for (const std::string& id : theirs_top)
      report.shared_of_ten +=
          std::count(ten.begin(), ten.end(), id) > 0 ? 1.0 / static_cast<double>(questions.size()) : 0;
  }
  return report;
}

Result<Report> run(const Settings& settings, const std::filesystem::path& folder) {
  const std::unique_ptr<Backend> backend = make_embedded_backend();
  const auto drawers = TRY(backend->collection(PalaceRef::at(folder), "drawers", {.if_missing = IfMissing::create}));
  Corpus corpus({.dimension = 0});
  Frequencies frequencies;
  std::size_t sample = 0;
  for (std::size_t done = 0; done < settings.records; done += kBatch) {
    const std::vector<Record> records = corpus.next(std::min(kBatch, settings.records - done));
    TRY(drawers->add(records));
    if (sample >= 20 * kBatch) continue;
    for (const Record& record : records) count_words(record.document, frequencies);
    sample += records.size();
  }
  const std::vector<std::string> questions = make_questions(frequencies, sample, settings.questions);
  const auto connection =
      TRY(embedded::open_connection(folder / embedded::kDatabaseName, embedded::OpenMode::read_write));
  return measure(*drawers, *connection, questions, settings);
}

int main_of(int count, char** arguments) {
  const auto number = [&](std::string_view name, std::string_view otherwise) {
    return static_cast<std::size_t>(std::stoull(option(count, arguments, name, otherwise)));
  };
  const Settings settings = {.records = number("records", "100000"),
                             .questions = number("questions", "50"),
                             .results = number("results", "100"),
                             .commit = option(count, arguments, "commit", "")};
  const std::string parent = option(count, arguments, "folder", "");
  const Result<TemporaryFolder> folder =
      parent.empty() ? TemporaryFolder::create() : TemporaryFolder::create_in(parent);
  const Result<Report> report = folder.ok() ? run(settings, folder->path() / "palace") : folder.error();
  if (!report.ok()) {
    std::fprintf(stderr, "words_bench: %s\n", report.error().message.c_str());
    return EXIT_FAILURE;
  }
  const double ours = median(report->ours) * 1e3;
  const double theirs = median(report->theirs) * 1e3;
  std::fprintf(stderr, "%zu records, %zu questions of eight words, %.0f rows match on average, %zu asked for\n",
               settings.records, settings.questions, report->matches, settings.results);
  std::fprintf(stderr,
               "FTS5's ORDER BY rank  %8.2f ms of processor time\nLoci                  %8.2f ms  (%.2f of it)\n",
               theirs, ours, ours / theirs);
  std::fprintf(stderr, "wrong among the best ten: %zu questions; shared with FTS5's rank: %.1f of 10\n", report->wrong,
               report->shared_of_ten);
  std::fputs(result_line("words",
                         {{"records", static_cast<std::int64_t>(settings.records)},
                          {"matches", report->matches},
                          {"fts5_p50_ms", theirs},
                          {"loci_p50_ms", ours},
                          {"wrong", static_cast<std::int64_t>(report->wrong)},
                          {"shared_of_ten", report->shared_of_ten}},
                         settings.commit)
                 .c_str(),
             stdout);
  return report->wrong == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

}  // namespace
}  // namespace loci::bench

int main(int count, char** arguments) { return loci::bench::main_of(count, arguments); }
