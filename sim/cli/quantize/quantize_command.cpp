// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/quantize_command.cpp: codes and scales of every tensor of a file.
#include <fmt/format.h>

#include <deque>
#include <memory>

#include "golden/io/counted.h"
#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/terminal/commands.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct options {
  std::string in, out;
  golden::io::name_patterns names;
  rule_options rules;
  output form = output::text;
};

/// The growing output: the bytes must outlive the tensors that refer to them.
struct coded_file {
  std::deque<coded_tensor> data;
  std::vector<io::tensor> tensors;
  io::metadata notes;
  ordered_json summary = ordered_json::array();
};

void add_summary(const io::tensor& tensor, const mx::tensor_axes& t,
                 const mx::coding_counts& counts, coded_file& file) {
  ordered_json line{{"name", tensor.name},
                    {"shape", tensor.shape},
                    {"axis", t.axis},
                    {"blocks", counts.blocks},
                    {"special_blocks", counts.special_blocks}};
  if (counts.granules > 0) {
    line["granules"] = counts.granules;
    line["fallen_back"] = counts.fallen_back;
  }
  file.summary.push_back(std::move(line));
}

void add_tensor(const options& o, const mx::recipe& r, const io::tensor& tensor,
                const std::string& prefix, coded_file& file) {
  const mx::tensor_axes t = axes_of(tensor, o.rules.axis, r);
  progress_bar bar(io::printable(tensor.name), mx::coded_shape_of(r, t).sizes.blocks);
  const plain_tensor numbers(tensor);
  file.data.push_back(coded(numbers.get(), t, r, bar));
  for (const io::owned_tensor& a : file.data.back().arrays) {
    file.tensors.push_back(a.view(o.out, prefix));
  }
  file.notes[prefix + "shape"] = io::shape_text(tensor.shape);
  file.notes[prefix + "axis"] = std::to_string(t.axis);
  add_summary(tensor, t, file.data.back().counts, file);
}

void print_line(const mx::recipe& r, const ordered_json& t) {
  fmt::print("{}: {}, {}", io::printable(t["name"].get<std::string>()), t["shape"].dump(),
             io::counted(t["blocks"].get<std::uint64_t>(), "block"));
  const auto special = t["special_blocks"].get<std::uint64_t>();
  if (special > 0) {
    const bool e8m0 = r.format().scale == mx::formats::e8m0 && !r.has_preset();
    fmt::print(", {} of them with NaN or Inf{}", special, e8m0 ? " (scale byte 255)" : "");
  }
  if (t.contains("granules")) {
    fmt::print(", {} of {} with a residual", t["fallen_back"].get<std::uint64_t>(),
               io::counted(t["granules"].get<std::uint64_t>(), "granule"));
  }
  fmt::print("\n");
}

void print_summary(const options& o, const mx::recipe& r, const coded_file& file) {
  if (o.form == output::json) {
    return print_json({{"output", o.out},
                       {"format", mx::format_word(r)},
                       {"scale_rule", scale_rule_name(r)},
                       {"tensors", file.summary}});
  }
  for (const ordered_json& t : file.summary) print_line(r, t);
  fmt::print("{}\n", o.out);
}

int run(const options& o) {
  const mx::recipe r = recipe_of(o.rules);
  expect_quantizer(r);
  expect_writable(o.out, {".safetensors"});
  const io::tensor_file in = load_model_numbers(o.in, o.names);
  expect_no_input(o.out, files_under(in));
  for (const io::tensor& t : in.tensors()) expect_storable(t, axes_of(t, o.rules.axis, r), r);
  const bool is_single = in.tensors().size() == 1 && o.names.empty();
  coded_file file;
  file.notes = notes_of(r);
  for (const io::tensor& t : in.tensors()) {
    add_tensor(o, r, t, is_single ? "" : t.name + ".", file);
  }
  io::save(o.out, file.tensors, file.notes);
  print_summary(o, r, file);
  return exit_status::done;
}

}  // namespace

void add_quantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("quantize", "Write the codes and scales of every tensor of a file");
  const auto o = std::make_shared<options>();
  command
      ->add_option(
          "IN", o->in,
          ".safetensors, .npy or .gguf with F32, F16, BF16, or GGUF's Q4_0, Q4_1, Q8_0 (F64 "
          "is refused); or the folder of a model")
      ->required();
  add_value(*command, "-o,--output", o->out, "OUT", ".safetensors to write")->required();
  add_tensors_option(*command, o->names);
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_storage_options(*command, o->rules);
  add_json_flag(*command, o->form);
  command->footer(
      R"(The output holds `codes` and `scales` of a single tensor, else, and with --tensors, NAME.codes
and NAME.scales (U8; scales of more than 8 bits U16, U32 or F32), `tensor_scale` (F32) where the
format has one, and the arrays of corrections (macro_fractions, residual.codes, residual.scales).
Its metadata name the rules. The axis is padded with zeros to whole blocks.

)" + example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
             "  mxprism quantize x.npy -o coded.safetensors --format mxfp4\n"
             "  mxprism quantize x.npy -o nv.safetensors --format nvfp4 --scale-rule 4over6-mse\n"
             "  mxprism quantize x.npy -o own.safetensors --format e3m2:e8m4:64+mbs=128,8 "
             "--rounding stochastic\n"
             "  mxprism quantize x.npy -o ggml.safetensors --variant ggml.mxfp4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
