// The answers about a palace's files, for people.
#include "cli/renderers.h"

namespace loci {
namespace {

std::string records_and_bytes(const Json& answer) {
  return counted(number_at(answer, "records"), "record") + ", " + with_separators(number_at(answer, "bytes")) +
         " bytes";
}

}  // namespace

std::string render_verify(const Terminal& terminal, const Json& answer) {
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

}  // namespace loci
