// The answers of migrate and of verify --against, for people.
#include "cli/renderers.h"

namespace loci {
namespace {

std::string list_of(const Terminal& terminal, const Json& texts, std::size_t count) {
  constexpr std::size_t kShown = 5;
  std::string text;
  std::size_t shown = 0;
  for (const Json& each : texts) {
    if (shown++ == kShown) break;
    text += "    " + styled(terminal, Style::dim, one_line(each.get<std::string>())) + "\n";
  }
  if (count > kShown)
    text += "    " + styled(terminal, Style::dim, "… " + with_separators(count - kShown) + " more") + "\n";
  return text;
}

std::string collection_text(const Terminal& terminal, const Json& collection) {
  const std::size_t missing = number_at(collection, "missing");
  const std::size_t refused = number_at(collection, "refused");
  const std::size_t records = number_at(collection, "records");
  std::string text = "  " + one_line(text_at(collection, "name")) + "  " +
                     (refused > 0 ? with_separators(records - refused) + " of " : "") + counted(records, "record");
  if (const std::size_t there = number_at(collection, "already_there"); there > 0) {
    text += ", " + with_separators(there) + " there already";
  }
  if (const std::size_t folded = number_at(collection, "folded"); folded > 0) {
    text += ", " + with_separators(folded) + " folded into equal ones";
  }
  text += "\n";
  if (missing > 0) {
    text += "  " + styled(terminal, Style::warning, counted(missing, "vector") + " missing in the source") +
            "; `loci embed --missing` makes them\n" + list_of(terminal, collection.at("missing_ids"), missing);
  }
  if (refused > 0) {
    text += "  " + styled(terminal, Style::bad, with_separators(refused) + " refused") + "\n" +
            list_of(terminal, collection.at("refusals"), refused);
  }
  return text;
}

std::string losslessness(const Terminal& terminal, const Json& answer) {
  if (answer.at("lossless").get<bool>()) return styled(terminal, Style::good, "lossless");
  return styled(terminal, Style::warning, number_at(answer, "refused") > 0 ? "not lossless" : "to be embedded anew");
}

}  // namespace

std::string render_migrate(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "palace")) + ": " + counted(number_at(answer, "records"), "record") +
                     " from " + one_line(text_at(answer, "source")) + ", " + losslessness(terminal, answer) +
                     (answer.at("resumed").get<bool>() ? ", resumed" : "") + "\n";
  for (const Json& collection : answer.at("collections")) text += collection_text(terminal, collection);
  for (const Json& file : answer.at("imported")) text += "  " + one_line(file.get<std::string>()) + "\n";
  return text;
}

std::string render_comparison(const Terminal& terminal, const Json& answer) {
  std::string text;
  for (const Json& difference : answer.at("differences")) {
    text += styled(terminal, Style::bad, one_line(text_at(difference, "collection"))) + "  " +
            one_line(text_at(difference, "id")) + "  " + one_line(text_at(difference, "what")) + "\n";
  }
  const std::size_t different = number_at(answer, "different");
  text += counted(number_at(answer, "records"), "record") + " of " + one_line(text_at(answer, "against")) + ", " +
          counted(number_at(answer, "vectors"), "vector") + " compared: " +
          (different == 0 ? styled(terminal, Style::good, "all are here") : counted(different, "difference")) + "\n";
  return text;
}

}  // namespace loci
