// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_quantizer.cpp: the quantizer to MXFP4 in hardware.
#include "generated_recipes.h"
#include "mx/block/corrections.h"
#include "mx/number/formats.h"
#include "verilog_parts.h"
#include "verilog_text.h"

namespace verilog {
namespace {

std::string rule_numbers() {
  std::string text =
      "\n  // Scale rules: see emulator/include/mx/block/scale.h. A number without a rule is "
      "floor.\n";
  for (const auto& r : generated_rules) {
    text += number("Scale" + std::string(r.name), r.number);
  }
  return text + number("RuleBits", 3);
}

/// Bits of a bound in quarters of the last step: below 2^(emax + 1).
int bound_bits() { return mx::formats::e2m1.fraction_bits + 3; }

/// Bounds of the rules whose bound is not the largest element: rceil and floor6 compare with
/// scales.
std::string bound_numbers() {
  const mx::format f = mx::formats::e2m1;
  std::string text =
      "\n  // Where a rule takes the next exponent for E2M1: {significand, whether amax must "
      "exceed "
      "it}.\n" +
      number("BoundBits", bound_bits());
  for (const auto& r : generated_rules) {
    const bool of_power = r.value != mx::scale_rule::floor && r.value != mx::scale_rule::rceil &&
                          r.value != mx::scale_rule::floor6;
    if (!of_power) continue;
    const mx::exponent_bound bound = mx::exponent_bound_of(f, r.value);
    text += constant("logic [BoundBits:0]", std::string(r.name) + "Bound",
                     "{" + std::to_string(bound_bits()) + "'d" + std::to_string(bound.significand) +
                         ", 1'b" + (bound.at_bound ? "0" : "1") + "}");
  }
  return text;
}

constexpr std::string_view quantizer_functions = R"verilog(
  // What becomes of an element that is zero after rounding, but was not before.
  localparam int DeadzoneFlush = 0;
  localparam int DeadzoneKeep = 1;

  // A magnitude in units of the format's smallest subnormal.
  function automatic integer steps_of(input format_t format, input integer code);
    steps_of = code < (2 << fraction_bits(format)) ? code :
        ((1 << fraction_bits(format)) + code % (1 << fraction_bits(format))) <<
        (code / (1 << fraction_bits(format)) - 1);
  endfunction
  // Code of the largest magnitude, in a format that is finite throughout.
  function automatic integer largest_code(input format_t format);
    largest_code = (1 << (exponent_bits(format) + fraction_bits(format))) - 1;
  endfunction
  // NaN of a format whose top exponent field is NaN.
  function automatic integer top_field_nan(input format_t format);
    top_field_nan = ((1 << exponent_bits(format)) - 1) << fraction_bits(format);
  endfunction
  // The largest element times scale number `index` of a binade: an integer of
  // scaled_largest_bits, the highest of which is set from the next binade on.
  function automatic integer scaled_largest(
    input format_t element, input format_t scale, input integer index
  );
    scaled_largest = 32'(largest_significand(element, 0)) *
        ((1 << fraction_bits(scale)) + index);
  endfunction
  function automatic integer scaled_largest_bits(input format_t element, input format_t scale);
    scaled_largest_bits = fraction_bits(element) + fraction_bits(scale) + 2;
  endfunction
  // How many of a binade's scales, times the largest element, stay in the binade of the first.
  function automatic integer scales_below(input format_t element, input format_t scale);
    scales_below = ((1 << (scaled_largest_bits(element, scale) - 1)) +
        scaled_largest(element, E8m0, 0) - 1) / scaled_largest(element, E8m0, 0) -
        (1 << fraction_bits(scale));
  endfunction
)verilog";

constexpr int random_bits = 8;

std::string quantizer_module(const quantizer_model& m) {
  const int block = mx::mxfp4::size;
  return "\nmodule mx_quantizer_" + std::string(m.name) +
         " (\n  input  logic clk_i,\n  input  logic rst_ni,\n  input  logic valid_i,\n"
         "  output logic ready_o,\n" +
         port("input ", block * m.in.width(), "x_i") +
         "  input  logic [mx_pkg::RuleBits-1:0] rule_i,\n"
         "  input  logic [mx_pkg::RoundBits-1:0] rounding_i,\n" +
         port("input ", block * random_bits, "random_i") +
         "  input  logic [mx_pkg::MacroBits-1:0] factor_i,\n  input  logic deadzone_i,\n"
         "  output logic valid_o,\n  input  logic ready_i,\n" +
         port("output", block * mx::formats::e2m1.width(), "codes_o") +
         port("output", m.scale.width(), "scale_o") + "  output logic special_o,\n" +
         "  output logic [" + std::to_string(block - 1) + ":0] kept_o\n);\n  mx_quantizer #(\n" +
         parameter("FormatIn", format_name(m.in)) + parameter("FormatScale", format_name(m.scale)) +
         parameter("Block", "mx_pkg::Mxfp4Block") + "    .RandomBits(" +
         std::to_string(random_bits) +
         ")\n  ) u_quantizer (\n    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), "
         ".ready_o(ready_o), .x_i(x_i),\n    .rule_i(rule_i), .rounding_i(rounding_i), "
         ".random_i(random_i), .factor_i(factor_i),\n    .deadzone_i(deadzone_i), "
         ".valid_o(valid_o), .ready_i(ready_i), .codes_o(codes_o),\n    .scale_o(scale_o), "
         ".special_o(special_o), .kept_o(kept_o)\n  );\nendmodule\n";
}

}  // namespace

std::string quantizer_text() {
  return "\n  // Elements of a block of MXFP4; fraction bits of a macro-block factor.\n" +
         number("Mxfp4Block", mx::mxfp4::size) + number("MacroBits", mx::macro_factor{}.bits) +
         rule_numbers() + bound_numbers() + std::string(quantizer_functions);
}

std::string quantizer_file() {
  std::string text =
      head("mx_quantizer_models.sv: mx_quantizer by the formats of its input and of its scale.") +
      "/* verilator lint_off DECLFILENAME */\n";
  for (const quantizer_model& m : quantizer_models) text += quantizer_module(m);
  return text;
}

}  // namespace verilog
