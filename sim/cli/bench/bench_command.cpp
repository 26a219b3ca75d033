// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_command.cpp: runs benches and prints their figures.
#include <fmt/format.h>

#include <array>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/bench/measures.h"
#include "mx/spelling.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/cuda_bench.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

struct bench_case {
  const char *name, *work;
  std::vector<bench_result> (*run)();
};

constexpr std::size_t work_column = 35;

constexpr std::array cases{
    bench_case{"quantize.mxfp4", "256 MiB of FP32 to MXFP4, one thread", bench_quantize},
    bench_case{"quantize.presets", "64 MiB of FP32 as public kernels quantize them, one thread",
               bench_presets},
    bench_case{"dequantize.mxfp4", "MXFP4 to 256 MiB of FP32, one thread", bench_dequantize},
    bench_case{"decompose.mxfp4", "the error's parts of 256 MiB of FP32", bench_decompose},
    bench_case{"gemm.fp32.sequential", "a product of MXFP4, rounded to FP32 after each block",
               bench_sequential_gemm},
    bench_case{"gemm.blackwell.mxf4", "a product of MXFP4 as Blackwell's tensor cores do it",
               bench_blackwell_gemm},
    bench_case{"gemm.blackwell.mxf4.spread", "the same with scales far apart", bench_spread_gemm},
    bench_case{"gemm.blackwell.mxf4nvf4", "a product of NVFP4 as Blackwell's tensor cores do it",
               bench_nvfp4_gemm},
    bench_case{"gemm.blackwell.mxf4nvf4.spread", "the same with scales far apart",
               bench_spread_nvfp4_gemm},
    bench_case{"dot.blackwell.mxf4", "a million dot products of 64 elements", bench_dot},
    bench_case{"dot.command.blackwell.mxf4", "the process of `mxprism dot` on two million of them",
               bench_dot_command},
    bench_case{"rtl.dot", "the Verilated mx_dot, a word a cycle", bench_rtl_dot},
    bench_case{"train.step", "one RL step of the default study, one thread", bench_train_step},
    bench_case{"train.batch", "one FP32 step of 512 sequences, two threads", bench_train_batch}};

struct options {
  std::string name;
  output form = output::text;
};

[[noreturn]] void refuse(const std::string& name) {
  const std::vector<std::string> steps = step_benches();
  std::vector<std::string_view> names(steps.begin(), steps.end());
  for (const bench_case& c : cases) names.emplace_back(c.name);
  for (const auto& measure : mx::kernels::measures) names.push_back(measure.name);
  throw usage_error("{} `mxprism bench --help` lists all", mx::no_such_name("bench", name, names));
}

/// Every name and what it measures.
std::string table_of_benches() {
  std::string text;
  const auto add = [&](std::string_view name, std::string_view work) {
    text += fmt::format("  {}{}\n", cell(name, 2, work_column), work);
  };
  text += "Names:\n";
  for (const bench_case& c : cases) add(c.name, c.work);
  text += "Names, of tensor cores that add in steps (products; with exponents far apart; words):\n";
  for (const std::string& name : step_benches()) text += fmt::format("  {}\n", name);
  text += "Names, on a CUDA device with a build for it (cmake --preset cuda):\n";
  for (const auto& measure : mx::kernels::measures) add(measure.name, measure.work);
  return text;
}

/// A bench requested by name must be possible; when all are run, a row says why it is not.
std::vector<bench_result> results_of_device(const std::string& name, const std::string& asked) {
  const std::string absence = cuda_absence();
  if (absence.empty()) return bench_cuda(name);
  if (!asked.empty()) throw usage_error(name + " cannot be measured: " + absence);
  return {{name, 0, "", absence, {}, {}}};
}

int run(const options& o) {
  std::vector<bench_result> results;
  const auto is_asked = [&](std::string_view name) { return o.name.empty() || o.name == name; };
  const auto add = [&](const std::vector<bench_result>& more) {
    results.insert(results.end(), more.begin(), more.end());
  };
  for (const bench_case& c : cases) {
    if (is_asked(c.name)) add(c.run());
  }
  for (const std::string& name : step_benches()) {
    if (is_asked(name)) add(bench_steps(name));
  }
  for (const auto& measure : mx::kernels::measures) {
    if (is_asked(measure.name)) add(results_of_device(std::string(measure.name), o.name));
  }
  if (results.empty()) refuse(o.name);
  print_results(results, o.form);
  return exit_status::done;
}

}  // namespace

void add_bench(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "bench", "Measure this machine, each figure beside its yardstick of the same run");
  const auto o = std::make_shared<options>();
  command->add_option("NAME", o->name, "One of the names below (default: all)");
  add_json_flag(*command, o->form);
  command->footer(
      table_of_benches() +
      "\nA ratio above 1 is better than the yardstick. Takes a few minutes.\n"
      "Measure with the preset release. A build for tests, as by the preset dev, is slower; its\n"
      "output says so: machine.optimized_for of --json is \"tests\", not \"speed\".\n"
      "SystemC's models have a program of their own, mx_systemc_bench.\n\n" +
      example("  mxprism bench train.step --json\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
