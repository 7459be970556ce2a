// LoCoMo and LongMemEval as sets of questions.
#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/file.h"
#include "ingest/conversation.h"
#include "ingest/export_json.h"
#include "ops/eval_json.h"
#include "ops/eval_set.h"

namespace loci {
namespace {

using nlohmann::json;

constexpr std::size_t kLargestConversationsBytes = std::size_t{2} << 30;

Result<json> read_list(const std::filesystem::path& file) {
  const std::string bytes = TRY(read_file(file, kLargestConversationsBytes));
  json document = parse_export(bytes);
  if (document.is_array()) return document;
  return Error{ErrorKind::invalid_argument, file.string() + " is no JSON list of conversations"};
}

Error not_of_the_set(const std::filesystem::path& file, std::size_t number, const std::string& why) {
  return {ErrorKind::invalid_argument, file.string() + ": entry " + std::to_string(number) + " " + why};
}

// --- LoCoMo ---

// The sessions that evidence such as "D3:12" or "D3:12; D4:1 D4:2" names, of those that there are.
std::set<std::string> sessions_of(const json& evidence, const std::map<std::string, std::string>& session_of_turn) {
  std::set<std::string> sessions;
  if (!evidence.is_array()) return sessions;
  for (const json& entry : evidence) {
    const std::string text = entry.is_string() ? entry.get<std::string>() : std::string();
    constexpr std::string_view kBetween = "; ,\t\n";
    for (std::size_t start = text.find_first_not_of(kBetween); start != std::string::npos;) {
      const std::size_t end = std::min(text.find_first_of(kBetween, start), text.size());
      const auto found = session_of_turn.find(text.substr(start, end - start));
      if (found != session_of_turn.end()) sessions.insert(found->second);
      start = text.find_first_not_of(kBetween, end);
    }
  }
  return sessions;
}

Status check_sample(const json& sample, std::size_t number, const std::filesystem::path& file) {
  if (!value_in(value_in(sample, "conversation"), "session_1").is_array())
    return not_of_the_set(file, number, "has no conversation with a list session_1, as those of LoCoMo have");
  if (!value_in(sample, "qa").is_array()) return not_of_the_set(file, number, "has no list qa");
  return {};
}

void add_sample(const json& sample, std::size_t number, EvalSet& set) {
  const std::string sample_id = text_in(sample, "sample_id");
  const std::string file = std::to_string(number) + ".json";
  EvalStore& store = set.stores.back();
  const json& conversation = value_in(sample, "conversation");
  std::map<std::string, std::string> session_of_turn;
  for (std::size_t session = 1;; ++session) {
    const std::string name = "session_" + std::to_string(session);
    const json& turns = value_in(conversation, name);
    if (!turns.is_array()) break;
    const std::string item = sample_id + ":" + std::to_string(session);
    store.items.emplace(conversation_name(file, std::to_string(number) + "/" + name), item);
    for (const json& turn : turns) session_of_turn.emplace(text_in(turn, "dia_id"), item);
  }
  store.files.push_back({file, json{{"sample_id", std::to_string(number)}, {"conversation", conversation}}.dump()});

  const json& questions = value_in(sample, "qa");
  for (std::size_t i = 0; i < questions.size(); ++i) {
    const std::set<std::string> gold = sessions_of(value_in(questions[i], "evidence"), session_of_turn);
    set.questions.push_back({.text = text_in(questions[i], "question"),
                             .store = set.stores.size() - 1,
                             .row = {.conversation = sample_id,
                                     .question = std::to_string(i),
                                     .category = id_of(value_in(questions[i], "category")),
                                     .gold = {gold.begin(), gold.end()}}});
  }
}

// --- LongMemEval ---

Status check_entry(const json& entry, std::size_t number, const std::filesystem::path& file) {
  for (const char* name : {"haystack_session_ids", "haystack_sessions", "answer_session_ids"}) {
    if (!value_in(entry, name).is_array())
      return not_of_the_set(file, number, "has no list " + std::string(name) + ", as those of LongMemEval have");
  }
  for (const json& session : value_in(entry, "haystack_sessions")) {
    if (!session.is_array()) return not_of_the_set(file, number, "has a session that is no list of turns");
  }
  return {};
}

// The haystack of an entry, its sessions called by numbers, without the marks of what answers the question.
json opaque_entry(const json& entry, const std::map<std::string, std::string>& number_of,
                  std::set<std::string>& taken) {
  json ids = json::array();
  json dates = json::array();
  json sessions = json::array();
  const json& old_ids = value_in(entry, "haystack_session_ids");
  const json& old_sessions = value_in(entry, "haystack_sessions");
  const json& old_dates = value_in(entry, "haystack_dates");
  for (std::size_t i = 0; i < std::min(old_ids.size(), old_sessions.size()); ++i) {
    const std::string number = number_of.at(id_of(old_ids[i]));
    if (!taken.insert(number).second) continue;
    ids.push_back(number);
    dates.push_back(old_dates.is_array() && i < old_dates.size() ? old_dates[i] : json(""));
    json turns = json::array();
    for (const json& turn : old_sessions[i])
      turns.push_back({{"role", text_in(turn, "role")}, {"content", text_in(turn, "content")}});
    sessions.push_back(std::move(turns));
  }
  return {{"haystack_session_ids", ids}, {"haystack_dates", dates}, {"haystack_sessions", sessions}};
}

void add_entry(const json& entry, std::size_t number, std::map<std::string, std::string>& number_of,
               std::set<std::string>& taken, EvalSet& set) {
  EvalStore& store = set.stores.back();
  const std::string file = std::to_string(number) + ".json";
  for (const json& id : value_in(entry, "haystack_session_ids")) {
    const std::string name = id_of(id);
    const auto known = number_of.emplace(name, std::to_string(number_of.size() + 1)).first;
    if (!taken.contains(known->second)) store.items.emplace(conversation_name(file, known->second), name);
  }
  json staged = opaque_entry(entry, number_of, taken);
  if (!staged["haystack_session_ids"].empty()) store.files.push_back({file, json::array({std::move(staged)}).dump()});
  std::vector<std::string> gold;
  for (const json& id : value_in(entry, "answer_session_ids")) gold.push_back(id_of(id));
  const std::string question_id = text_in(entry, "question_id");
  // Questions that the sessions do not answer: their ids say so.
  const bool has_answer = !question_id.ends_with("_abs");
  set.questions.push_back({.text = text_in(entry, "question"),
                           .store = set.stores.size() - 1,
                           .row = {.conversation = has_answer ? "" : "unanswerable",
                                   .question = question_id,
                                   .category = text_in(entry, "question_type"),
                                   .gold = std::move(gold),
                                   .is_answerable = has_answer}});
}

}  // namespace

Result<EvalSet> read_locomo(const std::filesystem::path& file, EvalStores stores) {
  const json samples = TRY(read_list(file));
  EvalSet set{.mode = "locomo"};
  for (std::size_t i = 0; i < samples.size(); ++i) {
    TRY(check_sample(samples[i], i + 1, file));
    if (set.stores.empty() || stores == EvalStores::one_each) set.stores.emplace_back();
    add_sample(samples[i], i + 1, set);
  }
  if (set.questions.empty()) return Error{ErrorKind::invalid_argument, file.string() + " has no questions"};
  return set;
}

Result<EvalSet> read_longmemeval(const std::filesystem::path& file, EvalStores stores) {
  const json entries = TRY(read_list(file));
  EvalSet set{.mode = "longmemeval"};
  std::map<std::string, std::string> number_of;  // of a session, by its name
  std::set<std::string> taken;                   // the numbers that the store at hand has
  for (std::size_t i = 0; i < entries.size(); ++i) {
    TRY(check_entry(entries[i], i + 1, file));
    if (set.stores.empty() || stores == EvalStores::one_each) {
      set.stores.emplace_back();
      taken.clear();
    }
    add_entry(entries[i], i + 1, number_of, taken, set);
  }
  if (set.questions.empty()) return Error{ErrorKind::invalid_argument, file.string() + " has no questions"};
  return set;
}

}  // namespace loci
