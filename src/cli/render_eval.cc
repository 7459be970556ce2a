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
  return text;
}

}  // namespace loci
