// The answer of a search, for people: what was found, where it stands, and what matched.
#include <cmath>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "cli/renderers.h"
#include "text/query_words.h"
#include "text/snippet.h"

namespace loci {
namespace {

constexpr std::size_t kSearchSnippetBytes = 480;
constexpr std::size_t kContextSnippetBytes = 160;
constexpr double kLeastPart = 0.0005;  // a smaller one is shown as 0.000

// When it was said or written, else when it was filed: "2026-01-31" of "2026-01-31T12:34:56.789Z".
std::string day_of(const Json& drawer) {
  const std::string date = text_at(drawer, "content_date");
  return one_line((date.empty() ? text_at(drawer, "filed_at") : date).substr(0, 10));
}

std::string join_present(const std::vector<std::string>& parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (!part.empty()) text += (text.empty() ? "" : std::string(separator)) + part;
  }
  return text;
}

// ":12-30" behind a source.
std::string lines_of(const Json& hit) {
  const auto lines = hit.find("lines");
  if (lines == hit.end() || !lines->is_object()) return "";
  return ":" + std::to_string(number_at(*lines, "start")) + "-" + std::to_string(number_at(*lines, "end"));
}

// What stands before or after a hit in its source, a few lines of each drawer.
std::string render_around(const Terminal& terminal, const Json& hit, std::string_view side, std::size_t indent) {
  const auto context = hit.find("context");
  if (context == hit.end()) return "";
  std::string text;
  for (const Json& drawer : context->at(std::string(side))) {
    const std::string shown = snippet(text_at(drawer, "document"), {}, kContextSnippetBytes);
    text += wrap_with_matches(terminal, "| " + shown, {}, indent);
  }
  return text;
}

// What adds up to the score, and what found the drawer.
std::string render_scores(const Terminal& terminal, const Json& hit, std::size_t indent) {
  std::vector<std::string> parts;
  for (const auto& [sign, part] : hit.at("scores").at("parts").items()) {
    if (std::abs(part.get<double>()) >= kLeastPart) parts.push_back(fmt::format("{} {:.3f}", sign, part.get<double>()));
  }
  std::vector<std::string> found_by;
  for (const Json& way : hit.at("matched_via")) found_by.push_back(way.get<std::string>());
  std::string text = fmt::format("score {:.3f}", real_at(hit, "score"));
  if (!parts.empty()) text += " = " + join_present(parts, " + ");
  if (!found_by.empty()) text += "; found by " + join_present(found_by, ", ");
  return std::string(indent, ' ') + styled(terminal, Style::dim, text) + "\n";
}

std::string joined(const Json& texts) {
  std::vector<std::string> parts;
  for (const Json& text : texts) parts.push_back(one_line(text.get<std::string>()));
  return join_present(parts, ", ");
}

std::string dates_of(const Json& explanation) {
  std::vector<std::string> ranges;
  for (const Json& range : explanation.at("dates")) {
    const std::string first = text_at(range, "first");
    const std::string last = text_at(range, "last");
    ranges.push_back(first == last ? first : first + " to " + last);
  }
  return join_present(ranges, ", ");
}

std::string render_explanation(const Terminal& terminal, const Json& explanation) {
  const Json& times = explanation.at("times_ms");
  std::string text = labelled(terminal, "looked for", joined(explanation.at("terms")));
  const auto add = [&](std::string_view label, const std::string& value) {
    if (!value.empty()) text += labelled(terminal, label, value);
  };
  add("exact terms", joined(explanation.at("exact_terms")));
  add("days", dates_of(explanation));
  add("wings", joined(explanation.at("places").at("wings")));
  add("rooms", joined(explanation.at("places").at("rooms")));
  add("told as", one_line(text_at(explanation, "told_as")));
  const double read = explanation.value("readable_share", 1.0);
  if (read < 1) add("model reads", fmt::format("{:.0f} % of it", 100 * read));
  return text + labelled(terminal, "time",
                         fmt::format("{:.1f} ms: embed {:.1f}, words {:.1f}, vectors {:.1f}, fetch {:.1f}, rest {:.1f}",
                                     real_at(times, "total"), real_at(times, "embed"), real_at(times, "words"),
                                     real_at(times, "vectors"), real_at(times, "fetch"), real_at(times, "rest")));
}

// "also in a, b and 12 others".
std::string copies_of(const Json& hit) {
  const std::size_t named = hit.at("also_in").size();
  const std::size_t copies = number_at(hit, "copies");
  const std::string more = copies > named ? " and " + counted(copies - named, "other") : "";
  return "also in " + joined(hit.at("also_in")) + more;
}

// What was found and is not shown is not nothing.
std::string found_line(const Json& answer) {
  const std::size_t hits = answer.at("hits").size();
  const std::size_t too_long = answer.contains("left_out") ? answer.at("left_out").size() : 0;
  const std::string among = " among " + counted(number_at(answer, "drawers_in_scope"), "drawer");
  if (hits == 0 && too_long > 0)
    return counted(too_long, "drawer") + " found" + among + ", but too long for the budget";
  const std::string found = (hits == 0 ? "nothing found" : counted(hits, "hit")) + among;
  return too_long == 0 ? found : found + "; " + counted(too_long, "drawer") + " left out that did not fit";
}

std::string render_hit(const Terminal& terminal, const Json& hit, std::size_t number, const Json& answer) {
  const std::string query = text_at(answer, "query");
  const std::string rank = std::to_string(number) + ".";
  const std::size_t indent = rank.size() + 1;
  std::string text = rank + " " + styled(terminal, Style::bold, place_of(hit));
  const std::string about =
      join_present({one_line(text_at(hit, "source")) + lines_of(hit), day_of(hit), one_line(text_at(hit, "id"))}, "  ");
  text += "  " + styled(terminal, Style::dim, about) + "\n";
  // Marked anew in the part that is shown, since that is cut out of the document and its spaces are evened out.
  const std::string shown = snippet(text_at(hit, "document"), query_terms(query), kSearchSnippetBytes);
  text += render_around(terminal, hit, "before", indent);
  text += wrap_with_matches(terminal, shown, highlights(shown, query_terms(query)), indent);
  text += render_around(terminal, hit, "after", indent);
  if (hit.contains("also_in")) text += std::string(indent, ' ') + styled(terminal, Style::dim, copies_of(hit)) + "\n";
  return answer.contains("explanation") ? text + render_scores(terminal, hit, indent) : text;
}

}  // namespace

std::string render_search(const Terminal& terminal, const Json& answer) {
  const Json& hits = answer.at("hits");
  std::string text;
  std::size_t number = 0;
  for (const Json& hit : hits) {
    if (number > 0) text += "\n";
    text += render_hit(terminal, hit, ++number, answer);
  }
  std::string summary = found_line(answer);
  for (const Json& part : answer.at("degraded")) summary += "; " + text_at(part, "reason");
  text += (hits.empty() ? "" : "\n") + styled(terminal, Style::dim, summary) + "\n";
  if (answer.value("shortened", false)) text += "searched for: " + one_line(text_at(answer, "query")) + "\n";
  const auto explanation = answer.find("explanation");
  return explanation == answer.end() ? text : text + render_explanation(terminal, *explanation);
}

}  // namespace loci
