#include "api/bench_embed_run.h"

#include <string>
#include <utility>

#include "api/caller.h"
#include "api/model_list.h"
#include "api/request.h"
#include "api/session.h"
#include "base/process_memory.h"
#include "embed/sentence_embedder.h"
#include "ops/bench_embed.h"

namespace loci {
namespace {

struct Path {
  std::string name;  // "int8"
  const Embedder& embedder;
  TokenCounter count_tokens;
};

Result<Json> measure(const Path& path, const EmbedBenchOptions& options) {
  const EmbedBenchResult result = TRY(bench_embed(path.embedder, path.count_tokens, options));
  Json row = {{"path", path.name}, {"query_ms", result.query_ms}, {"first_query_ms", result.first_query_ms}};
  if (result.tokens > 0) {
    row["tokens"] = result.tokens;
    row["tokens_per_second"] = result.tokens_per_second;
    row["texts_per_second"] = result.texts_per_second;
  }
  return row;
}

// The time of a whole process that embeds one question, and so has to find and map the model.
Result<Json> new_process_ms(const Session& session, const std::string& embedder) {
  if (!session.options().run_self) return Json(nullptr);
  const ProgramRun run =
      TRY(session.options().run_self({"bench", "embed", "--texts", "0", "--embedder", embedder, "--json"}));
  return Json(run.seconds * 1e3);
}

Result<Json> measure_model(const ModelFolder& model, const EmbedBenchOptions& options) {
  Json rows = Json::array();
  // The default first: its memory is that of a process which uses only it.
  for (const Precision precision : {Precision::int8, Precision::float32}) {
    if (options.texts == 0 && precision == Precision::float32) break;
    const std::unique_ptr<SentenceEmbedder> embedder =
        TRY(SentenceEmbedder::open(model.folder, {.precision = precision}));
    const auto count = [&embedder](std::string_view text) { return embedder->count_tokens(text); };
    Json row = TRY(measure({precision == Precision::int8 ? "int8" : "float32", *embedder, count}, options));
    const std::optional<std::size_t> bytes = private_memory_bytes();
    row["private_mb"] = bytes ? Json(static_cast<double>(*bytes) / 1e6) : Json(nullptr);
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

Result<Answer> run_embed_bench(Session& session, const Request& request, Caller&) {
  const Settings settings = TRY(session.settings());
  const std::string name = settings.embedder.value;
  const Embedder* embedder = TRY(session.embedder(settings));
  if (embedder == nullptr)
    return Error{ErrorKind::invalid_argument, "the embedder is none, which makes no vectors; name one with --embedder"};

  const EmbedBenchOptions options = {.texts = static_cast<std::size_t>(request.required_integer("texts"))};
  const Result<ModelFolder> model = find_model(TRY(read_model_places(session.options().sources)), name);
  Json rows = model.ok() ? TRY(measure_model(*model, options))
                         : Json::array({TRY(measure({"as it is", *embedder, count_words}, options))});
  Json answer = {{"bench", "embed"},
                 {"embedder", name},
                 {"model", embedder->model_name()},
                 {"texts", options.texts},
                 {"tokens_per_text", options.tokens_per_text},
                 {"paths", std::move(rows)}};
  if (options.texts > 0) answer["new_process_ms"] = TRY(new_process_ms(session, name));
  return Answer{std::move(answer)};
}

}  // namespace loci
