// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/variant_choice.cpp: the presets of public kernels, by name, and what is refused of
// them.
#include "sim/cli/rules/variant_choice.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mx/spelling.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {

const mx::variant_entry& variant_chosen(const std::string& name) {
  try {
    return mx::variant_spelled(name);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(fmt::format("--variant: {}", wrong.what()));
  }
}

std::string name_of(const mx::variant_entry& entry) { return std::string(entry.about.name); }

mx::block_format format_of_variant(const mx::variant_entry& entry,
                                   const std::optional<std::string>& asked) {
  std::optional<mx::spelled_format> format;
  try {
    if (asked) format = mx::format_spelled(*asked);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(fmt::format("--format: {}", wrong.what()));
  }
  try {
    return mx::format_of_variant(entry, format);
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(fmt::format("--variant: {}", wrong.what()));
  }
}

mx::nibble_order nibbles_of(const mx::variant_entry& entry) { return entry.about.packing; }

void expect_quantizer(const mx::variant_entry& entry) {
  if (mx::is_quantizer(entry)) return;
  throw usage_error(fmt::format(
      "--variant {} {}; quantize takes presets that choose scales, such as "
      "torchao.rceil",
      entry.about.name,
      mx::is_decoder(entry) ? "only decodes" : "converts single elements and chooses no scale"));
}

void expect_decoder(const mx::variant_entry& entry) {
  if (mx::is_decoder(entry)) return;
  throw usage_error(
      fmt::format("--variant {} converts single elements and decodes nothing", entry.about.name));
}

}  // namespace sim::cli
