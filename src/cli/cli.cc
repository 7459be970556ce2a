#include "cli/cli.h"

#include <cstddef>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <utility>

#include <unistd.h>

#include "api/exit_code.h"
#include "api/operations.h"
#include "api/request.h"
#include "cli/arguments.h"
#include "cli/commands.h"
#include "cli/completion.h"
#include "cli/help.h"
#include "cli/interrupt.h"
#include "cli/output.h"
#include "cli/own_program.h"
#include "cli/progress_line.h"
#include "cli/render.h"
#include "cli/text_input.h"
#include "cli/worker.h"

namespace loci {
namespace {

// The caller of an operation that sits at a terminal, or is a script.
class CommandLineCaller final : public Caller {
 public:
  explicit CommandLineCaller(const Terminal& error_terminal)
      : line_(
            error_terminal, [](std::string_view text) { static_cast<void>(write_to(STDERR_FILENO, text)); },
            ProgressLine::Clock::now()) {}

  void progress(const Progress& progress) override { line_.show(progress, ProgressLine::Clock::now()); }

  bool is_cancelled() const override {
    await_interrupt();
    return was_interrupted();
  }

  std::istream* input() override {
    std::ios::sync_with_stdio(false);  // buffered, and able to start again when it is a file
    return &std::cin;
  }

  Status output(std::string_view content) override {
    line_.clear();
    answer_on_interrupt({});
    return write_to(STDOUT_FILENO, content);
  }

  bool is_person() const override { return true; }

  void finish() { line_.clear(); }

 private:
  ProgressLine line_;
};

// One run of the program.
class Run {
 public:
  Run(const Variables& variables, BackendRegistry& registry, std::string_view version, std::span<const Face> faces)
      : variables_(variables),
        registry_(registry),
        version_(version),
        faces_(faces),
        terminal_(terminal_for(STDOUT_FILENO, variables)),
        error_terminal_(terminal_for(STDERR_FILENO, variables)) {}

  ExitCode run(std::span<const std::string> arguments) {
    wants_json_ = asks_for_json(arguments);
    if (wants_json_) answer_on_interrupt(as_answer(error_to_json({ErrorKind::unavailable, "interrupted"})));
    const Result<CommandLine> line = parse_arguments(arguments);
    if (!line.ok()) return fail(line.error());
    const Result<ExitCode> code = run_line(*line);
    return code.ok() ? *code : fail(code.error());
  }

  ExitCode fail(const Error& error) {
    // What an operation says that was interrupted is how far it came.
    const ExitCode code = was_interrupted() ? ExitCode::interrupted : exit_code(error.kind);
    if (!wants_json_) return complain(error.message, code);
    // The answer of a script's call; if even that cannot be written, the exit code has to do.
    static_cast<void>(write_answer(as_answer(error_to_json(error))));
    return code;
  }

 private:
  static std::string as_answer(const Json& json) { return to_text(json, JsonLayout::indented) + "\n"; }

  static Status write_answer(std::string_view answer) {
    answer_on_interrupt({});
    return write_to(STDOUT_FILENO, answer);
  }

  ExitCode complain(std::string_view message, ExitCode code) {
    static_cast<void>(
        write_to(STDERR_FILENO, styled(error_terminal_, Style::bad, "loci:") + " " + one_line(message) + "\n"));
    return code;
  }

  Result<ExitCode> run_line(const CommandLine& line) {
    if (line.globals.version) return show("loci " + version_ + "\n", {{"name", "loci"}, {"version", version_}});
    if (line.globals.help || line.command == &kHelpCommand) return show_help(line);
    if (line.command == nullptr) return show(overview(terminal_), help_as_json());
    if (line.command == &kCompletionCommand) return show_completion(line);
    for (const Face& face : faces_) {
      if (face.command == line.command->name) return run_face(line, face);
    }
    return run_operation(line);
  }

  Result<ExitCode> run_face(const CommandLine& line, const Face& face) {
    answer_on_interrupt({});  // a face speaks a protocol of its own
    SessionOptions options = session_options(line.globals);
    options.loads_model_in_background = true;
    Session session(std::move(options), registry_);
    const Json fields = TRY(with_defaults(*line.command, line.fields));
    TRY(face.run({.session = session, .fields = fields, .start_worker = [&] { start_worker(session, line.globals); }}));
    return ExitCode::done;
  }

