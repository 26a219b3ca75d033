// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_page.cpp: bench figures as text or JSON.
#include <fmt/format.h>

#include <fstream>
#include <thread>

#include "mx/tensor/bulk.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {
namespace {

std::string processor() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) {
      return line.substr(colon + 2);
    }
  }
  return "unknown processor";
}

ordered_json machine_json() {
  return {{"processor", processor()},
          {"threads", std::thread::hardware_concurrency()},
          {"instruction_set", mx::instruction_set()}};
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
  fmt::print("{}, {}\n", processor(), mx::instruction_set());
  for (const bench_result& r : results) print_text(r);
}

}  // namespace sim::cli
