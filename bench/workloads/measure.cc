#include "bench/workloads/measure.h"

#include <algorithm>
#include <cassert>
#include <fstream>
#include <thread>

#include <sys/utsname.h>

#include "base/clock.h"
#include "ops/json_text.h"

namespace loci::bench {
namespace {

std::string processor() {
  std::ifstream info("/proc/cpuinfo");
  for (std::string line; std::getline(info, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

}  // namespace

double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>((values.size() - 1) / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

std::string machine() {
  utsname system{};
  ::uname(&system);
  return processor() + ", " + std::to_string(std::thread::hardware_concurrency()) + " cores, " + system.sysname + " " +
         system.release;
}

std::string option(int argument_count, char** arguments, std::string_view name, std::string_view otherwise) {
  const std::string flag = "--" + std::string(name);
  for (int i = 1; i < argument_count; ++i) {
    const std::string_view argument = arguments[i];
    if (argument == flag && i + 1 < argument_count) return arguments[i + 1];
    if (argument.starts_with(flag + "=")) return std::string(argument.substr(flag.size() + 1));
  }
  return std::string(otherwise);
}

std::string result_line(std::string_view bench, const std::vector<Field>& fields, std::string_view commit) {
  std::string line = "{\"bench\":";
  append_json_string(line, bench);
  const auto name = [&](std::string_view text) {
    line += ',';
    append_json_string(line, text);
    line += ':';
  };
  for (const auto& [key, value] : fields) {
    name(key);
    if (const auto* text = std::get_if<std::string>(&value)) append_json_string(line, *text);
    if (const auto* real = std::get_if<double>(&value)) append_json_real(line, *real);
    if (const auto* integer = std::get_if<std::int64_t>(&value)) append_json_integer(line, *integer);
  }
  for (const auto& [key, value] : {std::pair<std::string_view, std::string>{"commit", std::string(commit)},
                                   {"machine", machine()},
                                   {"time", to_iso8601(now_unix_ms())}}) {
    name(key);
    append_json_string(line, value);
  }
  return line + "}\n";
}

}  // namespace loci::bench
