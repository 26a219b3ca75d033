// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/rule_options.cpp: the command-line options of quantization rules.
#include "sim/cli/rules/rule_options.h"

#include <fmt/format.h>

#include "mx/block/names.h"
#include "sim/cli/terminal/terminal_text.h"

namespace sim::cli {
namespace {

template <class Table>
std::string listed(const Table& table) {
  std::string names;
  for (const auto& entry : table) names += (names.empty() ? "" : " ") + std::string(entry.name);
  return names;
}

}  // namespace

void add_rule_options(CLI::App& command, rule_options& options) {
  command
      .add_option(
          "--format", options.format,
          option_text(fmt::format("Elements, scales, blocks (default mxfp4): {}; or "
                                  "ELEMENT:SCALE:BLOCK[:TENSOR], then any +CORRECTION, or @FILE "
                                  "(TOML); see `mxprism formats`",
                                  listed(mx::block_format_table))))
      ->type_name("NAME");
  command
      .add_option(
          "--scale-rule", options.scale_rule,
          option_text(fmt::format("How a block's scale is chosen (default floor; ideal for scales "
                                  "with fraction bits): {}",
                                  listed(mx::scale_rule_table))))
      ->type_name("NAME");
  command
      .add_option("--rounding", options.rounding,
                  option_text(fmt::format("How elements are rounded (default nearest-even): {}",
                                          listed(mx::rounding_table))))
      ->type_name("NAME");
  command.add_option("--seed", options.seed, "Seed of stochastic rounding (default 0)")
      ->check(whole_number())
      ->type_name("N");
  command
      .add_option("--random-bits", options.random_bits,
                  "Random bits per element in stochastic rounding, 1 to 24 (default 8)")
      ->check(CLI::Range(1, 24).description(""))
      ->type_name("N");
  command
      .add_option("--byte-map", options.byte_map,
                  option_text(fmt::format(
                      "Which bits of a random word round which element (default ptx): {}",
                      listed(mx::byte_map_table))))
      ->type_name("NAME");
  command
      .add_option("--variant", options.variant,
                  option_text("The rules of a public kernel, such as torchao.rceil or ggml.mxfp4; "
                              "`mxprism formats` lists them"))
      ->type_name("NAME");
}

void add_decoding_options(CLI::App& command, rule_options& options) {
  command.add_option("--format", options.format, "Elements, scales, blocks, as quantize takes it")
      ->type_name("NAME");
  command
      .add_option("--variant", options.variant,
                  "Decode as a public kernel does, such as gpt-oss or ggml.nvfp4")
      ->type_name("NAME");
}

void add_axis_option(CLI::App& command, rule_options& options) {
  command
      .add_option("--axis", options.axis,
                  "Axis along which blocks lie, from 0; negative: from the end (default -1)")
      ->type_name("N");
}

void add_storage_options(CLI::App& command, rule_options& options) {
  command
      .add_option("--packing", options.packing,
                  option_text(fmt::format(
                      "How 4-bit codes are stored (default packed, or as the variant has "
                      "it): {}",
                      listed(mx::code_order_table))))
      ->type_name("NAME");
  command
      .add_option("--layout", options.layout,
                  option_text(fmt::format("Order of the scales (default linear): {}",
                                          listed(mx::scale_layout_table))))
      ->type_name("NAME");
}

}  // namespace sim::cli
