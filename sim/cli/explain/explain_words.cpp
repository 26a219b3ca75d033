// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain/explain_words.cpp: the reasons for a scale and a code.
#include "sim/cli/explain/explain_words.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/block/names.h"
#include "mx/spelling.h"

namespace sim::cli {
namespace {

using mx::unpacked;

unpacked largest_at(const explained_block& b, int exponent) {
  return mx::largest_of(b.q.format.element).scaled_by_power_of_two(exponent);
}

/// amax as the rule uses it: divided by the tensor scale, if any.
std::string seen_amax_text(const explained_block& b) {
  return fraction_text(exact_quotient(b.extent.amax, b.tensor()));
}

std::string reason_of_power(const explained_block& b) {
  const mx::format& f = b.q.format.element;
  const int e = *b.exponent;
  const unpacked seen = mx::over(b.extent.amax, mx::no_tensor_scale, b.tensor());
  const std::string largest = exact_decimal_text(mx::largest_of(f));
  switch (b.q.rule) {
    case mx::scale_rule::floor:
      return fmt::format("floor: e = floor(log2 amax) - emax = {} - {} = {}", seen.floor_log2(),
                         f.emax(), e);
    case mx::scale_rule::rceil:
      return fmt::format("rceil: the smallest e with {} * 2^e >= amax is {}: {} < {} <= {}",
                         largest, e, fraction_text(largest_at(b, e - 1)), seen_amax_text(b),
                         fraction_text(largest_at(b, e)));
    case mx::scale_rule::floor6:
      return fmt::format("floor6: the largest e with {} * 2^e <= amax is {}: {} <= {} < {}",
                         largest, e, fraction_text(largest_at(b, e)), seen_amax_text(b),
                         fraction_text(largest_at(b, e + 1)));
    default:
      break;
  }
  const mx::exponent_bound bound = mx::exponent_bound_of(f, b.q.rule);
  const int lowest = seen.floor_log2() - f.emax();
  const unpacked limit =
      unpacked::positive(bound.significand, f.emax() - f.fraction_bits - 2 + lowest);
  const bool next = e > lowest;
  return fmt::format(
      "{}: floor(log2 amax) - emax = {} - {} = {}; the next one from {} on{}: amax is {}, so e = "
      "{}",
      mx::name_in(mx::scale_rule_table, b.q.rule), seen.floor_log2(), f.emax(), lowest,
      fraction_text(limit), bound.at_bound ? "" : ", itself left out", next ? "there" : "below", e);
}

/// The target that amax is divided by, for rules that round the quotient.
std::string reason_of_quotient(const explained_block& b) {
  const bool four = b.q.rule == mx::scale_rule::static_four;
  const unpacked target = four ? unpacked::positive(4, 0) : mx::largest_of(b.q.format.element);
  const unpacked divisor = mx::multiplied(target, b.tensor());
  const exact_number quotient = exact_quotient(b.extent.amax, divisor);
  const char* how = b.q.rule == mx::scale_rule::rceil    ? "rounded up"
                    : b.q.rule == mx::scale_rule::floor6 ? "rounded down"
                                                         : "rounded to nearest";
  const std::string over = b.tensor_scale
                               ? fmt::format("({} * tensor_scale)", exact_decimal_text(target))
                               : exact_decimal_text(target);
  return fmt::format("{}: amax / {} = {}{}, {}", mx::name_in(mx::scale_rule_table, b.q.rule), over,
                     fraction_text(quotient), about_text(quotient), how);
}

/// A number's magnitude with its bits, which a negative code in two's complement does not contain.
std::string neighbour_text(const explained_block& b, std::uint32_t code) {
  const mx::format& f = b.q.format.element;
  const unpacked magnitude = mx::magnitude_of(mx::decode(f, code));
  const std::uint32_t bits =
      mx::encode(f, magnitude, mx::rounding::ties_to_even, mx::overflow::saturate);
  return fmt::format("{} ({})", exact_decimal_text(magnitude), binary_text(bits, f.width() - 1));
}

std::string magnitude_text(const explained_block& b, std::uint32_t code) {
  return exact_decimal_text(mx::magnitude_of(mx::decode(b.q.format.element, code)));
}

std::string reason_of_tie(mx::rounding mode) {
  switch (mode) {
    case mx::rounding::ties_away:
      return "away from zero";
    case mx::rounding::ties_toward_zero:
      return "toward zero";
    default:
      return "to the even code";
  }
}

std::string reason_of_draw(const explained_block& b, const explained_element& e) {
  const int bits = b.q.random.bits;
  const bool up = e.draw.cut + e.draw.random >= std::uint32_t{1} << bits;
  return fmt::format(
      "{} / 2^{} of the step above the lower one; the random bits are {} = {};\n           {} + {} "
      "{} 2^{}: {}",
      e.draw.cut, bits, e.draw.random, binary_text(e.draw.random, bits), e.draw.cut, e.draw.random,
      up ? ">=" : "<", bits, up ? "up" : "down");
}

}  // namespace

std::optional<exact_error> error_of(const explained_block& b, const explained_element& e) {
  const mx::compared_magnitudes& c = e.compared;
  int unit = 1 << 20, top = -unit;
  for (const unpacked& value : {c.x, c.quantized, c.ideal}) {
    if (value.is_zero()) continue;
    unit = std::min(unit, value.exponent);
    top = std::max(top, value.floor_log2());
  }
  if (top - unit >= 120) return {};
  const bool negative = mx::unpack(e.x).negative;
  const mx::wide_integer x = mx::in_units(c.x, unit), quantized = mx::in_units(c.quantized, unit);
  const mx::wide_integer ideal = mx::in_units(c.ideal, unit);
  const auto part = [&](mx::wide_integer size) {
    return exact_number{negative ? -size : size, unit, mx::divisor_of(b.q.format.element), false};
  };
  const bool dead = ideal == 0;
  return exact_error{part(ideal),
                     part(quantized - x),
                     part(c.clipped ? 0 : quantized - ideal),
                     part(dead ? -x : 0),
                     part(dead ? 0 : ideal - x),
                     part(c.clipped ? quantized - ideal : 0),
                     quantized == 0 && !dead};
}

exact_number quotient_of(const explained_block& b, const explained_element& e) {
  const mx::scale_ratio& scale = b.scale.ratio;
  return exact_quotient(mx::multiplied(mx::unpack(e.x), scale.denominator), scale.numerator);
}

exact_number ideal_scale_of(const explained_block& b) {
  return exact_quotient(b.extent.amax, mx::largest_of(b.q.format.element));
}

std::string reason_of_scale(const explained_block& b) {
  if (b.extent.special) return "a NaN or an Inf among the values: the block has no scale";
  if (b.extent.amax.is_zero()) return "a block of zeros takes the smallest scale";
  if (!b.is_stored()) return "exact: amax / max as it is, not rounded";
  const bool fractions = b.q.format.scale.fraction_bits > 0;
  const bool rounds =
      b.q.rule == mx::scale_rule::ideal ||
      (fractions && (b.q.rule == mx::scale_rule::rceil || b.q.rule == mx::scale_rule::floor6 ||
                     b.q.rule == mx::scale_rule::static_four));
  if (rounds) return reason_of_quotient(b);
  if (b.exponent) return reason_of_power(b);
  for (const auto& entry : mx::scale_rule_table) {
    if (entry.value == b.q.rule) return fmt::format("{}: {}", entry.name, entry.sentence);
  }
  return {};
}

std::string reason_of_code(const explained_block& b, const explained_element& e) {
  const std::string lower = neighbour_text(b, e.lower), upper = neighbour_text(b, e.upper);
  const std::string between = fmt::format("|x/scale| lies between {} and {}", lower, upper);
  switch (e.why) {
    case decision::exact:
      return fmt::format("|x/scale| is {} exactly", lower);
    case decision::nearer:
      return fmt::format("{}, nearer to {}", between, magnitude_text(b, e.code));
    case decision::tie:
      return fmt::format("{}, exactly in the middle: a tie, {}", between,
                         reason_of_tie(b.q.rounding));
    case decision::cut:
      return fmt::format("{}: cut to the lower one", between);
    case decision::drawn:
      return fmt::format("{};\n           {}", between, reason_of_draw(b, e));
    case decision::saturated:
      return fmt::format("|x/scale| lies beyond {}: it saturates", lower);
    case decision::zero_scale:
      return "the scale is zero: the code is a zero with the sign of x";
    case decision::special:
      break;
  }
  return "the block is NaN";
}

}  // namespace sim::cli
