// The answer of a search, for people: what was found, where it stands, and what matched.
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

// "2026-01-31" of "2026-01-31T12:34:56.789Z".
std::string day_of(const Json& drawer) { return one_line(text_at(drawer, "filed_at").substr(0, 10)); }

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

// Where the words and the meaning each see it.
std::string render_scores(const Terminal& terminal, const Json& hit, std::size_t indent) {
  const Json& scores = hit.at("scores");
  std::string text = fmt::format("score {:.3f}: words {:.3f}", real_at(hit, "score"), real_at(scores, "words"));
  if (scores.at("similarity").is_number()) text += fmt::format(", similarity {:.3f}", real_at(scores, "similarity"));
  return std::string(indent, ' ') + styled(terminal, Style::dim, text) + "\n";
}

std::string render_explanation(const Terminal& terminal, const Json& explanation) {
  std::string terms;
  for (const Json& term : explanation.at("terms")) terms += (terms.empty() ? "" : ", ") + term.get<std::string>();
  const Json& times = explanation.at("times_ms");
  std::string text = labelled(terminal, "looked for", one_line(terms));
  return text + labelled(terminal, "time",
                         fmt::format("{:.1f} ms: embed {:.1f}, words {:.1f}, vectors {:.1f}, fetch {:.1f}, rest {:.1f}",
                                     real_at(times, "total"), real_at(times, "embed"), real_at(times, "words"),
                                     real_at(times, "vectors"), real_at(times, "fetch"), real_at(times, "rest")));
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
  if (const auto copies = hit.find("also_in"); copies != hit.end()) {
    std::string ids;
    for (const Json& id : *copies) ids += (ids.empty() ? "" : ", ") + one_line(id.get<std::string>());
    text += std::string(indent, ' ') + styled(terminal, Style::dim, "also in " + ids) + "\n";
  }
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
  std::string summary = hits.empty() ? "nothing found" : counted(hits.size(), "hit");
  summary += " among " + counted(number_at(answer, "drawers_in_scope"), "drawer");
  if (const auto left_out = answer.find("left_out"); left_out != answer.end() && !left_out->empty())
    summary += "; " + counted(left_out->size(), "drawer") + " left out that did not fit";
  for (const Json& part : answer.at("degraded")) summary += "; " + text_at(part, "reason");
  text += (hits.empty() ? "" : "\n") + styled(terminal, Style::dim, summary) + "\n";
  const auto explanation = answer.find("explanation");
  return explanation == answer.end() ? text : text + render_explanation(terminal, *explanation);
}

}  // namespace loci
