// The layout of BEIR: corpus.jsonl, queries.jsonl and judgements.
#include <charconv>
#include <fstream>
#include <functional>
#include <map>
#include <utility>

#include <nlohmann/json.hpp>

#include "ingest/export_json.h"
#include "ops/eval_json.h"
#include "ops/eval_set.h"

namespace loci {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr std::size_t kBeirDepth = 100;

Status each_line(const fs::path& file, const std::function<Status(const std::string&)>& visit) {
  std::ifstream input(file);
  if (!input) return Error{ErrorKind::not_found, "cannot read " + file.string()};
  for (std::string line; std::getline(input, line);) {
    if (!line.empty() && line.back() == '\r') line.pop_back();
    if (!line.empty()) TRY(visit(line));
  }
  return {};
}

Status each_object(const fs::path& file, const std::function<void(const json&)>& visit) {
  return each_line(file, [&](const std::string& line) -> Status {
    const json object = parse_export(line);
    if (!object.is_object())
      return Error{ErrorKind::invalid_argument, file.string() + " has a line that is no JSON object"};
    visit(object);
    return {};
  });
}

Result<fs::path> find_judgements(const fs::path& folder, const std::optional<fs::path>& chosen) {
  if (chosen) return *chosen;
  if (fs::exists(folder / "qrels.tsv")) return folder / "qrels.tsv";
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder / "qrels", error)) {
    if (entry.path().extension() == ".tsv") found.push_back(entry.path());
  }
  if (found.size() == 1) return found.front();
  return Error{ErrorKind::invalid_argument,
               folder.string() + (found.empty() ? " has no qrels.tsv and no qrels/*.tsv"
                                                : " has several qrels; choose with --qrels")};
}

using Judgements = std::map<std::string, std::map<std::string, double>>;  // by query and document

Result<Judgements> read_judgements(const fs::path& file) {
  Judgements judgements;
  TRY(each_line(file, [&](const std::string& line) -> Status {
    const std::size_t first = line.find('\t');
    const std::size_t second = first == std::string::npos ? first : line.find('\t', first + 1);
    if (second == std::string::npos)
      return Error{ErrorKind::invalid_argument, file.string() + " has a line without three columns"};
    double gain = 0;
    const auto end = std::from_chars(line.data() + second + 1, line.data() + line.size(), gain);
    if (end.ec == std::errc() && gain > 0)
      judgements[line.substr(0, first)][line.substr(first + 1, second - first - 1)] = gain;
    return {};
  }));
  return judgements;
}

void add_document(const json& object, EvalStore& store) {
  const std::string file = std::to_string(store.files.size() + 1) + ".txt";
  const std::string title = text_in(object, "title");
  store.items.emplace(file, id_of(value_in(object, "_id")));
  store.files.push_back({file, (title.empty() ? "" : title + "\n\n") + text_in(object, "text") + "\n"});
}

}  // namespace

Result<EvalSet> read_beir(const fs::path& folder, const std::optional<fs::path>& qrels) {
  const Judgements judgements = TRY(read_judgements(TRY(find_judgements(folder, qrels))));
  EvalSet set{.mode = "files", .depth = kBeirDepth};
  EvalStore& store = set.stores.emplace_back();
  TRY(each_object(folder / "corpus.jsonl", [&](const json& object) { add_document(object, store); }));
  TRY(each_object(folder / "queries.jsonl", [&](const json& object) {
    const auto judged = judgements.find(id_of(value_in(object, "_id")));
    if (judged == judgements.end()) return;
    EvalQuestion question{.text = text_in(object, "text"), .row = {.conversation = "", .question = judged->first}};
    question.row.gains = judged->second;
    for (const auto& [item, gain] : judged->second) question.row.gold.push_back(item);
    set.questions.push_back(std::move(question));
  }));
  if (set.questions.empty()) return Error{ErrorKind::invalid_argument, folder.string() + " has no judged queries"};
  return set;
}

}  // namespace loci
