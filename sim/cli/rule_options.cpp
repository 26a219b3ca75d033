// SPDX-License-Identifier: Apache-2.0
// sim/cli/rule_options.cpp: what exists, by its names on the command line.
#include "sim/cli/rule_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace sim::cli {
namespace {

constexpr std::array format_table{
    named_choice{"mxfp4", "E2M1 elements (4 bits), an E8M0 scale for every 32"}};
constexpr std::array scale_rule_table{
    named_choice{"floor",
                 "e = floor(log2 amax) - 2 (OCP MX v1.0); what lies beyond 6 * 2^e saturates"},
    named_choice{"rceil",
                 "the smallest e with 6 * 2^e >= amax (arXiv 2605.20402); nothing saturates"}};
constexpr std::array rounding_table{
    named_choice{"nearest-even", "to the nearest code, ties to the even one"}};
constexpr std::array packing_table{
    named_choice{"packed", "two codes a byte, low nibble first, pairs along the axis"},
    named_choice{"unpacked", "one code a byte"}};
constexpr std::array layout_table{named_choice{"linear", "scales in the order of their blocks"}};

CLI::Validator one_of(std::span<const named_choice> choices) {
  const auto check = [choices](const std::string& given) -> std::string {
    const auto same = [&](const named_choice& c) { return c.name == given; };
    if (std::any_of(choices.begin(), choices.end(), same)) return {};
    return fmt::format("'{}' is not in this version, which has: {}", given, names_of(choices));
  };
  return {check, ""};
}

/// An option whose value is one of these names.
void add_choice(CLI::App& command, const std::string& option, std::string& value,
                std::span<const named_choice> choices, const std::string& what) {
  command.add_option(option, value, what + ": " + names_of(choices))
      ->check(one_of(choices))
      ->type_name("NAME")
      ->capture_default_str();
}

}  // namespace

std::span<const named_choice> formats() { return format_table; }
std::span<const named_choice> scale_rules() { return scale_rule_table; }
std::span<const named_choice> roundings() { return rounding_table; }
std::span<const named_choice> packings() { return packing_table; }
std::span<const named_choice> layouts() { return layout_table; }
std::span<const named_choice> variants() { return {}; }

std::string names_of(std::span<const named_choice> choices) {
  std::string names;
  for (const named_choice& c : choices) names += (names.empty() ? "" : " ") + std::string(c.name);
  return names.empty() ? "(none)" : names;
}

mx::scale_rule rule_options::rule() const {
  return scale_rule == "rceil" ? mx::scale_rule::rceil : mx::scale_rule::floor;
}

packing storage_options::codes() const {
  return packing == "unpacked" ? cli::packing::unpacked : cli::packing::packed;
}

void add_rule_options(CLI::App& command, rule_options& options) {
  add_choice(command, "--format", options.format, formats(), "Format of elements and scales");
  add_choice(command, "--scale-rule", options.scale_rule, scale_rules(),
             "How a block's scale is chosen");
  add_choice(command, "--rounding", options.rounding, roundings(), "How elements are rounded");
  command.add_option("--seed", options.seed, "Of stochastic rounding; the others do not use it")
      ->check(CLI::NonNegativeNumber.description(""))
      ->type_name("N");
  add_choice(command, "--variant", options.variant, variants(), "Rules of somebody's kernel");
}

void add_axis_option(CLI::App& command, rule_options& options) {
  command
      .add_option("--axis", options.axis,
                  "Axis along which blocks lie, from 0; negative: from the end (default -1)")
      ->type_name("N");
}

void add_storage_options(CLI::App& command, storage_options& options) {
  add_choice(command, "--packing", options.packing, packings(), "How 4-bit codes are stored");
  add_choice(command, "--layout", options.layout, layouts(), "Order of the scales");
}

}  // namespace sim::cli
