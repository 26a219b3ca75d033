// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/rule_options.cpp: the command-line options of quantization rules.
#include "sim/cli/rules/rule_options.h"

#include <fmt/format.h>

#include "mx/block/names.h"

namespace sim::cli {
namespace {

template <class Table>
std::string listed(const Table& table) {
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : " ") + std::string(entry.name);
  return names;
}

}  // namespace

void add_rule_options(CLI::App& command, rule_options& options, rule_scope scope) {
  add_value(
      command, "--format", options.format, "NAME",
      fmt::format("Elements, scales, blocks (default mxfp4): {}; or ELEMENT:SCALE:BLOCK[:TENSOR], "
                  "{}or @FILE (TOML); see `mxprism formats`",
                  listed(mx::block_format_table),
                  scope == rule_scope::any ? "then any +CORRECTION, " : ""));
  add_value(
      command, "--scale-rule", options.scale_rule, "NAME",
      fmt::format(
          "How a block's scale is chosen (default floor; ideal for scales with fraction bits): {}",
          listed(mx::scale_rule_table)));
  add_value(command, "--rounding", options.rounding, "NAME",
            fmt::format("How elements are rounded (default nearest-even): {}",
                        listed(mx::rounding_table)));
  add_value(command, "--seed", options.seed, "N", "Seed of stochastic rounding (default 0)");
  add_value(command, "--random-bits", options.random_bits, "N",
            "Random bits per element in stochastic rounding, 1 to 24 (default 8)")
      ->check(CLI::Range(1, 24));
  add_value(command, "--byte-map", options.byte_map, "NAME",
            fmt::format("Which byte of a random word rounds which element, of up to 8 random bits "
                        "(default ptx): {}",
                        listed(mx::byte_map_table)));
  CLI::Option* variant =
      add_value(command, "--variant", options.variant, "NAME",
                "The rules of a public kernel, such as torchao.rceil or ggml.mxfp4; `mxprism "
                "formats --variants` lists them");
  if (scope == rule_scope::plain) variant->group("");  // not in --help
}

void add_decoding_options(CLI::App& command, rule_options& options) {
  add_value(command, "--format", options.format, "NAME",
            "Elements, scales, blocks, as quantize takes it");
  add_value(command, "--variant", options.variant, "NAME",
            "Decode as a public kernel does, such as gpt-oss or ggml.nvfp4");
}

void add_axis_option(CLI::App& command, rule_options& options) {
  add_value(command, "--axis", options.axis, "N",
            "Axis along which blocks lie, from 0; negative: from the end (default -1)");
}

void add_storage_options(CLI::App& command, rule_options& options) {
  add_value(
      command, "--packing", options.packing, "NAME",
      fmt::format("How codes of 4 and 6 bits are stored (default packed: pairs of 4 bits, 6 bits "
                  "one a byte; or as the variant has it): {}",
                  listed(mx::code_order_table)));
  add_value(
      command, "--layout", options.layout, "NAME",
      fmt::format("Order of the scales (default linear): {}", listed(mx::scale_layout_table)));
}

}  // namespace sim::cli
