// SPDX-License-Identifier: Apache-2.0
// emulator/tools/emit_package.cpp: writes for hardware mx_pkg.sv (formats, constants of models and
// what follows from them) and mx_dot_models.sv (mx_dot under the emulator's models, by name).
// `--check` only says whether they are current.
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "mx/block_scaled_models.h"
#include "mx/formats.h"
#include "mx/generic_models.h"

namespace {

namespace fs = std::filesystem;

struct package_format {
  std::string_view name;
  mx::format value;
};

constexpr package_format package_formats[] = {
    {"E2m1", mx::formats::e2m1},         {"E2m3", mx::formats::e2m3},
    {"E3m2", mx::formats::e3m2},         {"E4m3", mx::formats::e4m3},
    {"E5m2", mx::formats::e5m2},         {"Bfloat16", mx::formats::bfloat16},
    {"Binary32", mx::formats::binary32}, {"E8m0", mx::formats::e8m0},
    {"E8m3", mx::formats::e8m(3)},       {"Ue4m3", mx::formats::ue4m3}};

std::string constant(std::string_view type, std::string_view name, const std::string& value) {
  return "  localparam " + std::string(type) + " " + std::string(name) + " = " + value + ";\n";
}
std::string number(std::string_view name, int value) {
  return constant("int", name, std::to_string(value));
}

/// A format as one vector, which a module takes as a parameter.
std::string format_line(const package_format& f) {
  const bool normal = f.value.lowest_field == mx::lowest_field::normal;
  const std::string value = std::string("{1'b") + (normal ? "1" : "0") + ", 1'b" +
                            (f.value.sign_mask() != 0 ? "1" : "0") + ", 3'd" +
                            std::to_string(static_cast<int>(f.value.specials)) + ", 8'd" +
                            std::to_string(f.value.bias) + ", 5'd" +
                            std::to_string(f.value.fraction_bits) + ", 4'd" +
                            std::to_string(f.value.exponent_bits) + "}";
  return constant("format_t", f.name, value);
}

std::string hexadecimal(int width, std::uint32_t value) {
  static constexpr std::string_view digits = "0123456789ABCDEF";
  std::string text = std::to_string(width) + "'h";
  for (int shift = 28; shift >= 0; shift -= 4) text += digits[value >> shift & 15];
  return text;
}

std::string formats_text() {
  std::string text =
      "  // {lowest field is normal, has a sign, special codes, bias, fraction bits, exponent "
      "bits}\n";
  text += number("FormatWidth", 22) + "  typedef logic [FormatWidth-1:0] format_t;\n";
  for (const package_format& f : package_formats) text += format_line(f);
  text += "\n  // Special codes of a format: see emulator/include/mx/format.h.\n";
  text += number("SpecialsNone", static_cast<int>(mx::specials::none));
  text += number("SpecialsIeee", static_cast<int>(mx::specials::ieee));
  text += number("SpecialsTopCode", static_cast<int>(mx::specials::top_code));
  text += number("SpecialsTopField", static_cast<int>(mx::specials::top_field));
  return text;
}

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

// How a module is told what to do, and what follows from formats.
constexpr std::string_view rest = R"verilog(
  // A tile of the tensor core.
  localparam int TileM = 16;
  localparam int TileN = 8;
  localparam int TileK = 64;

  localparam int RoundTowardZero = 0;
  localparam int RoundTiesToEven = 1;
  localparam int AlignWindow = 0;
  localparam int AlignSticky = 1;
  localparam int AlignExact = 2;
  localparam int LostDropped = 0;
  localparam int LostSticky = 1;

  // Exponents of products, sums and their units, signed: all lie within +-1023.
  localparam int ExponentWidth = 12;
  // Of what has no say in the largest exponent.
  localparam int NoExponent = -1024;

  function automatic integer exponent_bits(input format_t format);
    exponent_bits = 32'(format[3:0]);
  endfunction
  function automatic integer fraction_bits(input format_t format);
    fraction_bits = 32'(format[8:4]);
  endfunction
  function automatic integer bias(input format_t format);
    bias = 32'(format[16:9]);
  endfunction
  function automatic integer specials(input format_t format);
    specials = 32'(format[19:17]);
  endfunction
  function automatic bit has_sign(input format_t format);
    has_sign = format[20];
  endfunction
  function automatic bit has_subnormals(input format_t format);
    has_subnormals = !format[21];
  endfunction
  function automatic integer width(input format_t format);
    width = 32'(format[20]) + exponent_bits(format) + fraction_bits(format);
  endfunction
  // Exponent of the smallest normal number.
  function automatic integer emin(input format_t format);
    emin = 32'(has_subnormals(format)) - bias(format);
  endfunction
  // Exponent of the largest finite number.
  function automatic integer emax(input format_t format);
    emax = (1 << exponent_bits(format)) - 1 - bias(format) -
        32'(specials(format) == SpecialsIeee || specials(format) == SpecialsTopField);
  endfunction

