// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize_command.cpp: codes and scales of every tensor of a file.
#include <fmt/format.h>

#include <deque>
#include <memory>

#include "golden/io/widen.h"
#include "sim/cli/blocked_tensor.h"
#include "sim/cli/input_tensor.h"
#include "sim/cli/json_text.h"
#include "sim/cli/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct options {
  std::string in, out;
  rule_options rules;
  storage_options storage;
  output form = output::text;
};

/// The output as it grows: the bytes must outlive the tensors that show them.
struct coded_file {
  std::deque<coded_tensor> data;
  std::vector<io::tensor> tensors;
  io::metadata notes;
  ordered_json summary = ordered_json::array();
};

io::metadata common_notes(const options& o) {
  return {{"format", o.rules.format},     {"scale_rule", o.rules.scale_rule},
          {"rounding", o.rules.rounding}, {"packing", o.storage.packing},
          {"layout", o.storage.layout},   {"block", std::to_string(mx::mxfp4::size)}};
}

void add_tensor(const options& o, const io::tensor& tensor, const std::string& prefix,
                coded_file& file) {
  const block_axis axis = block_axis_of(tensor, o.rules.axis);
  progress_bar bar(io::printable(tensor.name), axis.blocks());
  file.data.push_back(
      quantized(io::to_float32(tensor), axis, o.rules.rule(), o.storage.codes(), bar));
  const coded_tensor& coded = file.data.back();
  const std::uint64_t bytes = code_bytes_along(axis, o.storage.codes());
  file.tensors.push_back({prefix + "codes", io::dtype::u8,
                          with_length(tensor.shape, axis.axis, bytes), coded.codes, o.out});
  file.tensors.push_back({prefix + "scales", io::dtype::u8,
                          with_length(tensor.shape, axis.axis, axis.blocks_along()), coded.scales,
                          o.out});
  file.notes[prefix + "shape"] = io::shape_text(tensor.shape);
  file.notes[prefix + "axis"] = std::to_string(axis.axis);
  file.summary.push_back({{"name", tensor.name},
                          {"shape", tensor.shape},
                          {"axis", axis.axis},
                          {"blocks", axis.blocks()},
                          {"special_blocks", coded.special_blocks}});
}

void print_summary(const options& o, const coded_file& file) {
  if (o.form == output::json) {
    print_json({{"output", o.out},
                {"format", o.rules.format},
                {"scale_rule", o.rules.scale_rule},
                {"tensors", file.summary}});
    return;
  }
  for (const ordered_json& t : file.summary) {
    fmt::print("{}: {}, {}", io::printable(t["name"].get<std::string>()), t["shape"].dump(),
               counted(t["blocks"].get<std::uint64_t>(), "block"));
    const auto special = t["special_blocks"].get<std::uint64_t>();
    if (special > 0) fmt::print(", {} of them with NaN or Inf (scale byte 255)", special);
    fmt::print("\n");
  }
  fmt::print("{}\n", o.out);
}

int run(const options& o) {
  expect_writable(o.out, {".safetensors"});
  const io::tensor_file in = load_numbers(o.in);
  for (const io::tensor& t : in.tensors()) static_cast<void>(block_axis_of(t, o.rules.axis));
  coded_file file;
  file.notes = common_notes(o);
  for (const io::tensor& t : in.tensors()) {
    add_tensor(o, t, in.tensors().size() == 1 ? "" : t.name + ".", file);
  }
  io::save(o.out, file.tensors, file.notes);
  print_summary(o, file);
  return exit_status::done;
}

}  // namespace

void add_quantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("quantize", "Write the codes and scales of every tensor of a file");
  const auto o = std::make_shared<options>();
  command->add_option("IN", o->in, ".safetensors or .npy with F32, F16 or BF16 (F64 is refused)")
      ->required();
  command->add_option("-o,--output", o->out, ".safetensors to write")->required()->type_name("OUT");
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_storage_options(*command, o->storage);
  add_json_flag(*command, o->form);
  command->footer(
      "The output holds `codes` and `scales` (U8) of a single tensor, else NAME.codes and "
      "NAME.scales,\nand says in its metadata how they were made. The axis is padded with zeros to "
      "whole blocks.\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism quantize x.npy -o coded.safetensors --format mxfp4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
