// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_command.cpp: runs benches and prints their figures.
#include "sim/cli/bench/bench_command.h"

#include <fmt/format.h>

#include <array>
#include <fstream>
#include <memory>
#include <thread>

#include "mx/bulk.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/terminal/json_text.h"

namespace sim::cli {
namespace {

struct bench_case {
  const char *name, *work;
  std::vector<bench_result> (*run)();
};

constexpr std::array cases{
    bench_case{"quantize.mxfp4", "256 MiB of FP32 to MXFP4, one thread", bench_quantize},
    bench_case{"dequantize.mxfp4", "MXFP4 to 256 MiB of FP32, one thread", bench_dequantize},
    bench_case{"decompose.mxfp4", "the error's parts of 256 MiB of FP32", bench_decompose},
    bench_case{"gemm.fp32.sequential", "a product of MXFP4, rounded to FP32 after each block",
               bench_sequential_gemm},
    bench_case{"gemm.blackwell.mxf4", "a product of MXFP4 as Blackwell's tensor cores do it",
               bench_blackwell_gemm},
    bench_case{"gemm.blackwell.mxf4.spread", "the same with scales far apart", bench_spread_gemm},
    bench_case{"dot.blackwell.mxf4", "a million dot products of 64 elements", bench_dot},
    bench_case{"rtl.dot", "the Verilated mx_dot, a word a cycle", bench_rtl_dot},
    bench_case{"train.step", "one RL step of the default study, one thread", bench_train_step}};

struct options {
  std::string name;
  output form = output::text;
};

std::string names_of_cases() {
  std::string names;
  for (const bench_case& c : cases) names += (names.empty() ? "" : " ") + std::string(c.name);
  return names;
}

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
    return v ? number_json(*v) : ordered_json();
  };
  return {{"name", r.name},
          {"value", number_json(r.value)},
          {"unit", r.unit},
          {"yardstick", r.yardstick},
          {"yardstick_value", or_null(r.yardstick_value)},
          {"ratio", or_null(r.ratio)}};
}

void print_text(const bench_result& r) {
  if (!r.ratio) {
    fmt::print("{:<34}{:>9.2f} {:<8} yardstick {}\n", r.name, r.value, r.unit, r.yardstick);
    return;
  }
  fmt::print("{:<34}{:>9.2f} {:<8} ratio {:.3f}", r.name, r.value, r.unit, *r.ratio);
  if (r.unit == "ms") fmt::print(" ({:.2f} times the yardstick's time)", 1 / *r.ratio);
  fmt::print("; {}: {:.2f}\n", r.yardstick, *r.yardstick_value);
}

int run(const options& o) {
  std::vector<bench_result> results;
  bool known = false;
  for (const bench_case& c : cases) {
    if (!o.name.empty() && o.name != c.name) continue;
    known = true;
    const std::vector<bench_result> of_case = c.run();
    results.insert(results.end(), of_case.begin(), of_case.end());
  }
  if (!known) {
    throw usage_error(fmt::format("there is no bench '{}' in this version; it has: {}", o.name,
                                  names_of_cases()));
  }
  if (o.form == output::json) {
    ordered_json rows = ordered_json::array();
    for (const bench_result& r : results) rows.push_back(json_of(r));
    print_json({{"machine", machine_json()}, {"results", rows}});
    return exit_status::done;
  }
  fmt::print("{}, {}\n", processor(), mx::instruction_set());
  for (const bench_result& r : results) print_text(r);
  return exit_status::done;
}

}  // namespace

void add_bench(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "bench", "Measure this machine, each figure beside its yardstick of the same run");
  const auto o = std::make_shared<options>();
  command->add_option("NAME", o->name, "One of: " + names_of_cases() + " (default: all)");
  add_json_flag(*command, o->form);
  command->footer("A ratio above 1 is better than the yardstick. Takes about a minute.\n\n" +
                  example("  mxprism bench train.step --json\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
