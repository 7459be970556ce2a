#include "tests/end_to_end/program.h"

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <utility>

#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/file.h"

namespace loci::end_to_end {
namespace {

namespace fs = std::filesystem;

constexpr uid_t kNobody = 65534;

struct Pipe {
  FileDescriptor reader;
  FileDescriptor writer;
};

Pipe make_pipe() {
  int ends[2] = {-1, -1};
  if (::pipe2(ends, O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  return {FileDescriptor(ends[0]), FileDescriptor(ends[1])};
}

// A terminal whose program's end is `writer`.
Pipe make_terminal() {
  int master = -1;
  int slave = -1;
  struct winsize size = {.ws_row = 24, .ws_col = 80, .ws_xpixel = 0, .ws_ypixel = 0};
  if (::openpty(&master, &slave, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
  ::fcntl(master, F_SETFD, FD_CLOEXEC);
  ::fcntl(slave, F_SETFD, FD_CLOEXEC);
  return {FileDescriptor(master), FileDescriptor(slave)};
}

[[noreturn]] void become(const std::vector<std::string>& words, const RunOptions& options, const fs::path& home,
                         const fs::path& folder, int in, int out, int err) {
  ::dup2(in, STDIN_FILENO);
  ::dup2(out, STDOUT_FILENO);
  ::dup2(err, STDERR_FILENO);
  if (::chdir(folder.c_str()) != 0) ::_exit(126);
  if (options.unprivileged && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(126);
  for (const char* name :
       {"LOCI_PALACE", "LOCI_BACKEND", "LOCI_COLLECTION", "LOCI_EMBEDDER", "LOCI_NAMESPACE", "LOCI_CONFIG",
        "LOCI_CHROMA_MIGRATIONS", "LOCI_EMBEDDER_URL", "LOCI_EMBEDDER_KEY", "OPENAI_API_KEY", "NO_COLOR"}) {
    ::unsetenv(name);
  }
  ::setenv("HOME", folder.c_str(), 1);
  ::setenv("LOCI_HOME", home.c_str(), 1);
  ::setenv("LOCI_MODELS", (folder / "models").c_str(), 1);  // none, whatever the checkout has
  ::setenv("LOCI_EMBED", "later", 1);                       // no worker that outlives the test
  ::setenv("TERM", "xterm", 1);
  for (const auto& [name, value] : options.environment) ::setenv(name.c_str(), value.c_str(), 1);
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  ::execv(arguments[0], arguments.data());
  ::_exit(127);
}

// Feeds the input and collects the output until both streams end.
void exchange(const RunOptions& options, FileDescriptor in, FileDescriptor out, FileDescriptor err, Finished& run) {
  std::string_view input = options.input;
  if (input.empty()) in.reset();
  while (out.is_open() || err.is_open()) {
    struct pollfd waiting[] = {{.fd = in.get(), .events = POLLOUT, .revents = 0},
                               {.fd = out.get(), .events = POLLIN, .revents = 0},
                               {.fd = err.get(), .events = POLLIN, .revents = 0}};
    ::poll(waiting, 3, -1);
    if (waiting[0].revents != 0) {
      const ssize_t written = ::write(in.get(), input.data(), std::min<std::size_t>(input.size(), 65536));
      if (written > 0) input.remove_prefix(static_cast<std::size_t>(written));
      if (written < 0 || input.empty()) in.reset();
    }
    const auto collect = [](FileDescriptor& from, const struct pollfd& state, std::string& into) {
      if (state.revents == 0) return;
      char buffer[65536];
      const ssize_t count = ::read(from.get(), buffer, sizeof buffer);
      // The end of a terminal is an error.
      if (count <= 0) {
        from.reset();
      } else {
        into.append(buffer, static_cast<std::size_t>(count));
      }
    };
    collect(out, waiting[1], run.out);
    collect(err, waiting[2], run.err);
  }
}

Finished run_words(const std::vector<std::string>& words, const RunOptions& options, const fs::path& home,
                   const fs::path& folder) {
  Pipe in = make_pipe();
  Pipe out = options.on_terminal ? make_terminal() : make_pipe();
  Pipe err = make_pipe();
  if (!options.output_file.empty())
    out.writer = FileDescriptor(::open(options.output_file.c_str(), O_WRONLY | O_CLOEXEC));
  // Writing to a program that does not read must not end the test.
  std::signal(SIGPIPE, SIG_IGN);
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(SIGPIPE, SIG_DFL);
    become(words, options, home, options.working_folder.empty() ? folder : options.working_folder, in.reader.get(),
           out.writer.get(), err.writer.get());
  }
  in.reader.reset();
  out.writer.reset();
  err.writer.reset();
  Finished run;
  exchange(options, std::move(in.writer), std::move(out.reader), std::move(err.reader), run);
  int status = 0;
  ::waitpid(child, &status, 0);
  run.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  return run;
}

// What was said besides progress, of which work that takes longer than a few seconds tells: "20 of 50 files  4/s".
std::string without_progress(const std::string& err) {
  static const std::regex kProgress("[0-9][^\n]*  [0-9][^\n]*/s[^\n]*\n");
  return std::regex_replace(err, kProgress, "");
}

}  // namespace

Finished run_shell(const std::string& command, const RunOptions& options, const fs::path& home) {
  RunOptions with_path = options;
  const std::string path = std::getenv("PATH") == nullptr ? "/usr/bin:/bin" : std::getenv("PATH");
  with_path.environment["PATH"] = fs::path(LOCI_PROGRAM).parent_path().string() + ":" + path;
  return run_words({"/bin/bash", "-c", command}, with_path, home, options.working_folder);
}

Finished EndToEndTest::loci(const std::vector<std::string>& arguments, const RunOptions& options) {
  std::vector<std::string> words = {LOCI_PROGRAM};
  words.insert(words.end(), arguments.begin(), arguments.end());
  return run_words(words, options, home(), folder());
}

std::string EndToEndTest::ok(const std::vector<std::string>& arguments, const RunOptions& options) {
  const Finished run = loci(arguments, options);
  EXPECT_EQ(run.exit_code, 0) << run.err;
  EXPECT_EQ(without_progress(run.err), "");
  return run.out;
}

Json EndToEndTest::json(std::vector<std::string> arguments, const RunOptions& options) {
  arguments.push_back("--json");
  const std::string text = ok(arguments, options);
  const Result<Json> answer = parse_json(text, "the answer");
  EXPECT_TRUE(answer.ok()) << text;
  return answer.ok() ? *answer : Json();
}

void EndToEndTest::expect_failure(const std::vector<std::string>& arguments, int exit_code, std::string_view message,
                                  const RunOptions& options) {
  const Finished run = loci(arguments, options);
  EXPECT_EQ(run.exit_code, exit_code) << run.err;
  EXPECT_EQ(run.out, "");
  EXPECT_TRUE(run.err.starts_with("loci: ")) << run.err;
  EXPECT_NE(run.err.find(message), std::string::npos) << run.err;
  EXPECT_EQ(run.err.find('\n'), run.err.size() - 1) << "one line: " << run.err;

  std::vector<std::string> with_json = arguments;
  with_json.insert(with_json.begin(), "--json");
  const Finished as_json = loci(with_json, options);
  EXPECT_EQ(as_json.exit_code, exit_code) << as_json.out;
  EXPECT_EQ(as_json.err, "");
  const Result<Json> error = parse_json(as_json.out, "the error");
  ASSERT_TRUE(error.ok()) << as_json.out;
  EXPECT_TRUE(error->at("error").at("kind").is_string());
  EXPECT_NE(error->at("error").at("message").get<std::string>().find(message), std::string::npos) << as_json.out;
}

std::map<std::string, std::string> EndToEndTest::listing(const fs::path& below) const {
  std::map<std::string, std::string> found;
  if (!fs::exists(below)) return found;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(below)) {
    found[fs::relative(entry.path(), below).string()] = entry.is_regular_file() ? read(entry.path()) : "";
  }
  return found;
}

void write(const fs::path& path, std::string_view content) {
  fs::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << content;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace loci::end_to_end
