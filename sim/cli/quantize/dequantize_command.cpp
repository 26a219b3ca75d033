// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/dequantize_command.cpp: decodes codes and scales to FP32 values.
#include <fmt/format.h>

#include <memory>

#include "golden/io/counted.h"
#include "golden/io/tensor_writer.h"
#include "sim/cli/quantize/decoded_tensor.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct dequantize_options {
  std::string in, out;
  rule_options rules;
  output form = output::text;
};

void print_summary(const dequantize_options& o, const std::vector<coded_source>& sources,
                   const mx::recipe& r, const std::vector<std::string>& left_out) {
  if (o.form == output::text) {
    fmt::print("{}: {}\n", o.out, io::counted(sources.size(), "tensor"));
    if (!left_out.empty()) {
      fmt::print("left out, as they hold no codes: {}\n", io::counted(left_out.size(), "tensor"));
    }
    return;
  }
  ordered_json tensors = ordered_json::array();
  for (const coded_source& s : sources) {
    tensors.push_back({{"name", s.name}, {"shape", s.values}, {"blocks", s.shape.sizes.blocks}});
  }
  ordered_json summary{{"output", o.out}, {"format", mx::format_word(r)}, {"tensors", tensors}};
  if (!left_out.empty()) summary["left_out"] = left_out;
  print_json(summary);
}

/// Writes one tensor's values at a time, so that only one is in memory.
void write_values(const dequantize_options& o, const std::vector<coded_source>& sources) {
  std::vector<io::tensor_plan> plans;
  for (const coded_source& s : sources) plans.push_back({s.name, io::dtype::f32, s.values});
  io::tensor_writer out(o.out, std::move(plans));
  for (const coded_source& s : sources) {
    progress_bar bar(io::printable(s.name), s.shape.sizes.blocks);
    out.append(decoded(s, bar).view());
  }
  out.finish();
}

int run_dequantize(const dequantize_options& o) {
  expect_writable(o.out, {".safetensors", ".npy"});
  const io::rewritten_file in = load_codes(o.in);
  expect_no_input(o.out, files_under(in.file));
  const file_recipe how = recipe_of(in.file, o.rules);
  expect_decoder(how.recipe);
  const std::vector<coded_source> sources = sources_of(in.file, how, o.rules.axis);
  write_values(o, sources);
  print_summary(o, sources, how.recipe, in.left_out);
  return exit_status::done;
}

}  // namespace

void add_dequantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("dequantize", "Write the FP32 values of codes and scales");
  const auto o = std::make_shared<dequantize_options>();
  command
      ->add_option(
          "IN", o->in,
          ".safetensors as `quantize`, gpt-oss, ModelOpt and compressed-tensors write it, or "
          ".gguf")
      ->required();
  add_value(*command, "-o,--output", o->out, "OUT", ".safetensors, or .npy for a single tensor")
      ->required();
  add_decoding_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_storage_options(*command, o->rules);
  add_json_flag(*command, o->form);
  command->footer(
      "Blocks with a scale of NaN become NaN; a value above FLT_MAX becomes Inf. The options are\n"
      "for files without metadata, and override metadata. Without the shape in metadata the "
      "result\n"
      "has whole blocks, with the zeros of padding.\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism quantize x.npy -o coded.safetensors\n"
              "  mxprism dequantize coded.safetensors -o values.npy\n"
              "  mxprism dequantize coded.safetensors -o gpt.npy --variant gpt-oss\n"));
  command->callback([o, &chosen] { chosen = [o] { return run_dequantize(*o); }; });
}

}  // namespace sim::cli
