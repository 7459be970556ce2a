// Public data sets as the harness asks them: files to take in, questions, and which items answer them.
//
// What the engine sees as a name is a counter. The labels of data sets leak through their ids, so that a ranking could
// be right for the wrong reason; the true names stay here and come back in the rows only.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "loci/result.h"
#include "ops/eval_metrics.h"

namespace loci {

// Files that are mined together into one palace.
struct EvalStore {
  struct File {
    std::string name;
    std::string bytes;
  };
  std::vector<File> files = {};
  std::unordered_map<std::string, std::string> items = {};  // by the name of a source below the folder of the files
};

struct EvalQuestion {
  std::string text;
  std::size_t store = 0;
  EvalRow row = {};  // all but what was found
};

struct EvalSet {
  std::string mode = {};  // the importer's
  std::vector<EvalStore> stores = {};
  std::vector<EvalQuestion> questions = {};
  std::size_t depth = 10;  // how many items are asked for
};

enum class EvalStores { one_each, one_for_all };

// The readers. Errors: not_found and io for the files; invalid_argument for what is in them.
Result<EvalSet> read_locomo(const std::filesystem::path& file, EvalStores stores);
Result<EvalSet> read_longmemeval(const std::filesystem::path& file, EvalStores stores);
// A folder with corpus.jsonl, queries.jsonl and qrels.tsv or qrels/NAME.tsv; `qrels` chooses among several.
Result<EvalSet> read_beir(const std::filesystem::path& folder, const std::optional<std::filesystem::path>& qrels);

}  // namespace loci
