// The answers of benches, for people.
#include <fmt/format.h>

#include "cli/renderers.h"

namespace loci {
namespace {

std::string microseconds(const Json& object, std::string_view p50, std::string_view p99) {
  return fmt::format("{:.0f} µs, 99 of 100 below {:.0f} µs", real_at(object, p50), real_at(object, p99));
}

std::string render_vectors(const Terminal& terminal, const Json& answer) {
  std::string text = counted(number_at(answer, "rows"), "row") + " of " + std::to_string(number_at(answer, "dim")) +
                     " dimensions, " + with_separators(number_at(answer, "queries")) + " queries" + ", " +
                     text_at(answer, "metric") + "\n";
  text += labelled(terminal, "recall", fmt::format("{:.4f} of the ten nearest", real_at(answer, "recall_at_10")));
  text += labelled(terminal, "warm", microseconds(answer, "warm_p50_us", "warm_p99_us"));
  if (answer.contains("filtered_p50_us")) {
    text += labelled(terminal, "filtered",
                     microseconds(answer, "filtered_p50_us", "filtered_p99_us") +
                         fmt::format(", recall {:.4f}", real_at(answer, "filtered_recall_at_10")));
  }
  if (answer.at("new_process_ms").is_number())
    text += labelled(terminal, "new process", fmt::format("{:.1f} ms", real_at(answer, "new_process_ms")));
  text += labelled(terminal, "load", fmt::format("{:.2f} s", real_at(answer, "load_seconds")));
  text += labelled(
      terminal, "index",
      fmt::format("{:.2f} s, {:.0f} bytes a row", real_at(answer, "index_seconds"), real_at(answer, "bytes_per_row")));
  if (answer.at("resident_mb").is_number())
    text += labelled(terminal, "memory", fmt::format("{:.1f} MB of its own", real_at(answer, "resident_mb")));
  return text + labelled(terminal, "palace", human_size(number_at(answer, "palace_bytes")));
}

std::string render_backend(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "backend")) + ", " + counted(number_at(answer, "records"), "record") +
                     fmt::format(": loaded in {:.2f} s, settled in {:.2f} s\n", real_at(answer, "load_seconds"),
                                 real_at(answer, "settle_seconds"));
  text += styled(terminal, Style::dim,
                 fmt::format("{:<10} {:>12} {:>12} {:>12} {:>12}\n", "p50 in µs", "query", "filtered", "match", "get"));
  for (const Json& phase : answer.at("phases")) {
    text += fmt::format("{:<10} {:>12.0f} {:>12.0f} {:>12.0f} {:>12.0f}", text_at(phase, "phase"),
                        real_at(phase, "query_p50_us"), real_at(phase, "filtered_p50_us"),
                        real_at(phase, "match_p50_us"), real_at(phase, "get_p50_us"));
    if (phase.contains("maintenance")) text += "  " + text_at(phase.at("maintenance"), "status");
    text += "\n";
  }
  return text;
}

std::string render_embedding(const Terminal& terminal, const Json& answer) {
  std::string text = one_line(text_at(answer, "model")) + ", " + counted(number_at(answer, "texts"), "text") + " of " +
                     std::to_string(number_at(answer, "tokens_per_text")) + " tokens in a batch\n";
  text += styled(
      terminal, Style::dim,
      fmt::format("{:<10} {:>12} {:>12} {:>16} {:>12}\n", "path", "tokens/s", "question ms", "the first ms", "own MB"));
  for (const Json& path : answer.at("paths")) {
    text += fmt::format("{:<10} {:>12.0f} {:>12.2f} {:>16.1f} {:>12.1f}\n", text_at(path, "path"),
                        real_at(path, "tokens_per_second"), real_at(path, "query_ms"), real_at(path, "first_query_ms"),
                        real_at(path, "private_mb"));
  }
  if (real_at(answer, "new_process_ms") > 0)
    text += labelled(terminal, "new process", fmt::format("{:.1f} ms in all", real_at(answer, "new_process_ms")));
  return text;
}

std::string render_search_stages(const Terminal& terminal, const Json& answer) {
  std::string text = counted(number_at(answer, "records"), "drawer") + ", " +
                     counted(number_at(answer, "calls"), "question") + " of eight words\n";
  text += styled(terminal, Style::dim, fmt::format("{:<14} {:>10} {:>10}\n", "in ms", "p50", "p99"));
  for (const char* name : {"embed", "words", "vectors", "fetch", "rest", "all but embed", "total"}) {
    const Json& stage = answer.at("stages").at(name);
    text += fmt::format("{:<14} {:>10.2f} {:>10.2f}\n", name, real_at(stage, "p50_ms"), real_at(stage, "p99_ms"));
  }
  if (answer.at("new_process_ms").is_number())
    text += labelled(terminal, "new process", fmt::format("{:.1f} ms", real_at(answer, "new_process_ms")));
  return text + labelled(terminal, "load",
                         fmt::format("{:.1f} s, index {:.1f} s", real_at(answer, "load_seconds"),
                                     real_at(answer, "index_seconds")));
}

}  // namespace

std::string render_bench(const Terminal& terminal, const Json& answer) {
  const std::string bench = text_at(answer, "bench");
  if (bench == "vectors") return render_vectors(terminal, answer);
  if (bench == "backend") return render_backend(terminal, answer);
  if (bench == "search") return render_search_stages(terminal, answer);
  if (bench == "embed") return render_embedding(terminal, answer);
  return to_text(answer, JsonLayout::indented) + "\n";
}

}  // namespace loci
