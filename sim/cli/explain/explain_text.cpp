// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_text.cpp: an explained block as text.
#include <fmt/format.h>

#include "mx/block/names.h"
#include "mx/spelling.h"
#include "sim/cli/explain/explain_words.h"
#include "sim/cli/formats/format_figures.h"

namespace sim::cli {
namespace {

std::string upper_case(std::string text) {
  for (char& c : text) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string byte_map_text(const mx::random_source& random) {
  if (!mx::uses_byte_map(random.bits)) return "";
  return fmt::format(", byte map {}", mx::name_in(mx::byte_map_table, random.map));
}

std::string rounding_words(const mx::quantization& q) {
  switch (q.rounding) {
    case mx::rounding::ties_to_even:
      return "to nearest, ties to even";
    case mx::rounding::ties_away:
      return "to nearest, ties away from zero";
    case mx::rounding::ties_toward_zero:
      return "to nearest, ties toward zero";
    case mx::rounding::stochastic:
      return fmt::format("stochastically: {} random bits an element from seed {}{}", q.random.bits,
                         q.random.seed, byte_map_text(q.random));
    default:
      return "toward zero";
  }
}

std::string amax_text(const explained_block& b) {
  if (b.extent.amax.is_zero()) {
    return "  Every value is zero" +
           std::string(b.extent.special ? " or not finite.\n" : ": amax = 0.\n");
  }
  const float amax = mx::to_binary32(b.extent.amax);
  std::string text = fmt::format(
      "  amax = {}, exactly {}\n  bits  {}  ({}: sign, exponent field, fraction)\n"
      "  floor(log2 amax) = {}\n",
      decimal_text(amax), fraction_text(b.extent.amax), field_text(amax), hex_text(amax),
      b.extent.amax.floor_log2());
  if (b.tensor_scale) {
    const exact_number seen = exact_quotient(b.extent.amax, b.tensor());
    text += fmt::format(
        "  tensor_scale = {} ({}), as if this block were the tensor\n"
        "  amax / tensor_scale = {}{}\n",
        decimal_text(*b.tensor_scale), hex_text(*b.tensor_scale), fraction_text(seen),
        about_text(seen));
  }
  return text;
}

/// The code of the scale and its value.
std::string stored_scale_text(const explained_block& b) {
  const mx::format& f = b.q.format.scale;
  const std::uint32_t code = b.scale.code;
  const mx::unpacked value = mx::decode(f, code);
  if (f == mx::formats::e8m0) {
    const int exponent = value.floor_log2();
    std::string text;
    if (b.exponent && *b.exponent != exponent) {
      text = fmt::format("  {} is outside [-127, 127], so e = {}\n", *b.exponent, exponent);
    }
    return text + fmt::format("  byte = e + 127 = {} = 0x{:02X} = {}; scale = 2^{} = {}\n", code,
                              code, binary_text(code, 8), exponent, fraction_text(value));
  }
  return fmt::format(
      "  code = 0x{:0{}X} = {} ({} exponent, {} fraction bits); scale = {}, exactly {}\n", code,
      (f.width() + 3) / 4, binary_text(code, f.width()), f.exponent_bits, f.fraction_bits,
      decimal_text(value), fraction_text(value));
}

std::string largest_text(const explained_block& b) {
  const mx::scale_ratio& scale = b.scale.ratio;
  const mx::unpacked top = mx::multiplied(mx::largest_of(b.q.format.element), scale.numerator);
  const bool clips =
      mx::compare_magnitudes(mx::multiplied(b.extent.amax, scale.denominator), top) > 0;
  return fmt::format("  largest value {} * scale{} = {}: {}\n",
                     exact_decimal_text(mx::largest_of(b.q.format.element)),
                     b.tensor_scale ? " * tensor_scale" : "",
                     fraction_text(exact_quotient(top, scale.denominator)),
                     clips ? "below amax, so what exceeds it saturates" : "nothing saturates");
}

std::string scale_text(const explained_block& b) {
  std::string text = fmt::format("  {}\n", reason_of_scale(b));
  const mx::format& f = b.q.format.scale;
  if (b.extent.special) {
    if (!b.is_stored()) return text + "  all codes are 0; every value decodes to NaN\n";
    return text +
           fmt::format(
               "  {} = {} = 0x{:02X}, the NaN of {}; all codes are 0; every value decodes to NaN\n",
               f == mx::formats::e8m0 ? "byte" : "code", b.scale.code, b.scale.code,
               upper_case(scale_name_of(b.q.format)));
  }
  if (b.is_stored()) text += stored_scale_text(b);
  if (b.extent.amax.is_zero()) return text;
  const exact_number ideal = ideal_scale_of(b);
  return text + largest_text(b) +
         fmt::format("  ideal scale s* = amax / {} = {}, exactly\n",
                     exact_decimal_text(mx::largest_of(b.q.format.element)), fraction_text(ideal));
}

std::string error_text(const explained_block& b, const explained_element& e) {
  const std::optional<exact_error> found = error_of(b, e);
  if (!found) return "    error  Q lies too far below x for its parts to be printed\n";
  const exact_error& error = *found;
  const auto part = [](const exact_number& n) { return fraction_text(n) + about_text(n); };
  std::string text = fmt::format("    ideal  Q* = {}\n", part(error.ideal));
  text += fmt::format("    error  Q - x = {}, the sum of\n", part(error.total));
  text += fmt::format("           scale {}, deadzone {}, grid {}, clip {}\n", part(error.scale),
                      part(error.deadzone), part(error.grid), part(error.clip));
  if (error.scale_dead) text += "           zeroed by the coarser scale alone: Q* is not zero\n";
  return text;
}

/// Whether FP32 holds the value of a code and its scales.
bool is_exact_in_fp32(const explained_block& b, const explained_element& e) {
  const mx::scale_ratio& scale = b.scale.ratio;
  const mx::unpacked element = mx::decode(b.q.format.element, e.code);
  if (element.is_zero() || scale.numerator.is_zero()) return true;
  const exact_number value =
      exact_quotient(mx::multiplied(element, scale.numerator), scale.denominator);
  return fraction_text(value) == fraction_text(mx::unpack(e.value));
}

std::string element_text(const explained_block& b, std::size_t index, const explained_element& e) {
  const int width = b.q.format.element.width();
  std::string text =
      fmt::format("  [{}] x = {}, exactly {}\n    bits   {}  ({})\n", index, decimal_text(e.x),
                  fraction_text(mx::unpack(e.x)), field_text(e.x), hex_text(e.x));
  if (e.why == decision::special) {
    return text + fmt::format("    code   {}; value NaN\n", binary_text(0, width));
  }
  if (e.why != decision::zero_scale) {
    const exact_number quotient = quotient_of(b, e);
    text += fmt::format("    x/scale = {}{}\n", fraction_text(quotient), about_text(quotient));
  }
  text += fmt::format("    {}\n    code   {} = {}; value Q = {} ({}){}\n", reason_of_code(b, e),
                      binary_text(e.code, width), e.code, decimal_text(e.value), hex_text(e.value),
                      is_exact_in_fp32(b, e) ? "" : ", rounded to FP32");
  return text + error_text(b, e);
}

std::string shape_words(const mx::block_format& f) {
  return f.rows > 1 ? fmt::format("a tile of {}x{}", f.rows, f.columns)
                    : fmt::format("a block of {}", f.columns);
}

}  // namespace

std::string text_of(const explained_block& b) {
  const mx::block_format& f = b.q.format;
  const std::string name = upper_case(mx::spelling_of(f));
  std::string text = fmt::format(
      "{}: {} {} elements with one {} scale{}{} given, then zeros.\n"
      "Scale rule {}, elements {}.\n\n1. amax, the largest finite magnitude\n{}\n2. The "
      "scale\n{}\n",
      name, shape_words(f), upper_case(mx::spelling_of(f.element)), upper_case(scale_name_of(f)),
      f.has_tensor_scale() ? " below an FP32 tensor scale;\n" : "; ", b.elements.size(),
      mx::name_in(mx::scale_rule_table, b.q.rule), rounding_words(b.q), amax_text(b),
      scale_text(b));
  const char* division = f.scale == mx::formats::e8m0 && !f.has_tensor_scale()
                             ? "x/scale is a shift of the exponent, so exact"
                         : f.has_tensor_scale() ? "x/scale is x over scale * tensor_scale, exactly"
                                                : "x/scale is the exact quotient";
  text += fmt::format("3. The elements: {}\n", division);
  for (std::size_t i = 0; i < b.elements.size(); ++i) text += element_text(b, i, b.elements[i]);
  return text;
}

}  // namespace sim::cli
