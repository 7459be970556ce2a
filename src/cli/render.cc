#include "cli/render.h"

#include <cstddef>
#include <string_view>

#include "cli/renderers.h"

namespace loci {
namespace {

struct Entry {
  std::string_view operation;
  std::string (*render)(const Terminal&, const Json&);
};
constexpr Entry kRenderers[] = {
    {"add", render_add},
    {"get", render_get},
    {"list", render_list},
    {"update", render_update},
    {"delete", render_delete},
    {"search", render_search},
    {"recall", render_list},
    {"init", render_init},
    {"status", render_status},
    {"embed", render_embed},
    {"export", render_export},
    {"import", render_import},
    {"doctor", render_doctor},
    {"backends", render_backends},
    {"set_embedder", render_set_embedder},
    {"migrate", render_migrate},
    {"verify", render_verify},
    {"backup", render_backup},
    {"restore", render_restore},
    {"repair", render_repair},
    {"quarantine", render_quarantine},
    {"maintenance", render_maintenance},
    {"bench", render_bench},
    {"eval", render_eval},
    {"model", render_model},
    {"mine", render_mine},
    {"sync", render_sync},
};

}  // namespace

std::string render(const Terminal& terminal, const Operation& operation, const Json& answer) {
  for (const Entry& entry : kRenderers) {
    if (entry.operation == operation.name) return entry.render(terminal, answer);
  }
  return to_text(answer, JsonLayout::indented) + "\n";
}

std::string text_at(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : "";
}

double real_at(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number() ? found->get<double>() : 0;
}

std::size_t number_at(const Json& object, std::string_view key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<std::size_t>() : 0;
}

std::string place_of(const Json& drawer) {
  const std::string wing = text_at(drawer, "wing");
  const std::string room = text_at(drawer, "room");
  return one_line(wing.empty() ? "(no wing)" : wing) + " / " + one_line(room.empty() ? "(no room)" : room);
}

std::string labelled(const Terminal& terminal, std::string_view label, std::string_view value) {
  constexpr std::size_t kLabelWidth = 11;
  return styled(terminal, Style::dim, pad_to_width(label, kLabelWidth)) + " " + std::string(value) + "\n";
}

}  // namespace loci
