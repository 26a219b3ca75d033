// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/quantize_command.cpp: codes and scales of every tensor of a file.
#include "sim/cli/quantize/quantize_command.h"

#include <fmt/format.h>

#include <deque>
#include <memory>

#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/rules/variant_choice.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/cli/terminal/json_text.h"
#include "sim/cli/terminal/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

struct options {
  std::string in, out;
  rule_options rules;
  storage_options storage;
  output form = output::text;
};

/// The options, understood.
struct job {
  chosen_rules rules;
  storage how;
};

job job_of(const options& o) {
  job result{rules_of(o.rules), {}};
  const mx::variant_entry* variant = result.rules.variant;
  if (variant != nullptr) expect_quantizer(*variant);
  result.how = storage_of(o.storage,
                          variant != nullptr ? nibbles_of(*variant) : mx::nibble_order::low_first);
  return result;
}

/// The output as it grows: the bytes must outlive the tensors that show them.
struct coded_file {
  std::deque<coded_tensor> data;
  std::vector<io::tensor> tensors;
  io::metadata notes;
  ordered_json summary = ordered_json::array();
};

void add_summary(const io::tensor& tensor, const blocked_tensor& t, const coded_tensor& coded,
                 coded_file& file) {
  ordered_json line{{"name", tensor.name},
                    {"shape", tensor.shape},
                    {"axis", t.axis},
                    {"blocks", coded.blocks},
                    {"special_blocks", coded.special_blocks}};
  if (coded.granules > 0) {
    line["granules"] = coded.granules;
    line["fallen_back"] = coded.fallen_back;
  }
  file.summary.push_back(std::move(line));
}

void add_tensor(const options& o, const job& j, const io::tensor& tensor, const std::string& prefix,
                coded_file& file) {
  const blocked_tensor t = blocked(tensor, o.rules.axis, j.rules.format());
  progress_bar bar(io::printable(tensor.name),
                   mx::sizes_of(j.rules.format(), t.shape, mx::code_packing::unpacked).blocks);
  file.data.push_back(coded(tensor, t, j.rules, j.how, bar));
  for (const stored_array& a : file.data.back().arrays) {
    file.tensors.push_back({prefix + a.name, a.type, a.shape, a.bytes.view(), o.out});
  }
  file.notes[prefix + "shape"] = io::shape_text(tensor.shape);
  file.notes[prefix + "axis"] = std::to_string(t.axis);
  add_summary(tensor, t, file.data.back(), file);
}

void print_line(const job& j, const ordered_json& t) {
  fmt::print("{}: {}, {}", io::printable(t["name"].get<std::string>()), t["shape"].dump(),
             counted(t["blocks"].get<std::uint64_t>(), "block"));
  const auto special = t["special_blocks"].get<std::uint64_t>();
  if (special > 0) {
    const bool e8m0 = j.rules.format().scale == mx::formats::e8m0 && j.rules.variant == nullptr;
    fmt::print(", {} of them with NaN or Inf{}", special, e8m0 ? " (scale byte 255)" : "");
  }
  if (t.contains("granules")) {
    fmt::print(", {} of {} with a residual", t["fallen_back"].get<std::uint64_t>(),
               counted(t["granules"].get<std::uint64_t>(), "granule"));
  }
  fmt::print("\n");
}

void print_summary(const options& o, const job& j, const coded_file& file) {
  if (o.form == output::json) {
    print_json({{"output", o.out},
                {"format", j.rules.format_name()},
                {"scale_rule", j.rules.rule_name()},
                {"tensors", file.summary}});
    return;
  }
  for (const ordered_json& t : file.summary) print_line(j, t);
  fmt::print("{}\n", o.out);
}

int run(const options& o) {
  const job j = job_of(o);
  expect_writable(o.out, {".safetensors"});
  const io::tensor_file in = load_numbers(o.in);
  for (const io::tensor& t : in.tensors()) {
    expect_storable(t, blocked(t, o.rules.axis, j.rules.format()), j.rules, j.how);
  }
  coded_file file;
  file.notes = notes_of(j.rules, j.how);
  for (const io::tensor& t : in.tensors()) {
    add_tensor(o, j, t, in.tensors().size() == 1 ? "" : t.name + ".", file);
  }
  io::save(o.out, file.tensors, file.notes);
  print_summary(o, j, file);
  return exit_status::done;
}

}  // namespace

void add_quantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("quantize", "Write the codes and scales of every tensor of a file");
  const auto o = std::make_shared<options>();
  command
      ->add_option("IN", o->in,
                   ".safetensors, .npy or .gguf with F32, F16 or BF16 (F64 is refused)")
      ->required();
  command->add_option("-o,--output", o->out, ".safetensors to write")->required()->type_name("OUT");
  add_rule_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_storage_options(*command, o->storage);
  add_json_flag(*command, o->form);
  command->footer(
      "The output holds `codes` and `scales` of a single tensor, else NAME.codes and NAME.scales\n"
      "(U8; scales of more than 8 bits U16, U32 or F32), `tensor_scale` (F32) where the format "
      "has\n"
      "one, and what corrections keep (macro_fractions, residual.codes, residual.scales). Its\n"
      "metadata say how it was made. The axis is padded with zeros to whole blocks.\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism quantize x.npy -o coded.safetensors --format mxfp4\n"
              "  mxprism quantize x.npy -o nv.safetensors --format nvfp4 --scale-rule 4over6-mse\n"
              "  mxprism quantize x.npy -o own.safetensors --format e3m2:e8m4:64+mbs=128,8 "
              "--rounding stochastic\n"
              "  mxprism quantize x.npy -o ggml.safetensors --variant ggml.mxfp4\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
