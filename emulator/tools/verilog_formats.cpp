// SPDX-License-Identifier: Apache-2.0
// emulator/tools/verilog_formats.cpp: the formats of mx_pkg.sv.
#include <stdexcept>

#include "mx/number/formats.h"
#include "verilog_parts.h"
#include "verilog_text.h"

namespace verilog {
namespace {

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

/// The special codes of a format as a field of format_t. fnuz has no number: no module has it.
constexpr int number_of(mx::specials of) {
  switch (of) {
    case mx::specials::none:
      return 0;
    case mx::specials::ieee:
      return 1;
    case mx::specials::top_code:
      return 2;
    case mx::specials::top_field:
      return 3;
    case mx::specials::fnuz:
      break;
  }
  throw std::invalid_argument("the hardware does not have these special codes");
}

/// A format as one vector, the form of a module parameter.
std::string format_line(const package_format& f) {
  const bool normal = f.value.lowest_field == mx::lowest_field::normal;
  const std::string value = std::string("{1'b") + (normal ? "1" : "0") + ", 1'b" +
                            (f.value.sign_mask() != 0 ? "1" : "0") + ", 3'd" +
                            std::to_string(number_of(f.value.specials)) + ", 8'd" +
                            std::to_string(f.value.bias) + ", 5'd" +
                            std::to_string(f.value.fraction_bits) + ", 4'd" +
                            std::to_string(f.value.exponent_bits) + "}";
  return constant("format_t", f.name, value);
}

std::string format_lines() {
  std::string text =
      "  // {lowest field is normal, has a sign, special codes, bias, fraction bits, exponent "
      "bits}\n";
  text += number("FormatWidth", 22) + "  typedef logic [FormatWidth-1:0] format_t;\n";
  for (const package_format& f : package_formats) text += format_line(f);
  text += "\n  // Special codes of a format: see emulator/include/mx/number/format.h.\n";
  text += number("SpecialsNone", number_of(mx::specials::none));
  text += number("SpecialsIeee", number_of(mx::specials::ieee));
  text += number("SpecialsTopCode", number_of(mx::specials::top_code));
  text += number("SpecialsTopField", number_of(mx::specials::top_field));
  return text;
}

// Control parameters of modules, and values derived from a format.
constexpr std::string_view format_functions = R"verilog(
  // A tile of the tensor core.
  localparam int TileM = 16;
  localparam int TileN = 8;
  localparam int TileK = 64;

  localparam int RoundTowardZero = 0;
  localparam int RoundTiesToEven = 1;
  localparam int RoundStochastic = 2;
  localparam int RoundBits = 2;
  localparam int AlignWindow = 0;
  localparam int AlignSticky = 1;
  localparam int AlignExact = 2;
  localparam int LostDropped = 0;
  localparam int LostSticky = 1;
  localparam int ZeroResultOfTerms = 0;
  localparam int ZeroResultPlus = 1;

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
)verilog";

}  // namespace

std::string formats_text() { return format_lines() + std::string(format_functions); }

std::string format_name(const mx::format& wanted) {
  for (const package_format& f : package_formats) {
    if (f.value == wanted) return "mx_pkg::" + std::string(f.name);
  }
  return {};
}

}  // namespace verilog