  // Bits of the product of two significands.
  function automatic integer product_bits(input format_t a, input format_t b);
    product_bits = fraction_bits(a) + fraction_bits(b) + 2 -
        32'(fraction_bits(a) == 0 || fraction_bits(b) == 0);
  endfunction
  // Bits of the product's binades above the smallest.
  function automatic integer binade_bits(input format_t a, input format_t b);
    binade_bits = $clog2((1 << exponent_bits(a)) + (1 << exponent_bits(b)) - 1);
  endfunction
  // Largest magnitude of an element's significand, hidden bit included, times 2^places.
  function automatic logic [63:0] largest_significand(input format_t format, input integer places);
    largest_significand = ((64'd2 << fraction_bits(format)) - 64'd1) << places;
  endfunction
  // Largest magnitude of one product as an integer.
  function automatic logic [63:0] largest_product(
    input format_t a, input format_t b, input integer group
  );
    largest_product = group == 1 ? largest_significand(a, 0) * largest_significand(b, 0) :
        largest_significand(a, emax(a) - emin(a)) * largest_significand(b, emax(b) - emin(b));
  endfunction
  function automatic integer bits_of(input logic [63:0] magnitude);
    bits_of = 0;
    for (int i = 0; i < 64; i++) if (magnitude[i]) bits_of = i + 1;
  endfunction
  // Bits of the sum of a group, its sign among them.
  function automatic integer group_bits(input format_t a, input format_t b, input integer group);
    group_bits = 1 + bits_of(64'(group) * largest_product(a, b, group));
  endfunction
  // The exponent a group is read at is its scales' plus this.
  function automatic integer group_exponent(
    input format_t a, input format_t b, input integer group
  );
    group_exponent = group == 1 ? emin(a) + emin(b) : 0;
  endfunction
  // Exponent of a term's last bit below the exponent it is read at.
  function automatic integer term_unit(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    term_unit = (group == 1 ? 0 : emin(a) + emin(b)) - fraction_bits(a) - fraction_bits(b) -
        2 * fraction_bits(scale);
  endfunction
  function automatic integer term_bits(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    term_bits = group_bits(a, b, group) +
        (fraction_bits(scale) == 0 ? 0 : product_bits(scale, scale));
  endfunction
  // The largest exponent a term or C can have.
  function automatic integer largest_exponent(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    largest_exponent = 2 * emax(scale) + (group == 1 ? emax(a) + emax(b) : 0);
    if (largest_exponent < emax(Binary32)) largest_exponent = emax(Binary32);
  endfunction
  // Bits below that exponent which hold every bit of every term and of C.
  function automatic integer exact_window(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    integer lowest;
    begin
      lowest = 2 * emin(scale) + group_exponent(a, b, group) + term_unit(a, b, scale, group);
      if (lowest > emin(Binary32) - fraction_bits(Binary32)) begin
        lowest = emin(Binary32) - fraction_bits(Binary32);
      end
      exact_window = largest_exponent(a, b, scale, group) - lowest;
    end
  endfunction
  // Bits of a window in which one term and C lose nothing but what a sticky bit tells.
  //   C is cut: the term is at least 2^unit of its exponent, C below 2^(23 - window): with
  //     28 - unit the sum's half ulp lies above the sticky bit, at whatever the sum cancels.
  //   The term is cut: it is below 2^(bits - window) of C's exponent, so that bits + 4 leave C's
  //     leading bit or, where C is subnormal, the last bit of all results above it.
  function automatic integer sticky_window(input integer bits, input integer unit);
    sticky_window = bits + 4 > 28 - unit ? bits + 4 : 28 - unit;
    if (sticky_window < 30) sticky_window = 30;
  endfunction
  // Bits of `groups` terms and C, each with its room in a window, and their sign.
  //   largest_term  magnitude of the largest term, below 2^56
  function automatic integer sum_bits(
    input integer groups, input logic [63:0] largest_term,
    input integer room_term, input integer room_c
  );
    integer c_above;
    begin
      c_above = fraction_bits(Binary32) + 1 + room_c - room_term;
      if (c_above > 56) begin
        sum_bits = 2 + fraction_bits(Binary32) + 1 + room_c;
      end else begin
        sum_bits = 1 + room_term + bits_of(64'(groups) * largest_term +
            (c_above > 0 ? 64'd1 << c_above : 64'd1));
      end
    end
  endfunction
  function automatic logic [63:0] largest_term(
    input format_t a, input format_t b, input format_t scale, input integer group
  );
    largest_term = 64'(group) * largest_product(a, b, group) *
        largest_significand(scale, 0) * largest_significand(scale, 0);
  endfunction

  // Rows of a tile that so many lanes work on at once.
  function automatic integer tile_rows(input integer lanes);
    tile_rows = lanes > TileN ? lanes / TileN : 1;
  endfunction

endpackage)verilog";

std::string package_text() {
  return "// SPDX-License-Identifier: Apache-2.0\n"
         "// mx_pkg.sv: formats, constants of models and what follows from them, as the emulator "
         "has "
         "them.\n"
         "// Written by emulator/tools/emit_package.cpp; do not edit.\n"
         "/* verilator lint_off UNUSEDPARAM */\n"
         "/* verilator lint_off UNUSEDSIGNAL */\n"
         "package mx_pkg;\n\n" +
         formats_text() + models_text() + std::string(rest) + "\n";
}

/// A model that mx_dot can be, for words of k products.
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

std::string format_name(const mx::format& wanted) {
  for (const package_format& f : package_formats) {
    if (f.value == wanted) return "mx_pkg::" + std::string(f.name);
  }
  return {};
}

std::string parameter(std::string_view name, const std::string& value) {
  return "    ." + std::string(name) + "(" + value + "),\n";
}
std::string parameter(std::string_view name, int value) {
  return parameter(name, std::to_string(value));
}

/// How mx_step aligns, and over how many products.
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

std::string port(std::string_view direction, int width, std::string_view name) {
  return "  " + std::string(direction) + " logic [" + std::to_string(width - 1) + ":0] " +
         std::string(name) + ",\n";
}

std::string model_module(const package_model& m) {
  const mx::dot_model& value = m.value;
  const bool nearest = value.sum.rounding == mx::rounding::ties_to_even;
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
         "    .NanCode(" + hexadecimal(32, value.sum.nan_code) +
         ")\n  ) u_dot (\n    .clk_i(clk_i), .rst_ni(rst_ni), .valid_i(valid_i), "
         ".ready_o(ready_o), "
         ".a_i(a_i), .b_i(b_i),\n    .scale_a_i(scale_a_i), .scale_b_i(scale_b_i), .c_i(c_i), "
         ".valid_o(valid_o), .ready_i(ready_i),\n    .d_o(d_o)\n  );\nendmodule\n";
}

std::string models_file() {
  std::string text =
      "// SPDX-License-Identifier: Apache-2.0\n"
      "// mx_dot_models.sv: mx_dot under the emulator's models, by their names.\n"
      "// Written by emulator/tools/emit_package.cpp; do not edit.\n"
      "/* verilator lint_off DECLFILENAME */\n";
  for (const package_model& m : package_models()) text += model_module(m);
  return text;
}

/// 0 where the file holds the text, or has been given it.
int settle(const fs::path& file, const std::string& wanted, bool checking) {
  if (!checking) {
    std::ofstream out(file, std::ios::binary);
    out << wanted;
    return out.good() ? 0 : 1;
  }
  std::ifstream in(file, std::ios::binary);
  const std::string held{std::istreambuf_iterator<char>(in), {}};
  if (held == wanted) return 0;
  std::cerr << file.string() << " is out of date; run emit_package VERILOG_FOLDER\n";
  return 1;
}

}  // namespace

int main(int count, char** words) {
  const std::vector<std::string> arguments(words + 1, words + count);
  const bool checking = arguments.size() == 2 && arguments[1] == "--check";
  if (arguments.empty() || arguments.size() > 2 || (arguments.size() == 2 && !checking)) {
    std::cerr << "usage: emit_package VERILOG_FOLDER [--check]\n";
    return 2;
  }
  const fs::path folder = arguments[0];
  const int package = settle(folder / "mx_pkg.sv", package_text(), checking);
  return settle(folder / "mx_dot_models.sv", models_file(), checking) | package;
}