  Result<ExitCode> show(const std::string& text, const Json& json) {
    TRY(write_answer(wants_json_ ? as_answer(json) : text));
    return ExitCode::done;
  }

  Result<ExitCode> show_help(const CommandLine& line) {
    const Operation* command = line.command;
    if (command == &kHelpCommand && line.fields.contains("command")) {
      const std::string name = line.fields.at("command").get<std::string>();
      // Parsing it as a command line gives the suggestion for a mistyped name.
      const std::string words[] = {name, "--help"};
      command = TRY(parse_arguments(words)).command;
    } else if (command == &kHelpCommand && !line.globals.help) {
      command = nullptr;
    }
    return show(command == nullptr ? general_help(terminal_) : command_help(terminal_, *command), help_as_json());
  }

  Result<ExitCode> show_completion(const CommandLine& line) {
    const std::string shell = line.fields.at("shell").get<std::string>();
    std::string script;
    if (shell == "bash") script = bash_completion();
    if (shell == "zsh") script = zsh_completion();
    if (shell == "fish") script = fish_completion();
    if (script.empty()) return Error{ErrorKind::invalid_argument, "SHELL must be bash, zsh or fish, not " + shell};
    return show(script, {{"shell", shell}, {"script", script}});
  }

  Result<ExitCode> run_operation(const CommandLine& line) {
    Json fields = line.fields;
    if (line.text_from)
      fields[std::string(line.text_from->field)] = TRY(read_text(line.text_from->path, kMaxTextBytes));
    if (wants_json_ && line.command->name == "export" && fields.value("output", "-") == "-") {
      return Error{ErrorKind::invalid_argument,
                   "the export and the JSON answer cannot both go to the standard output; "
                   "give --output FILE"};
    }
    Session session(session_options(line.globals), registry_);
    CommandLineCaller caller(error_terminal_);
    const Result<Answer> answer = call(session, *line.command, std::move(fields), caller);
    caller.finish();
    if (!answer.ok()) return answer.error();
    if (wants_json_ && answer->is_streamed) return exit_code(answer->outcome);  // it was lines of JSON already
    if (wants_json_) {
      TRY(write_answer(as_answer(answer->body)));
    } else {
      const std::string text = render(terminal_, *line.command, answer->body);
      TRY(write_to(answer->is_streamed ? STDERR_FILENO : STDOUT_FILENO, text));
      complain_about_missing(answer->body);
    }
    if (line.command->stores_texts == StoresTexts::yes || answer->wants_worker) start_worker(session, line.globals);
    return exit_code(answer->outcome);
  }

  // What was asked for and is not there is no part of the output.
  void complain_about_missing(const Json& body) {
    const auto missing = body.find("missing");
    if (missing == body.end() || !missing->is_array()) return;
    for (const Json& id : *missing) {
      complain("there is no drawer " + id.get<std::string>(), ExitCode::not_found);
    }
  }

  SessionOptions session_options(const GlobalOptions& globals) const {
    SessionOptions options = {.sources = sources_from(variables_)};
    options.sources.flags = globals.settings;
    if (globals.configuration_file) options.sources.configuration_file = *globals.configuration_file;
    options.access = globals.read_only ? Access::read_only : Access::read_write;
    options.model_swap = globals.force_model_swap ? ModelSwap::force : ModelSwap::refuse;
    options.program_version = version_;
    options.run_self = run_own_program;
    return options;
  }

  const Variables& variables_;
  BackendRegistry& registry_;
  const std::string version_;
  const std::span<const Face> faces_;
  const Terminal terminal_;
  const Terminal error_terminal_;
  bool wants_json_ = false;
};

}  // namespace

int run_command_line(std::span<const std::string> arguments, const Variables& variables, BackendRegistry& registry,
                     std::string_view version, std::span<const Face> faces, StopTime& stop) {
  reserve_standard_streams();
  install_interrupt_handlers(stop);
  Run run(variables, registry, version, faces);
  // The one place that catches: what gets here is a bug or a lack of memory.
  try {
    return static_cast<int>(run.run(arguments));
  } catch (const std::bad_alloc&) {
    return static_cast<int>(run.fail({ErrorKind::internal, "there is not enough memory for this"}));
  } catch (const std::exception& error) {
    return static_cast<int>(run.fail({ErrorKind::internal, std::string("this is a bug in Loci: ") + error.what()}));
  }
}

}  // namespace loci
