#include <algorithm>
#include <string>

#include "cli/renderers.h"

namespace loci {
namespace {

std::string model_line(const Terminal& terminal, const Json& model, std::size_t width) {
  const bool is_present = model.at("present").get<bool>();
  std::string text = styled(terminal, Style::bold, pad_to_width(one_line(text_at(model, "name")), width)) + "  ";
  if (const std::size_t dimension = number_at(model, "dimension"); dimension > 0)
    text += with_separators(dimension) + " dimensions  ";
  text += one_line(text_at(model, "folder"));
  if (!is_present) text += "  " + styled(terminal, Style::warning, "files are missing");
  if (model.at("in_use").get<bool>()) text += "  " + styled(terminal, Style::good, "in use");
  return text + "\n";
}

std::string models_table(const Terminal& terminal, const Json& answer) {
  std::size_t width = 0;
  for (const Json& model : answer.at("models"))
    width = std::max(width, display_width(one_line(text_at(model, "name"))));
  std::string text;
  for (const Json& model : answer.at("models")) text += model_line(terminal, model, width);
  const Json& embedder = answer.at("embedder");
  return text + "\nNAME+windows reads up to 64 times as much of a long text, in pieces\nthe embedder is " +
         one_line(text_at(embedder, "name")) + " (" + text_at(embedder, "reason") + ")\n";
}

std::string check_report(const Terminal& terminal, const Json& answer) {
  std::string text;
  for (const Json& file : answer.at("files")) {
    text += one_line(text_at(file, "file")) + "  " + human_size(number_at(file, "bytes")) + "  " +
            text_at(file, "state") + "\n";
  }
  const bool is_sound = answer.at("sound").get<bool>();
  return text + one_line(text_at(answer, "name")) + " " +
         (is_sound ? styled(terminal, Style::good, "works") : styled(terminal, Style::bad, "is not sound")) + ": " +
         with_separators(number_at(answer, "dimension")) + " dimensions\n";
}

}  // namespace

// The answer's shape says which action it is of.
std::string render_model(const Terminal& terminal, const Json& answer) {
  if (answer.contains("models")) return models_table(terminal, answer);
  if (answer.contains("sound")) return check_report(terminal, answer);
  std::string text;
  if (answer.contains("configuration")) {
    text = "the embedder is " + one_line(text_at(answer, "name")) + " from now on, as " +
           one_line(text_at(answer, "configuration")) + " says\n";
  } else {
    text = model_line(terminal, answer, 0);
  }
  for (const char* key : {"note", "problem"}) {
    if (const std::string note = text_at(answer, key); !note.empty()) text += wrap(terminal, note, 0);
  }
  return text;
}

}  // namespace loci
