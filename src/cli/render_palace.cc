#include <algorithm>
#include <string>

#include "cli/renderers.h"

namespace loci {
namespace {

// "loci (the default)".
std::string with_reason(const Json& setting) {
  return one_line(text_at(setting, "name")) + " (" + text_at(setting, "reason") + ")";
}

std::string name_or(const Json& object, std::string_view key, std::string_view otherwise) {
  const std::string name = text_at(object, key);
  return name.empty() ? std::string(otherwise) : one_line(name);
}

std::string and_more(std::size_t left_out) {
  return left_out == 0 ? "" : "  and " + with_separators(left_out) + " more\n";
}

// Rooms below their wing, all numbers in one column.
std::string wings_table(const Terminal& terminal, const Json& wings) {
  std::size_t width = 0;
  for (const Json& wing : wings) {
    width = std::max(width, display_width(name_or(wing, "wing", "(no wing)")));
    for (const Json& room : wing.at("rooms"))
      width = std::max(width, 2 + display_width(name_or(room, "room", "(no room)")));
  }
  width = std::min<std::size_t>(width, terminal.width > 20 ? terminal.width - 16 : 40);
  const auto row = [&](std::string_view name, const Json& counts, Style style) {
    std::string number = with_separators(number_at(counts, "drawers"));
    number.insert(0, number.size() < 9 ? 9 - number.size() : 0, ' ');
    return "  " + styled(terminal, style, pad_to_width(cut_to_width(name, width), width)) + " " + number + "\n";
  };
  std::string text;
  for (const Json& wing : wings) {
    text += row(name_or(wing, "wing", "(no wing)"), wing, Style::bold);
    for (const Json& room : wing.at("rooms"))
      text += row("  " + name_or(room, "room", "(no room)"), room, Style::plain);
  }
  return text;
}

// "a worker embeds them: 120 a second, about 8 s left". A worker that has nothing left to embed is not worth a line.
std::string worker_line(const Terminal& terminal, const Json& worker, std::size_t pending) {
  if (!worker.is_object()) return "";
  if (const std::string error = text_at(worker, "error"); !error.empty())
    return styled(terminal, Style::warning, "the last worker failed") + ": " + one_line(error) + "\n";
  if (pending == 0) return "";
  std::string text = "a worker embeds them";
  if (worker.at("per_second").is_number()) {
    const auto left = static_cast<std::size_t>(worker.at("seconds_left").get<double>() + 0.5);
    text += ": " + with_separators(static_cast<std::size_t>(worker.at("per_second").get<double>() + 0.5)) +
            " a second, about " + with_separators(left) + " s left";
  }
  return text + "\n";
}

std::string reembedding_line(const Json& state) {
  if (!state.is_object()) return "";
  return "being re-embedded with " + one_line(text_at(state, "model")) + ": " +
         with_separators(number_at(state, "done")) + " of " + with_separators(number_at(state, "total")) + "\n";
}

std::string collection_line(const Json& collection) {
  std::string text = one_line(text_at(collection, "name")) + ": " + counted(number_at(collection, "drawers"), "drawer");
  const std::string model = text_at(collection, "model");
  if (!model.empty()) text += ", model " + one_line(model);
  return text;
}

std::string state_mark(const Terminal& terminal, const std::string& state) {
  if (state == "ok") return styled(terminal, Style::good, "ok     ");
  if (state == "warning") return styled(terminal, Style::warning, "warning");
  return styled(terminal, Style::bad, pad_to_width(state, 7));
}

}  // namespace

std::string render_init(const Terminal&, const Json& answer) {
  const std::string palace = one_line(text_at(answer, "palace"));
  std::string text = answer.at("created").get<bool>() ? "created the palace " + palace + "\n"
                                                      : "the palace " + palace + " is there already\n";
  if (answer.at("configuration_written").get<bool>()) text += "its settings are in palace.json there\n";
  return text;
}

std::string render_status(const Terminal& terminal, const Json& answer) {
  const Json& wings = answer.at("wings");
  std::string text = styled(terminal, Style::bold, one_line(text_at(answer, "palace"))) + "\n";
  text += counted(number_at(answer, "drawers"), "drawer") + " in " + counted(wings.size(), "wing");
  const std::size_t pending = number_at(answer, "pending");
  if (pending > 0) text += ", " + with_separators(pending) + " without a vector yet";
  if (const std::size_t missing = number_at(answer, "missing"); missing > 0) {
    text += ", " + with_separators(missing) + " whose vector is missing (`loci embed --missing` makes them)";
  }
  text += "\n";
  text += worker_line(terminal, answer.value("worker", Json()), pending);
  text += reembedding_line(answer.value("reembedding", Json()));
  if (!wings.empty()) text += "\n" + wings_table(terminal, wings);
  text += "\n";
  text += labelled(terminal, "backend", with_reason(answer.at("backend")));
  text += labelled(terminal, "collection", with_reason(answer.at("collection")));
  text += labelled(terminal, "model", name_or(answer, "model", "none recorded"));
  text += labelled(terminal, "embedder", with_reason(answer.at("embedder")));
  text += labelled(terminal, "size", human_size(number_at(answer, "size_bytes")));
  const std::string main = text_at(answer.at("collection"), "name");
  std::string label = "also here";
  for (const Json& collection : answer.at("collections")) {
    if (text_at(collection, "name") == main) continue;
    text += labelled(terminal, label, collection_line(collection));
    label = "";
  }
  return text;
}

namespace {

std::string refused_text(const Json& answer) {
  const Json& refused = answer.at("refused");
  if (refused.empty()) return "";
  std::string text = "the embedder refuses the text of " + counted(refused.size(), "drawer") +
                     ", found by words only from now on (`loci embed --missing` tries again):\n";
  for (const Json& one : refused)
    text += "  " + one_line(text_at(one, "id")) + ": " + one_line(text_at(one, "reason")) + "\n";
  return text;
}

// What there is to tell besides.
std::string left_over_text(const Json& answer) {
  std::string text;
  if (const std::size_t pending = number_at(answer, "pending"); pending > 0)
    text += "; " + with_separators(pending) + " wait or are being embedded by another process";
  const std::size_t refused = answer.at("refused").size();
  if (const std::size_t missing = number_at(answer, "missing"); missing > refused)  // those are told by name
    text +=
        "; " + with_separators(missing - refused) + " without a vector wait for none (`loci embed --missing` tries)";
  text += "\n" + refused_text(answer);
  if (const std::string problem = text_at(answer, "index_problem"); !problem.empty())
    text +=
        "the vector index could not be brought up to date, so that searches are slower: " + one_line(problem) + "\n";
  return text;
}

std::string reembed_text(const Json& answer) {
  const std::string model = one_line(text_at(answer, "model"));
  if (answer.at("finished").get<bool>())
    return "embedded " + counted(number_at(answer, "embedded"), "drawer") + "; all vectors are by " + model +
           left_over_text(answer);
  const Json& state = answer.at("reembedding");
  return "embedded " + counted(number_at(answer, "embedded"), "drawer") + " with " + model + "; " +
         with_separators(number_at(state, "total") - std::min(number_at(state, "done"), number_at(state, "total"))) +
         " are left, and the old vectors stay in use until then\n" + refused_text(answer);
}

}  // namespace

std::string embedding_text(const Json& answer) {
  const auto embedding = answer.find("embedding");
  if (embedding == answer.end()) return "";
  if (const std::string error = text_at(*embedding, "error"); !error.empty())
    return "stored, but without vectors until `loci embed`: " + one_line(error) + "\n";
  const std::string left_over = left_over_text(*embedding);
  const std::size_t embedded = number_at(*embedding, "embedded");
  if (embedded == 0 && left_over == "\n") return "";
  return "embedded " + counted(embedded, "drawer") + left_over;
}

std::string render_embed(const Terminal&, const Json& answer) {
  if (answer.contains("lines")) return "embedded " + counted(number_at(answer, "lines"), "line") + "\n";
  if (answer.contains("abandoned")) {
    const std::string model = text_at(answer, "abandoned");
    return model.empty() ? "no re-embedding was under way\n"
                         : "gave up the re-embedding with " + one_line(model) + "\n";
  }
  if (answer.contains("finished")) return reembed_text(answer);
  return "embedded " + counted(number_at(answer, "embedded"), "drawer") + " with " + text_at(answer, "model") +
         left_over_text(answer);
}

std::string render_export(const Terminal&, const Json& answer) {
  std::string text = "exported " + counted(number_at(answer, "records"), "record") + " of " +
                     counted(number_at(answer, "collections"), "collection") + ", " +
                     human_size(number_at(answer, "bytes"));
  if (const std::string output = text_at(answer, "output"); output != "-") text += ", to " + one_line(output);
  if (const std::size_t without = number_at(answer, "without_vector"); without > 0) {
    text += "; " + with_separators(without) + " have no vector yet";
  }
  return text + "\n";
}

std::string render_import(const Terminal& terminal, const Json& answer) {
  std::string text = counted(number_at(answer, "lines"), "record") + ": " +
                     with_separators(number_at(answer, "stored")) + " stored, " +
                     with_separators(number_at(answer, "already_there")) + " already there, " +
                     with_separators(number_at(answer, "updated")) + " updated, " +
                     with_separators(number_at(answer, "refused")) + " refused\n";
  const Json& refusals = answer.at("refusals");
  for (const Json& refusal : refusals) {
    text += styled(terminal, Style::bad, "  line " + std::to_string(number_at(refusal, "line"))) + ": " +
            one_line(text_at(refusal, "reason")) + "\n";
  }
  text += and_more(number_at(answer, "refusals_left_out"));
  for (const Json& line : answer.at("under_another_id")) {
    text += "  line " + std::to_string(number_at(line, "line")) + ": " + one_line(text_at(line, "id")) +
            (text_at(line, "outcome") == "stored" ? " is stored as " : " is there as ") +
            one_line(text_at(line, "stored_id")) + "\n";
  }
  text += and_more(number_at(answer, "under_another_id_left_out"));
  if (const std::size_t elsewhere = number_at(answer, "in_other_collections"); elsewhere > 0) {
    text += "  " + counted(elsewhere, "record") +
            " went to the collections that their lines name; --collection is for "
            "the others\n";
  }
  return text + embedding_text(answer);
}

std::string render_doctor(const Terminal& terminal, const Json& answer) {
  std::string text;
  std::size_t width = 0;
  for (const Json& check : answer.at("checks"))
    width = std::max(width, display_width(one_line(text_at(check, "name"))));
  for (const Json& check : answer.at("checks")) {
    text += state_mark(terminal, text_at(check, "state")) + "  " +
            pad_to_width(one_line(text_at(check, "name")), width) + "  " + one_line(text_at(check, "detail")) + "\n";
    if (const std::string fix = text_at(check, "fix"); !fix.empty()) {
      text += std::string(width + 11, ' ') + "→ " + one_line(fix) + "\n";
    }
  }
  return text;
}

std::string render_backends(const Terminal& terminal, const Json& answer) {
  const std::string selected = text_at(answer.at("selected"), "name");
  std::string text;
  for (const Json& backend : answer.at("backends")) {
    const std::string name = text_at(backend, "name");
    const std::string why = name == selected ? "  in use: " + text_at(answer.at("selected"), "reason") : "";
    text += styled(terminal, Style::bold, one_line(name)) + styled(terminal, Style::good, why) + "\n";
    if (const std::string error = text_at(backend, "error"); !error.empty()) {
      text += wrap(terminal, error, 2);
      continue;
    }
    std::string capabilities;
    for (const Json& capability : backend.at("capabilities")) {
      capabilities += (capabilities.empty() ? "" : ", ") + capability.get<std::string>();
    }
    text += wrap(terminal, capabilities, 2);
  }
  return text;
}

std::string render_set_embedder(const Terminal&, const Json& answer) {
  return "the vectors of " + one_line(text_at(answer, "collection")) + " are by " + one_line(text_at(answer, "model")) +
         "\n";
}

}  // namespace loci
