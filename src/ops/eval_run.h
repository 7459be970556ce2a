// Runs a set of questions through the product: files are mined, drawers get their vectors, questions are searched, on
// the paths that every face uses.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "loci/backend.h"
#include "loci/embedder.h"
#include "loci/result.h"
#include "ops/bench_measure.h"
#include "ops/eval_metrics.h"
#include "ops/eval_set.h"
#include "search/hybrid_search.h"

namespace loci {

struct EvalRequest {
  SearchMode mode = SearchMode::hybrid;
  std::vector<SearchStage> without = {};
  std::string prefix = {};                             // stands before each question, as a pasted text does
  std::optional<std::filesystem::path> store_in = {};  // keeps the palaces there, and goes on with those that are there
  std::optional<std::int64_t> today = {};              // what "last week" in a question counts from; absent: ignored
};

// A question that cannot be asked, such as one without a word. Its row has found nothing.
struct RefusedQuestion {
  std::string conversation;
  std::string question;
  std::string reason;
};

struct EvalReport {
  std::vector<EvalRow> rows = {};
  std::vector<RefusedQuestion> refused = {};
  std::size_t depth = 0;  // how many items were asked for
  std::size_t drawers = 0;
  double ingest_seconds = 0;
  double search_seconds = 0;
};

// Without an embedder only the mode `words` can be asked. Errors: those of mining, of the store and of the search;
// invalid_argument when a file of the set has nothing to take in.
Result<EvalReport> run_eval(Backend& backend, const Embedder* embedder, const EvalSet& set, const EvalRequest& request,
                            const BenchProgress& progress);

// A user's own questions against a palace: lines of {"query": …, "relevant": [ids of drawers or names of sources]}.
Result<EvalReport> run_eval_lines(const Collection& drawers, const Embedder* embedder,
                                  const std::filesystem::path& file, const EvalRequest& request,
                                  const BenchProgress& progress);

}  // namespace loci
