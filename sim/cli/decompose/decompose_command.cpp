// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decompose_command.cpp: exact components of each tensor's quantization error.
#include <fmt/format.h>

#include <memory>

#include "golden/io/replaced_file.h"
#include "sim/cli/decompose/decomposed_tensor.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

struct options {
  std::string in, report;
  rule_options rules;
  output form = output::text;
};

mx::recipe decomposable_recipe(const rule_options& requested) {
  const mx::recipe r = recipe_of(requested);
  const mx::block_format& f = r.format();
  if (!r.is_plain()) {
    throw usage_error(
        "decompose: {} has no single quantizer to split; expected a format without corrections and "
        "presets",
        r.has_preset() ? "--variant" : "--format " + mx::format_word(r));
  }
  if (f.rows > 1 && f.tensor == mx::tensor_scaling::per_row) {
    throw usage_error(mx::sentence_of(r, mx::recipe_refusal::row_of_tile));
  }
  return r;
}

decomposed_tensor decomposed(const options& o, const mx::recipe& r,
                             const golden::io::tensor& tensor) {
  const mx::tensor_axes t = axes_of(tensor, o.rules.axis, r);
  const plain_tensor numbers(tensor);
  progress_bar bar(golden::io::printable(tensor.name), mx::coded_shape_of(r, t).sizes.blocks);
  const auto counted = [&bar](std::uint64_t blocks) { bar.advance(blocks); };
  return {tensor.name, tensor.shape,
          mx::decompose_tensor(r, t, number_type_of(numbers.get()), numbers.get().bytes.data(),
                               nullptr, counted)};
}

void print_results(const options& o, const std::vector<decomposed_tensor>& tensors) {
  if (o.form == output::text) {
    for (const decomposed_tensor& t : tensors) fmt::print("{}", text_of(t));
    if (!o.report.empty()) fmt::print("{}\n", o.report);
    return;
  }
  print_json({{"tensors", json_array(tensors, [](const auto& t) { return json_of(t); })}});
}

int run(const options& o) {
  const mx::recipe r = decomposable_recipe(o.rules);
  if (!o.report.empty()) expect_writable(o.report, {".html"});
  const golden::io::tensor_file in = load_model_numbers(o.in);
  for (const auto& t : in.tensors()) static_cast<void>(axes_of(t, o.rules.axis, r));
  std::vector<decomposed_tensor> tensors;
  for (const golden::io::tensor& t : in.tensors()) tensors.push_back(decomposed(o, r, t));
  if (!o.report.empty()) {
    golden::io::write_text(
        o.report,
        page_of(tensors, fmt::format("{}: {}, scale rule {}, rounding {}", o.in, mx::format_word(r),
                                     scale_rule_name(r), rounding_name(r))));
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
      ->add_option(
          "IN", o->in,
          ".safetensors, .npy or .gguf with F32, F16, BF16, or GGUF's Q4_0, Q4_1, Q8_0 (F64 "
          "is refused); or the folder of a model")
      ->required();
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_value(*command, "--report", o->report, "FILE.html",
            "Also write one self-contained HTML page");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism decompose x.npy --format mxfp4 --report x.html\n"
              "  mxprism decompose x.npy --format nvfp4 --scale-rule 4over6-mse\n"
              "  mxprism decompose x.npy --format e2m1:e8m3:32 --scale-rule rceil\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
