// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decompose_command.cpp: the exact parts of every tensor's quantization error.
#include "sim/cli/decompose/decompose_command.h"

#include <fmt/format.h>

#include <memory>

#include "mx/bulk_energy.h"
#include "sim/cli/decompose/decomposed_tensor.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/rules/chosen_rules.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

struct options {
  std::string in, report;
  rule_options rules;
  output form = output::text;
};

chosen_rules decomposable_rules(const rule_options& asked) {
  chosen_rules rules = rules_of(asked);
  if (rules.is_plain()) return rules;
  throw usage_error(fmt::format(
      "decompose takes formats and rules of their own: {} has no single quantizer to split",
      rules.variant != nullptr ? "--variant" : "--format " + rules.format_name()));
}

void expect_decomposable(const chosen_rules& rules) {
  const mx::block_format& f = rules.format();
  if (f.rows > 1 && f.tensor == mx::tensor_scaling::per_row) {
    throw usage_error("a tile has several rows, so no row has a scale of its own; use `tensor`");
  }
}

decomposed_tensor decomposed(const options& o, const chosen_rules& rules,
                             const golden::io::tensor& tensor) {
  const mx::block_format& f = rules.format();
  const blocked_tensor t = blocked(tensor, o.rules.axis, f);
  const mx::blocked_sizes sizes = mx::sizes_of(f, t.shape, mx::code_packing::unpacked);
  const mx::number_type type = number_type_of(tensor);
  std::vector<float> above(sizes.tensor_scales);
  if (f.has_tensor_scale()) {
    mx::choose_tensor_scales(f, type, tensor.bytes.data(), t.shape, above.data());
  }
  progress_bar bar(golden::io::printable(tensor.name), sizes.blocks);
  const auto counted = [&bar](std::uint64_t blocks) { bar.advance(blocks); };
  return {tensor.name, tensor.shape,
          mx::decompose_tensor(rules.quantizer(), type, tensor.bytes.data(), t.shape, above.data(),
                               counted)};
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
  const chosen_rules rules = decomposable_rules(o.rules);
  expect_decomposable(rules);
  if (!o.report.empty()) expect_writable(o.report, {".html"});
  const golden::io::tensor_file in = load_numbers(o.in);
  for (const auto& t : in.tensors()) static_cast<void>(blocked(t, o.rules.axis, rules.format()));
  std::vector<decomposed_tensor> tensors;
  for (const golden::io::tensor& t : in.tensors()) tensors.push_back(decomposed(o, rules, t));
  if (!o.report.empty()) {
    write_text(o.report, page_of(tensors, fmt::format("{}: {}, scale rule {}, rounding {}", o.in,
                                                      rules.format_name(), rules.rule_name(),
                                                      rules.rounding_name())));
  }
  print_results(o, tensors);
  return exit_status::done;
}

}  // namespace

void add_decompose(CLI::App& program, action& chosen) {
  CLI::App* command = program.add_subcommand(
      "decompose", "Split every tensor's quantization error into its exact parts");
  const auto o = std::make_shared<options>();
  command
      ->add_option("IN", o->in,
                   ".safetensors, .npy or .gguf with F32, F16 or BF16 (F64 is refused)")
      ->required();
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  command->add_option("--report", o->report, "Also write one self-contained HTML page")
      ->type_name("FILE.html");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism decompose x.npy --format mxfp4 --report x.html\n"
              "  mxprism decompose x.npy --format nvfp4 --scale-rule 4over6-mse\n"
              "  mxprism decompose x.npy --format e2m1:e8m3:32 --scale-rule rceil\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
