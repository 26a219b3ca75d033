// SPDX-License-Identifier: Apache-2.0
// sim/cli/decompose/decompose_command.cpp: exact components of each tensor's quantization error.
#include <fmt/format.h>

#include <memory>

#include "golden/io/replaced_file.h"
#include "sim/cli/decompose/decomposed_page.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

struct options {
  std::string in, report;
  golden::io::name_patterns names;
  rule_options rules;
  int scale_precision = 0;
  output form = output::text;
};

mx::recipe decomposable_recipe(const rule_options& requested) {
  const mx::recipe r = recipe_of(requested);
  if (!r.is_plain()) {
    throw usage_error(
        "decompose: {} has no single quantizer to split; expected a format without corrections and "
        "presets",
        option_of(r));
  }
  return r;
}

decomposed_tensor decomposed(const options& o, const mx::recipe& r,
                             const golden::io::tensor& tensor) {
  const mx::tensor_axes t = axes_of(tensor, o.rules.axis, r);
  const plain_tensor numbers(tensor);
  progress_bar bar(golden::io::printable(tensor.name), mx::coded_shape_of(r, t).sizes.blocks);
  const auto counted = [&bar](std::uint64_t blocks) { bar.advance(blocks); };
  return {{mx::decompose_tensor(r, t, number_type_of(numbers.get()), numbers.get().bytes.data(),
                                nullptr, counted)},
          tensor.name,
          tensor.shape};
}

std::vector<decomposed_tensor> all_decomposed(const options& o, const mx::recipe& r,
                                              const golden::io::tensor_file& in) {
  std::vector<decomposed_tensor> tensors;
  for (const golden::io::tensor& t : in.tensors()) tensors.push_back(decomposed(o, r, t));
  return tensors;
}

/// The recipes of --scale-precision; none without it.
std::vector<mx::recipe> recipes_of_precisions(const options& o, const mx::recipe& r) {
  if (o.scale_precision == 0) return {};
  const bool given = with_file(o.rules).scale_rule.has_value();
  return recipes_of_precisions(r, given ? rule_origin::given : rule_origin::by_default,
                               o.scale_precision);
}

/// The kinds under every precision of the scale.
///   recipes  that of d first, as recipes_of_precisions has them
std::vector<at_precision> at_precisions(const options& o, const std::vector<mx::recipe>& recipes,
                                        const golden::io::tensor_file& in, const decomposition& d) {
  std::vector<at_precision> precisions{{0, d.kinds, d.whole}};
  for (std::size_t bits = 1; bits < recipes.size(); ++bits) {
    const std::vector<decomposed_tensor> found = all_decomposed(o, recipes[bits], in);
    precisions.push_back({static_cast<int>(bits), kinds_of(found), whole_of(found)});
  }
  return precisions;
}

ordered_json json_of(const decomposition& d) {
  const auto json = [](const auto& part) { return sim::cli::json_of(part); };
  ordered_json result{{"tensors", json_array(d.tensors, json)},
                      {"kinds", json_array(d.kinds, json)},
                      {"whole", json(d.whole)}};
  if (!d.precisions.empty()) result["scale_precision"] = json_array(d.precisions, json);
  return result;
}

void print_results(const options& o, const decomposition& d) {
  if (o.form == output::json) return print_json(json_of(d));
  for (const decomposed_tensor& t : d.tensors) fmt::print("{}", text_of(t));
  if (d.tensors.size() > 1) fmt::print("\n{}", text_of(d.kinds, d.whole));
  if (!d.precisions.empty()) fmt::print("\n{}", text_of(d.precisions));
  if (!o.report.empty()) fmt::print("{}\n", o.report);
}

int run(const options& o) {
  const mx::recipe r = decomposable_recipe(o.rules);
  const std::vector<mx::recipe> recipes = recipes_of_precisions(o, r);
  if (!o.report.empty()) expect_writable(o.report, {".html"});
  const golden::io::tensor_file in = load_model_numbers(o.in, o.names);
  for (const auto& t : in.tensors()) static_cast<void>(axes_of(t, o.rules.axis, r));
  decomposition d;
  d.tensors = all_decomposed(o, r, in);
  d.kinds = kinds_of(d.tensors);
  d.whole = whole_of(d.tensors);
  if (!recipes.empty()) d.precisions = at_precisions(o, recipes, in, d);
  if (!o.report.empty()) {
    const std::string source =
        fmt::format("{}: {}, scale rule {}, rounding {}", o.in, mx::format_word(r),
                    scale_rule_name(r), rounding_name(r));
    golden::io::write_text(o.report, page_of(d, r.format().element, source));
  }
  print_results(o, d);
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
  add_tensors_option(*command, o->names);
  add_rule_options(*command, o->rules, rule_scope::plain);
  add_axis_option(*command, o->rules);
  add_value(*command, "--scale-precision", o->scale_precision, "BITS",
            "Also decompose with scales of 1 to BITS fraction bits (E8M1, E8M2, ... at most 8), by "
            "--scale-rule, or ideal if none is given, to see how the error falls to its floor")
      ->check(CLI::Range(1, most_fraction_bits));
  add_value(*command, "--report", o->report, "FILE.html",
            "Also write one self-contained HTML page");
  add_json_flag(*command, o->form);
  command->footer(
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism decompose x.npy --format mxfp4 --report x.html\n"
              "  mxprism decompose x.npy --format nvfp4 --scale-rule 4over6-mse\n"
              "  mxprism decompose x.npy --format e2m1:e8m3:32 --scale-rule rceil\n"
              "  mxprism decompose x.npy --scale-rule rceil --scale-precision 4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
