// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose_command.cpp: the exact parts of every tensor's quantization error.
#include <fmt/format.h>

#include <memory>

#include "golden/io/widen.h"
#include "sim/cli/blocked_tensor.h"
#include "sim/cli/decomposed_tensor.h"
#include "sim/cli/input_tensor.h"
#include "sim/cli/output_file.h"

namespace sim::cli {
namespace {

struct options {
  std::string in, report;
  rule_options rules;
  output form = output::text;
};

decomposed_tensor decomposed(const options& o, const golden::io::tensor& tensor) {
  const block_axis axis = block_axis_of(tensor, o.rules.axis);
  progress_bar bar(golden::io::printable(tensor.name), axis.blocks());
  return {tensor.name, tensor.shape,
          energy_of(golden::io::to_float32(tensor), axis, o.rules.rule(), bar)};
}

void print_results(const options& o, const std::vector<decomposed_tensor>& tensors) {
  if (o.form == output::text) {
    for (const decomposed_tensor& t : tensors) fmt::print("{}", text_of(t));
    if (!o.report.empty()) fmt::print("{}\n", o.report);
    return;
  }
  ordered_json all = ordered_json::array();
  for (const decomposed_tensor& t : tensors) all.push_back(json_of(t));
  print_json({{"tensors", all}});
}

int run(const options& o) {
  if (!o.report.empty()) expect_writable(o.report, {".html"});
  const golden::io::tensor_file in = load_numbers(o.in);
  for (const auto& t : in.tensors()) static_cast<void>(block_axis_of(t, o.rules.axis));
  std::vector<decomposed_tensor> tensors;
  for (const golden::io::tensor& t : in.tensors()) tensors.push_back(decomposed(o, t));
  if (!o.report.empty()) {
    write_text(o.report,
               page_of(tensors, fmt::format("{}, scale rule {}", o.in, o.rules.scale_rule)));
  }
  print_results(o, tensors);
  return exit_status::done;
}

}  // namespace

void add_decompose(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "decompose", "Split every tensor's quantization error into its exact parts");
  const auto o = std::make_shared<options>();
  command->add_option("IN", o->in, ".safetensors or .npy with F32, F16 or BF16 (F64 is refused)")
      ->required();
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  command->add_option("--report", o->report, "Also write one self-contained HTML page")
      ->type_name("FILE.html");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism decompose x.npy --format mxfp4 --report x.html\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
