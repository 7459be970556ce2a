// The answers about a palace's files, for people.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/renderers.h"

namespace loci {
namespace {

std::string records_and_bytes(const Json& answer) {
  return counted(number_at(answer, "records"), "record") + ", " + with_separators(number_at(answer, "bytes")) +
         " bytes";
}

// A value of a report on one line: texts without quotes, large numbers with separators.
std::string value_text(const Json& value) {
  if (value.is_string()) return one_line(value.get<std::string>());
  if (value.is_number_unsigned() || (value.is_number_integer() && value.get<std::int64_t>() >= 0))
    return with_separators(value.get<std::size_t>());
  return one_line(to_text(value, JsonLayout::one_line));
}

std::string report_lines(const Terminal& terminal, const Json& report) {
  std::size_t width = 0;
  for (const auto& [name, value] : report.items()) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : report.items())
    text += "  " + styled(terminal, Style::dim, pad_to_width(name, width)) + "  " + value_text(value) + "\n";
  return text;
}

// What was found, and then, once each, what mends it.
std::string findings_lines(const Terminal& terminal, const Json& findings, std::string_view indent) {
  std::string text;
  std::vector<std::string> fixes;
  for (const Json& finding : findings) {
    const Style style = finding.value("needs_attention", true) ? Style::bad : Style::dim;
    text += std::string(indent) + styled(terminal, style, one_line(text_at(finding, "check"))) + "  " +
            one_line(text_at(finding, "detail")) + "\n";
    std::string fix = text_at(finding, "fix");
    if (!fix.empty() && std::find(fixes.begin(), fixes.end(), fix) == fixes.end()) fixes.push_back(std::move(fix));
  }
  for (const std::string& fix : fixes) text += std::string(indent) + "    → " + one_line(fix) + "\n";
  return text;
}

std::size_t damages_in(const Json& findings) {
  return static_cast<std::size_t>(std::count_if(
      findings.begin(), findings.end(), [](const Json& finding) { return finding.value("needs_attention", true); }));
}

// "cosine, 384 dimensions: 1,194 rows, 1,190 with their vector, 4 missing".
std::string coverage_text(const Json& collection) {
  std::string text = one_line(text_at(collection, "space"));
  if (const std::size_t dimension = number_at(collection, "dimension"); dimension > 0)
    text += ", " + counted(dimension, "dimension");
  text += ": " + counted(number_at(collection, "rows"), "row") + ", " +
          with_separators(number_at(collection, "vectors")) + " with their vector";
  for (const char* kind : {"missing", "stale", "ghosts"}) {
    if (const std::size_t number = number_at(collection, kind); number > 0)
      text += ", " + with_separators(number) + " " + kind;
  }
  return text;
}

// "7,200 s older than the database".
std::string seconds_text(const Json& each) {
  return with_separators(static_cast<std::size_t>(std::max(0.0, real_at(each, "gap_seconds")))) +
         " s older than the database";
}

std::string render_mend(const Terminal& terminal, const Json& answer) {
  const bool applied = answer.value("applied", false);
  const std::size_t changed = number_at(answer, "changed");
  std::string text;
  for (const Json& change : answer.at("changes")) {
    text += "  " + one_line(text_at(change, "what")) + ": " + one_line(text_at(change, "from")) + " → " +
            one_line(text_at(change, "to")) + "\n";
  }
  if (const std::size_t shown = answer.at("changes").size(); changed > shown)
    text += "  and " + with_separators(changed - shown) + " more\n";
  text += findings_lines(terminal, answer.at("left"), "");
  if (changed == 0) return text + text_at(answer, "only") + ": nothing to mend\n";
  text += text_at(answer, "only") + ": ";
  if (applied) return text + styled(terminal, Style::good, with_separators(changed) + " mended") + "\n";
  return text + with_separators(changed) + " to mend; --apply does it\n";
}

}  // namespace

std::string render_verify(const Terminal& terminal, const Json& answer) {
  if (answer.contains("against")) return render_comparison(terminal, answer);
  std::string text;
  std::size_t damages = 0;
  const Json none = Json::array();
  const auto collections = answer.find("collections");
  for (const Json& collection : collections == answer.end() ? none : *collections) {
    text += styled(terminal, Style::bold, one_line(text_at(collection, "name"))) + "  " + coverage_text(collection) +
            "\n" + findings_lines(terminal, collection.at("findings"), "  ");
    damages += damages_in(collection.at("findings"));
  }
  text += findings_lines(terminal, answer.at("findings"), "");
  damages += damages_in(answer.at("findings"));
  text += counted(number_at(answer, "records"), "record") + ", " + counted(answer.at("checked").size(), "check") +
          ": " + (damages == 0 ? styled(terminal, Style::good, "all is well") : counted(damages, "finding")) + "\n";
  if (const std::size_t pending = number_at(answer, "pending"); pending > 0) {
    text += with_separators(pending) + " without a vector yet\n";
  }
  return text;
}

std::string render_backup(const Terminal&, const Json& answer) {
  return one_line(text_at(answer, "file")) + ": " + records_and_bytes(answer) + ", examined\n";
}

std::string render_restore(const Terminal&, const Json& answer) {
  return one_line(text_at(answer, "palace")) + ": " + records_and_bytes(answer) + "\n";
}

std::string render_quarantine(const Terminal& terminal, const Json& answer) {
  const bool applied = answer.value("applied", false);
  std::string text;
  for (const Json& each : answer.at("moved")) {
    text += (applied ? "renamed " : "would rename ") + one_line(text_at(each, "from")) + " to " +
            one_line(text_at(each, "to")) + " (" + seconds_text(each) + ")\n";
  }
  for (const Json& each : answer.at("refused")) {
    text += styled(terminal, Style::bad, "refused") + "  " + one_line(text_at(each, "segment")) + " (" +
            seconds_text(each) + "): " + one_line(text_at(each, "reason")) + "\n";
  }
  if (!answer.at("refused").empty()) {
    text +=
        "    → loci repair --backend chroma --output NEW makes a whole copy, loci migrate moves to a palace; "
        "--force renames all the same\n";
  }
  if (answer.at("moved").empty()) return text + "nothing " + (applied ? "renamed" : "to rename") + "\n";
  return applied ? text : text + "--apply does it\n";
}

std::string render_repair(const Terminal& terminal, const Json& answer) {
  if (answer.contains("only")) return render_mend(terminal, answer);
  std::string text = one_line(text_at(answer, "output")) + ": " + with_separators(number_at(answer, "saved")) +
                     " saved, " + with_separators(number_at(answer, "saved_in_part")) + " saved in part, " +
                     with_separators(number_at(answer, "lost")) + " lost\n";
  if (const std::size_t unassigned = number_at(answer, "unassigned"); unassigned > 0)
    text += with_separators(unassigned) + " vectors of unknown records, in files of their own\n";
  for (const Json& loss : answer.at("losses"))
    text += "  " + styled(terminal, Style::bad, one_line(loss.get<std::string>())) + "\n";
  return text;
}

std::string render_maintenance(const Terminal& terminal, const Json& answer) {
  const std::string status = text_at(answer, "status");
  if (status.empty()) return report_lines(terminal, answer.at("state"));
  std::string text = text_at(answer, "kind") + ": ";
  if (status == "ran") text += styled(terminal, Style::good, "done") + "\n";
  if (status == "noop") text += "nothing to do\n";
  if (status == "already_running") text += styled(terminal, Style::warning, "another maintenance is running") + "\n";
  return text + report_lines(terminal, answer.at("stats"));
}

}  // namespace loci
