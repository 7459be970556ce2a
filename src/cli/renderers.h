// One function per operation: its answer for people. Text that was stored goes through safe_text or one_line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "api/json.h"
#include "cli/terminal.h"

namespace loci {

// render_drawers.cc
std::string render_add(const Terminal& terminal, const Json& answer);
std::string render_get(const Terminal& terminal, const Json& answer);
std::string render_list(const Terminal& terminal, const Json& answer);
std::string render_update(const Terminal& terminal, const Json& answer);
std::string render_delete(const Terminal& terminal, const Json& answer);
std::string render_search(const Terminal& terminal, const Json& answer);

// render_ingest.cc
std::string render_mine(const Terminal& terminal, const Json& answer);
std::string render_sync(const Terminal& terminal, const Json& answer);

// render_palace.cc
std::string render_init(const Terminal& terminal, const Json& answer);
std::string render_status(const Terminal& terminal, const Json& answer);
std::string render_embed(const Terminal& terminal, const Json& answer);
std::string render_model(const Terminal& terminal, const Json& answer);
std::string render_export(const Terminal& terminal, const Json& answer);
std::string render_import(const Terminal& terminal, const Json& answer);
std::string render_doctor(const Terminal& terminal, const Json& answer);
std::string render_backends(const Terminal& terminal, const Json& answer);
std::string render_set_embedder(const Terminal& terminal, const Json& answer);

// render_migrate.cc
std::string render_migrate(const Terminal& terminal, const Json& answer);
std::string render_comparison(const Terminal& terminal, const Json& answer);

// render_upkeep.cc
std::string render_verify(const Terminal& terminal, const Json& answer);
std::string render_backup(const Terminal& terminal, const Json& answer);
std::string render_restore(const Terminal& terminal, const Json& answer);
std::string render_repair(const Terminal& terminal, const Json& answer);
std::string render_quarantine(const Terminal& terminal, const Json& answer);
std::string render_maintenance(const Terminal& terminal, const Json& answer);

// render_bench.cc
std::string render_bench(const Terminal& terminal, const Json& answer);

// render_eval.cc
std::string render_eval(const Terminal& terminal, const Json& answer);

// The text, or "" when there is none; the number, or 0.
std::string text_at(const Json& object, std::string_view key);
std::size_t number_at(const Json& object, std::string_view key);
double real_at(const Json& object, std::string_view key);

// What became of the vectors, where an answer has "embedding"; otherwise "".
std::string embedding_text(const Json& answer);

// "shop / api".
std::string place_of(const Json& drawer);

// "backend     loci (the default)".
std::string labelled(const Terminal& terminal, std::string_view label, std::string_view value);

}  // namespace loci
