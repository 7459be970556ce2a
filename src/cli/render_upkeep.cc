// The answers about a palace's files, for people.
#include <algorithm>
#include <cstdint>

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

}  // namespace

std::string render_verify(const Terminal& terminal, const Json& answer) {
  if (answer.contains("against")) return render_comparison(terminal, answer);
  std::string text;
  for (const Json& finding : answer.at("findings")) {
    text += styled(terminal, Style::bad, one_line(text_at(finding, "check"))) + "  " +
            one_line(text_at(finding, "detail")) + "\n    → " + one_line(text_at(finding, "fix")) + "\n";
  }
  const std::size_t findings = answer.at("findings").size();
  text += counted(number_at(answer, "records"), "record") + ", " + counted(answer.at("checked").size(), "check") +
          ": " + (findings == 0 ? styled(terminal, Style::good, "all is well") : counted(findings, "finding")) + "\n";
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

std::string render_repair(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "output")) + ": " + with_separators(number_at(answer, "saved")) +
                     " saved, " + with_separators(number_at(answer, "saved_in_part")) + " saved in part, " +
                     with_separators(number_at(answer, "lost")) + " lost\n";
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
