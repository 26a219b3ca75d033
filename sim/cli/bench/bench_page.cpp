// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_page.cpp: bench figures as text or JSON.
#include <fmt/format.h>

#include <string_view>
#include <thread>

#include "mx/tensor/bulk.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/study/processor_name.h"

namespace sim::cli {
namespace {

/// Set by the build; see sim/cli/CMakeLists.txt.
constexpr std::string_view optimized_for = MX_OPTIMIZED_FOR;

ordered_json machine_json() {
  return {{"processor", processor_name()},
          {"threads", std::thread::hardware_concurrency()},
          {"instruction_set", mx::instruction_set()},
          {"optimized_for", optimized_for}};
}

ordered_json json_of(const bench_result& r) {
  const auto or_null = [](const std::optional<double>& v) {
    return v ? json_number(*v) : ordered_json();
  };
  return {{"name", r.name},
          {"value", json_number(r.value)},
          {"unit", r.unit},
          {"yardstick", r.yardstick},
          {"yardstick_value", or_null(r.yardstick_value)},
          {"ratio", or_null(r.ratio)}};
}

void print_text(const bench_result& r) {
  if (r.value == 0) {
    fmt::print("{:<34} not measured: {}\n", r.name, r.yardstick);
    return;
  }
  if (!r.ratio) {
    fmt::print("{:<34}{:>9.2f} {:<8} yardstick {}\n", r.name, r.value, r.unit, r.yardstick);
    return;
  }
  fmt::print("{:<34}{:>9.2f} {:<8} ratio {:.3f}", r.name, r.value, r.unit, *r.ratio);
  if (r.unit == "ms") fmt::print(" ({:.2f} times the yardstick's time)", 1 / *r.ratio);
  fmt::print("; {}: {:.2f}\n", r.yardstick, *r.yardstick_value);
}

}  // namespace

void print_results(const std::vector<bench_result>& results, output form) {
  if (form == output::json) {
    return print_json({{"machine", machine_json()}, {"results", json_array(results, json_of)}});
  }
  fmt::print("{}, {}\n", processor_name(), mx::instruction_set());
  if (optimized_for == "tests") {
    fmt::print(
        "This build is optimized for tests, to take less time to compile: its figures are lower "
        "than\nthose of a build for use (cmake --preset release).\n");
  }
  for (const bench_result& r : results) print_text(r);
}

}  // namespace sim::cli
