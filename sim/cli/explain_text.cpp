// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain_text.cpp: an explained block in bits and in words.
#include "sim/cli/explain_text.h"

#include <fmt/format.h>

#include "mx/energy.h"
#include "sim/cli/exact_text.h"

namespace sim::cli {
namespace {

const char* name_of(mx::scale_rule rule) {
  return rule == mx::scale_rule::floor ? "floor" : "rceil";
}

std::string power_text(int exponent) { return fraction_text(false, 1, exponent); }

/// Six times two to the power: where elements saturate.
mx::unpacked largest_at(int exponent) { return mx::unpacked::finite(false, 6, exponent); }

std::string amax_text(const explained_block& b) {
  if (b.extent.amax.is_zero()) {
    return "  Every value is zero" +
           std::string(b.extent.special ? " or not finite.\n" : ": amax = 0.\n");
  }
  const float amax = mx::to_binary32(b.extent.amax);
  return fmt::format(
      "  amax = {}, exactly {}\n  bits  {}  ({}: sign, exponent field, fraction)\n"
      "  floor(log2 amax) = {}\n",
      decimal_text(amax), fraction_text(b.extent.amax), field_text(amax), hex_text(amax),
      b.extent.amax.floor_log2());
}

std::string reason_of_scale(const explained_block& b) {
  if (b.extent.special) return "a NaN or an Inf among the values: the block has no scale";
  if (b.extent.amax.is_zero()) return "a block of zeros takes the smallest scale";
  const std::string amax = fraction_text(b.extent.amax);
  if (b.rule == mx::scale_rule::floor) {
    return fmt::format("floor: e = floor(log2 amax) - emax = {} - 2 = {}",
                       b.extent.amax.floor_log2(), b.exponent);
  }
  return fmt::format("rceil: the smallest e with 6 * 2^e >= amax is {}: {} < {} <= {}", b.exponent,
                     fraction_text(largest_at(b.exponent - 1)), amax,
                     fraction_text(largest_at(b.exponent)));
}

std::string ideal_scale_text(const explained_block& b) {
  const mx::unpacked& amax = b.extent.amax;
  return fraction_text(false, amax.significand, amax.exponent - 1, 3);
}

std::string scale_text(const explained_block& b) {
  const int code = b.scale.code;
  std::string text = fmt::format("  {}\n", reason_of_scale(b));
  if (b.extent.special) {
    return text +
           "  byte = 255 = 0xFF, the NaN of E8M0; all codes are 0; every value decodes to NaN\n";
  }
  const int exponent = b.scale.exponent();
  if (!b.extent.amax.is_zero() && exponent != b.exponent) {
    text += fmt::format("  {} is outside [-127, 127], so e = {}\n", b.exponent, exponent);
  }
  text += fmt::format("  byte = e + 127 = {} = 0x{:02X} = {}; scale = 2^{} = {}\n", code, code,
                      binary_text(b.scale.code, 8), exponent, power_text(exponent));
  if (b.extent.amax.is_zero()) return text;
  const bool clips = mx::compare_magnitudes(b.extent.amax, largest_at(exponent)) > 0;
  text += fmt::format("  largest value 6 * scale = {}: {}\n", fraction_text(largest_at(exponent)),
                      clips ? "below amax, so what exceeds it saturates" : "nothing saturates");
  return text + fmt::format("  ideal scale s* = amax / 6 = {}, exactly\n", ideal_scale_text(b));
}

std::string magnitude_text(mx::e2m1 code) {
  return decimal_text(mx::to_binary32(mx::e2m1{static_cast<std::uint8_t>(code.code & 7)}.value()));
}

std::string reason_of_code(const explained_element& e) {
  const auto named = [](mx::e2m1 c) {
    return fmt::format("{} ({})", magnitude_text(c), binary_text(c.code & 7U, 3));
  };
  switch (e.why) {
    case decision::exact:
      return fmt::format("|x/scale| is {} exactly", named(e.lower));
    case decision::nearer:
      return fmt::format("|x/scale| lies between {} and {}, nearer to {}", named(e.lower),
                         named(e.upper), magnitude_text(e.code));
    case decision::tie:
      return fmt::format(
          "|x/scale| lies between {} and {}, exactly in the middle: a tie, to the even "
          "code",
          named(e.lower), named(e.upper));
    case decision::saturated:
      return fmt::format("|x/scale| lies beyond {}: it saturates", named(e.lower));
    case decision::special:
      break;
  }
  return "the block is NaN";
}

std::string error_text(const mx::compared_element& c) {
  const mx::error_parts p = mx::parts_of(c);
  const auto part = [&](std::int64_t twelfths) {
    return twelfths_text(twelfths, c.exponent) + about_text(mx::number_of(twelfths, c.exponent));
  };
  std::string text = fmt::format("    ideal  Q* = {}\n", part(c.ideal));
  text += fmt::format("    error  Q - x = {}, the sum of\n", part(c.quantized - c.x));
  text += fmt::format("           scale {}, deadzone {}, grid {}, clip {}\n", part(p.scale),
                      part(p.deadzone), part(p.grid), part(p.clip));
  if (p.scale_dead) text += "           zeroed by the coarser scale alone: Q* is not zero\n";
  return text;
}

std::string element_text(std::size_t index, const explained_element& e) {
  std::string text =
      fmt::format("  [{}] x = {}, exactly {}\n    bits   {}  ({})\n", index, decimal_text(e.x),
                  fraction_text(mx::unpack(e.x)), field_text(e.x), hex_text(e.x));
  if (e.why == decision::special) return text + "    code   0000; value NaN\n";
  text += fmt::format("    x/scale = {}{}\n    {}\n", fraction_text(e.scaled),
                      about_text(double{mx::to_binary32(e.scaled)}), reason_of_code(e));
  text += fmt::format("    code   {} = {}; value Q = {} ({})\n", binary_text(e.code.code, 4),
                      e.code.code, decimal_text(e.value), hex_text(e.value));
  return text + error_text(e.compared);
}

const char* name_of(decision why) {
  switch (why) {
    case decision::exact:
      return "exact";
    case decision::nearer:
      return "nearest";
    case decision::tie:
      return "tie_to_even";
    case decision::saturated:
      return "saturated";
    case decision::special:
      break;
  }
  return "special";
}

ordered_json neighbour_json(mx::e2m1 code) {
  return {{"code", code.code}, {"value", mx::to_binary32(code.value())}};
}

ordered_json error_json(const mx::compared_element& c) {
  const mx::error_parts p = mx::parts_of(c);
  const auto part = [&](std::int64_t twelfths) { return twelfths_text(twelfths, c.exponent); };
  return {{"total", part(c.quantized - c.x)},
          {"scale", part(p.scale)},
          {"deadzone", part(p.deadzone)},
          {"grid", part(p.grid)},
          {"clip", part(p.clip)},
          {"scale_dead", p.scale_dead}};
}

ordered_json element_json(std::size_t index, const explained_element& e) {
  ordered_json result{{"index", index},
                      {"x", number_json(double{e.x})},
                      {"bits", hex_text(e.x)},
                      {"code", e.code.code},
                      {"code_bits", binary_text(e.code.code, 4)},
                      {"value", number_json(double{e.value})},
                      {"value_bits", hex_text(e.value)},
                      {"decision", name_of(e.why)}};
  if (e.why == decision::special) return result;
  result["x_exact"] = fraction_text(mx::unpack(e.x));
  result["x_over_scale"] = fraction_text(e.scaled);
  result["lower"] = neighbour_json(e.lower);
  result["upper"] = neighbour_json(e.upper);
  result["tie"] = e.why == decision::tie;
  result["ideal"] = twelfths_text(e.compared.ideal, e.compared.exponent);
  result["error"] = error_json(e.compared);
  return result;
}

}  // namespace

std::string text_of(const explained_block& b) {
  std::string text = fmt::format(
      "MXFP4: a block of {} E2M1 elements with one E8M0 scale; {} given, zeros behind them.\n"
      "Scale rule {}, elements to nearest, ties to even.\n\n1. amax, the largest finite "
      "magnitude\n{}\n"
      "2. The scale\n{}\n3. The elements: x/scale is a shift of the exponent, so exact\n",
      mx::mxfp4::size, b.elements.size(), name_of(b.rule), amax_text(b), scale_text(b));
  for (std::size_t i = 0; i < b.elements.size(); ++i) text += element_text(i, b.elements[i]);
  return text;
}

ordered_json json_of(const explained_block& b) {
  const float amax = mx::to_binary32(b.extent.amax);
  ordered_json result{
      {"format", "mxfp4"},
      {"scale_rule", name_of(b.rule)},
      {"rounding", "nearest-even"},
      {"block", mx::mxfp4::size},
      {"special", b.extent.special},
      {"amax",
       {{"value", amax}, {"bits", hex_text(amax)}, {"exact", fraction_text(b.extent.amax)}}}};
  result["scale"] = {{"byte", b.scale.code}, {"reason", reason_of_scale(b)}};
  if (b.extent.special) {
    result["scale"]["value"] = "NaN";
  } else {
    result["scale"]["exponent"] = b.scale.exponent();
    result["scale"]["exact"] = power_text(b.scale.exponent());
    result["scale"]["ideal"] = ideal_scale_text(b);
  }
  result["elements"] = ordered_json::array();
  for (std::size_t i = 0; i < b.elements.size(); ++i) {
    result["elements"].push_back(element_json(i, b.elements[i]));
  }
  return result;
}

}  // namespace sim::cli
