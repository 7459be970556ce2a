// What every workload needs around its measurement: the middle of several runs, and lines of results that say
// on which machine and from which commit they are.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "ops/bench_measure.h"  // Stopwatch

namespace loci::bench {

// The middle value; of an even number the lower of the two in the middle. There must be one.
double median(std::vector<double> values);

// "AMD EPYC 7B13, 2 cores, Linux 6.1.0"
std::string machine();

// The value of --name VALUE or --name=VALUE among the arguments, or the default.
std::string option(int argument_count, char** arguments, std::string_view name, std::string_view otherwise);

using Field = std::pair<std::string_view, std::variant<std::string, double, std::int64_t>>;

// {"bench":…, the fields…, "commit":…, "machine":…, "time":…} with a line end. The commit is that of --commit.
std::string result_line(std::string_view bench, const std::vector<Field>& fields, std::string_view commit);

}  // namespace loci::bench
