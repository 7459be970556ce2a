// The program: picks the face. The only file that may include everything.
#include <chrono>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/stop_time.h"
#include "cli/cli.h"
#include "cli/environment.h"
#include "http/serve.h"
#include "mcp/palace_features.h"
#include "mcp/stdio.h"
#include "store/builtin/builtin_backends.h"
#include "store/registry.h"

namespace {

// At the end, for a server that works to answer the last questions.
constexpr std::chrono::seconds kTimeToAnswer{2};

// A client that goes while it is being answered ends its own connection, never the server in the middle of something.
void outlive_clients() { std::signal(SIGPIPE, SIG_IGN); }

loci::Status run_mcp(const loci::FaceStart& start, loci::StopTime& stop) {
  outlive_clients();
  const std::unique_ptr<loci::mcp::PalaceFeatures> features = TRY(
      loci::mcp::PalaceFeatures::make(start.session, start.fields.at("tools").get<std::string>(), start.start_worker));
  const auto at_end_of_input = [&] {
    const auto time = loci::StopTime::Clock::now() + kTimeToAnswer;
    start.session.stop_asking_by(time);
    stop.stop_by(time);
  };
  return loci::mcp::serve_stdio(
      *features, {.after_first_message = [&] { features->warm_up(); }, .at_end_of_input = at_end_of_input});
}

loci::Status run_serve(const loci::FaceStart& start, loci::StopTime& stop) {
  outlive_clients();
  const std::filesystem::path& home = start.session.options().sources.loci_home;
  const bool uses_token = !start.fields.at("no_token").get<bool>();
  if (uses_token && home.empty())
    return loci::Error{loci::ErrorKind::invalid_argument, "there is no home to keep the token in; set LOCI_HOME"};
  const std::unique_ptr<loci::mcp::PalaceFeatures> features = TRY(
      loci::mcp::PalaceFeatures::make(start.session, start.fields.at("tools").get<std::string>(), start.start_worker));
  loci::http::ServeOptions options = {.listen = start.fields.at("listen").get<std::string>(),
                                      .uses_token = uses_token,
                                      .token_file = home / "http_token"};
  if (start.session.options().access == loci::Access::read_only) options.keep_token = loci::http::KeepToken::no;
  options.on_server = [&features](loci::mcp::Server&) { features->warm_up(); };
  options.on_end = [&] {
    const auto now = loci::StopTime::Clock::now();
    start.session.stop_asking_by(now);
    stop.stop_by(now + kTimeToAnswer);  // what is being written should be known to be stored
  };
  return loci::http::serve(*features, options, [](std::string_view line) {
    std::fwrite(line.data(), 1, line.size(), stdout);
    std::fputc('\n', stdout);
    std::fflush(stdout);
  });
}

}  // namespace

int main(int argc, char** argv) {
  // Scripts ask for the version often; nothing else needs to be set up for it.
  if (argc == 2 && std::string_view(argv[1]) == "--version") {
    return std::puts("loci " LOCI_VERSION) < 0 || std::fflush(stdout) != 0 ? 1 : 0;
  }
  const std::vector<std::string> arguments(argv + (argc > 0 ? 1 : 0), argv + argc);
  loci::StopTime stop;
  loci::BackendRegistry registry;
  loci::register_builtin_backends(
      registry,
      {.chroma_migrations = loci::process_variable("LOCI_CHROMA_MIGRATIONS").value_or(LOCI_CHROMA_MIGRATIONS_FILE),
       .chroma_token = loci::process_variable("LOCI_CHROMA_TOKEN"),
       .stop = &stop});
  const loci::Face faces[] = {
      {.command = "mcp", .run = [&](const loci::FaceStart& start) { return run_mcp(start, stop); }},
      {.command = "serve", .run = [&](const loci::FaceStart& start) { return run_serve(start, stop); }}};
  const int code = loci::run_command_line(arguments, loci::process_variable, registry, LOCI_VERSION, faces, stop);
  registry.close();
  return code;
}
