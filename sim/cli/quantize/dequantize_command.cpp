// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/dequantize_command.cpp: the FP32 values that codes and scales stand for.
#include "sim/cli/quantize/dequantize_command.h"

#include <fmt/format.h>

#include <deque>
#include <memory>

#include "golden/io/tensor_file.h"
#include "sim/cli/quantize/decoded_tensor.h"
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

std::uint64_t blocks_of(const coded_source& s, const chosen_rules& rules) {
  return mx::sizes_of(rules.format(), s.t.shape, mx::code_packing::unpacked).blocks;
}

void print_summary(const options& o, const std::vector<coded_source>& sources,
                   const chosen_rules& rules) {
  if (o.form == output::text) {
    fmt::print("{}: {}\n", o.out, counted(sources.size(), "tensor"));
    return;
  }
  ordered_json tensors = ordered_json::array();
  for (const coded_source& s : sources) {
    tensors.push_back({{"name", s.name}, {"shape", s.values}, {"blocks", blocks_of(s, rules)}});
  }
  print_json({{"output", o.out}, {"format", rules.format_name()}, {"tensors", tensors}});
}

int run(const options& o) {
  expect_writable(o.out, {".safetensors", ".npy"});
  const io::tensor_file in = io::load(o.in);
  const coding how = coding_of(in, o.rules, o.storage);
  if (how.rules.variant != nullptr) expect_decoder(*how.rules.variant);
  const std::vector<coded_source> sources = sources_of(in, how, o.rules.axis);
  std::deque<byte_buffer> values;
  std::vector<io::tensor> tensors;
  for (const coded_source& s : sources) {
    progress_bar bar(io::printable(s.name), blocks_of(s, how.rules));
    values.push_back(decoded(s, how.rules, bar));
    tensors.push_back({s.name, io::dtype::f32, s.values, values.back().view(), o.out});
  }
  io::save(o.out, tensors);
  print_summary(o, sources, how.rules);
  return exit_status::done;
}

}  // namespace

void add_dequantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("dequantize", "Write the FP32 values that codes and scales stand for");
  const auto o = std::make_shared<options>();
  command->add_option("IN", o->in, ".safetensors as `quantize` writes it; metadata may be missing")
      ->required();
  command->add_option("-o,--output", o->out, ".safetensors, or .npy for a single tensor")
      ->required()
      ->type_name("OUT");
  add_decoding_options(*command, o->rules);
  add_axis_option(*command, o->rules);
  add_storage_options(*command, o->storage);
  add_json_flag(*command, o->form);
  command->footer(
      "Blocks with a scale of NaN become NaN; beyond FLT_MAX a value becomes Inf. The options are\n"
      "for files without metadata, and replace what these say.\n\n" +
      example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
              "  mxprism quantize x.npy -o coded.safetensors\n"
              "  mxprism dequantize coded.safetensors -o values.npy\n"
              "  mxprism dequantize coded.safetensors -o gpt.npy --variant gpt-oss\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
