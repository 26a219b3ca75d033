// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_dot.cpp: dot products under the emulator's models.
#include <vector>

#include "mx/dot/block_scaled_models.h"
#include "mx/dot/generic_models.h"
#include "mx/number/formats.h"
#include "verilog_parts.h"
#include "verilog_text.h"

namespace verilog {
namespace {

/// A model supported by mx_dot, for words of k products.
struct package_model {
  std::string_view name;
  mx::dot_model value;
  int k;
};

const std::vector<package_model>& package_models() {
  namespace formats = mx::formats;
  using mx::with_formats, mx::with_scales, mx::tensor_cores::grouped_f4, mx::tensor_cores::mxf8f6f4;
  const mx::dot_model exact = mx::accumulations::exact(mx::rounding::ties_to_even);
  const mx::dot_model cut = mx::accumulations::exact(mx::rounding::toward_zero);
  const mx::dot_model sequential = mx::accumulations::block_by_block();
  static const std::vector<package_model> models{
      {"blackwell_mxf4", grouped_f4(formats::e8m0, 32), 64},
      {"blackwell_mxf4nvf4", grouped_f4(formats::ue4m3, 16), 64},
      {"blackwell_mxf4_e8m3", grouped_f4(formats::e8m(3), 32), 64},
      {"blackwell_mxf4_ue4m3", grouped_f4(formats::ue4m3, 32), 64},
      {"blackwell_mxf8f6f4_e2m1", mxf8f6f4(formats::e2m1, formats::e2m1), 32},
      {"blackwell_mxf8f6f4_e2m3", mxf8f6f4(formats::e2m3, formats::e2m3), 32},
      {"blackwell_mxf8f6f4_e3m2", mxf8f6f4(formats::e3m2, formats::e3m2), 32},
      {"blackwell_mxf8f6f4_e4m3", mxf8f6f4(formats::e4m3, formats::e4m3), 32},
      {"blackwell_mxf8f6f4_e5m2", mxf8f6f4(formats::e5m2, formats::e5m2), 32},
      {"blackwell_mxf8f6f4_e4m3_e5m2", mxf8f6f4(formats::e4m3, formats::e5m2), 32},
      {"exact_rne_mxfp4", exact, 64},
      {"exact_rz_mxfp4", cut, 64},
      {"exact_rne_nvfp4", with_scales(exact, formats::ue4m3, 16), 64},
      {"fp32_sequential_mxfp4", sequential, 64},
      {"fp32_sequential_nvfp4", with_scales(sequential, formats::ue4m3, 16), 64},
      {"fp32_sequential_mxfp6_e2m3", with_formats(sequential, formats::e2m3, formats::e2m3), 64},
      {"fp32_sequential_mxfp6_e3m2", with_formats(sequential, formats::e3m2, formats::e3m2), 64},
      {"fp32_sequential_mxfp8_e4m3", with_formats(sequential, formats::e4m3, formats::e4m3), 64}};
  return models;
}

/// Alignment parameters of mx_step, and its number of products.
std::string alignment_parameters(const package_model& m) {
  const mx::accumulation& how = m.value.sum;
  if (how.alignment == mx::alignment::window) {
    return parameter("Step", how.fused) + parameter("Group", how.group) +
           parameter("Alignment", "mx_pkg::AlignWindow") +
           parameter("FractionBits", how.fraction_bits) +
           parameter("ZeroExponent", how.zero_exponent);
  }
  const bool one_block = how.fused == mx::accumulation::one_block;
  return parameter("Step", one_block ? m.value.block : m.k) + parameter("Group", m.value.block) +
         parameter("Alignment", one_block ? "mx_pkg::AlignSticky" : "mx_pkg::AlignExact");
}

std::string model_module(const package_model& m) {
  const mx::dot_model& value = m.value;
  const bool nearest = value.sum.rounding == mx::rounding::ties_to_even;
  const bool plus = value.sum.zero_result == mx::zero_result::plus;
  const int scales = m.k / value.block * value.scale.width();
  return "\nmodule mx_dot_" + std::string(m.name) +
         " (\n  input  logic clk_i,\n  input  logic rst_ni,\n  input  logic valid_i,\n"
         "  output logic ready_o,\n" +
         port("input ", m.k * value.a.width(), "a_i") +
         port("input ", m.k * value.b.width(), "b_i") + port("input ", scales, "scale_a_i") +
         port("input ", scales, "scale_b_i") + port("input ", 32, "c_i") +
         "  output logic valid_o,\n  input  logic ready_i,\n  output logic [31:0] d_o\n);\n"
         "  mx_dot #(\n" +
         parameter("FormatA", format_name(value.a)) + parameter("FormatB", format_name(value.b)) +
         parameter("FormatScale", format_name(value.scale)) + parameter("Block", value.block) +
         parameter("K", m.k) + alignment_parameters(m) +
         parameter("Rounding", nearest ? "mx_pkg::RoundTiesToEven" : "mx_pkg::RoundTowardZero") +
         parameter("ZeroResult", plus ? "mx_pkg::ZeroResultPlus" : "mx_pkg::ZeroResultOfTerms") +
         "    .NanCode(" + hexadecimal(32, value.sum.nan_code) +
         ")\n  ) u_dot (\n    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), "
         ".ready_o(ready_o), "
         ".a_i(a_i), .b_i(b_i),\n    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), "
         ".valid_o(valid_o), .ready_i(ready_i),\n    .d_o(d_o)\n  );\nendmodule\n";
}

}  // namespace

std::string models_text() {
  using mx::tensor_cores::grouped_f4, mx::tensor_cores::mxf8f6f4;
  const mx::accumulation grouped = grouped_f4(mx::formats::e8m0, 32).sum;
  const mx::accumulation single = mxf8f6f4(mx::formats::e4m3, mx::formats::e4m3).sum;
  const mx::accumulation exact = mx::accumulations::block_by_block().sum;
  return "\n  // blackwell.mxf4 and blackwell.mxf4nvf4, blackwell.mxf8f6f4.\n" +
         number("Mxf4Step", grouped.fused) + number("Mxf4Group", grouped.group) +
         number("Mxf4FractionBits", grouped.fraction_bits) +
         number("Mxf4ZeroExponent", grouped.zero_exponent) + number("Mxf8f6f4Step", single.fused) +
         number("Mxf8f6f4FractionBits", single.fraction_bits) +
         number("Mxf8f6f4ZeroExponent", single.zero_exponent) +
         "  // NaN as tensor cores write it, and as the definitions do (exact.rne, "
         "fp32.sequential).\n" +
         constant("logic [31:0]", "CanonicalNan", hexadecimal(32, grouped.nan_code)) +
         constant("logic [31:0]", "QuietNan", hexadecimal(32, exact.nan_code)) +
         constant("logic [30:0]", "Binary32Infinity",
                  hexadecimal(31, mx::formats::binary32.infinity_code()));
}

std::string models_file() {
  std::string text = head("mx_dot_models.sv: mx_dot under the emulator's models, by their names.") +
                     "/* verilator lint_off DECLFILENAME */\n";
  for (const package_model& m : package_models()) text += model_module(m);
  return text;
}

}  // namespace verilog
