// The answer of eval, for people.
#include <fmt/format.h>

#include "cli/renderers.h"

namespace loci {

std::string render_eval(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "set")) + ", " + text_at(answer, "mode") + ", " +
                     counted(number_at(answer, "questions"), "question") + ", " +
                     counted(number_at(answer, "drawers"), "drawer") + "\n";
  for (const auto& [name, interval] : answer.at("intervals").items()) {
    text += labelled(terminal, name,
                     fmt::format("{:.4f}  ({:.4f} to {:.4f})", answer.at(name).get<double>(),
                                 interval.at(0).get<double>(), interval.at(1).get<double>()));
  }
  if (const auto answerable = answer.find("answerable"); answerable != answer.end()) {
    text += labelled(terminal, "answerable",
                     fmt::format("all_hit_at_5 {:.4f} of {}", answerable->at("all_hit_at_5").get<double>(),
                                 counted(number_at(*answerable, "questions"), "question")));
  }
  for (const Json& one : answer.at("refused")) {
    const std::string conversation = text_at(one, "conversation");
    text += one_line(text_at(answer, "data") + ": " + (conversation.empty() ? "" : conversation + ", ") + "question " +
                     text_at(one, "question") + " counts as not found: " + text_at(one, "reason")) +
            "\n";
  }
  if (const auto degraded = answer.find("degraded"); degraded != answer.end()) {
    for (const Json& part : *degraded) text += one_line(text_at(part, "reason")) + "\n";
  }
  return text;
}

}  // namespace loci
