// SPDX-License-Identifier: Apache-2.0
// mx/dot/model.h: a named model of a dot product, its evidence, and whether its sums fit.
#pragma once
#include <cstdint>
#include <string_view>

#include "mx/dot/accumulation.h"
#include "mx/dot/accumulator.h"
#include "mx/dot/record.h"

namespace mx {

/// Evidence for the bits of a model.
///   recorded_hardware   words recorded on the device are reproduced
///   two_models_agree    two independently published models agree
///   one_model           one published model, or a part of one that its authors did not run
///   specification_only  a text, or a definition of ours; no device is claimed
enum class model_evidence : std::uint8_t {
  recorded_hardware,
  two_models_agree,
  one_model,
  specification_only
};

/// "recorded hardware", "two models agree", "one model", "specification only"
[[nodiscard]] constexpr std::string_view name_of(model_evidence rests_on) noexcept {
  constexpr std::string_view names[] = {"recorded hardware", "two models agree", "one model",
                                        "specification only"};
  return names[static_cast<int>(rests_on)];
}

/// Whether the formats belong to the model or are chosen by the user.
enum class operands : std::uint8_t { of_model, any };

struct named_model {
  std::string_view name;  ///< as typed: `ampere.mma.bf16.f32`
  dot_model model;
  model_evidence rests_on = model_evidence::one_model;
  std::string_view source;
  std::string_view doubts = {};  ///< what is disputed or unobserved; may be empty
  mx::operands operands = mx::operands::of_model;
};

/// The largest finite magnitude of a format, rounded up to an integer.
///   f  emax at most 62
[[nodiscard]] constexpr std::uint64_t largest_integer(const format& f) noexcept {
  const int places = f.emax() - f.fraction_bits;
  if (places >= 0) return f.max_significand() << places;
  return shifted_by(f.max_significand() - 1, places) + 1;
}

/// Bits of the aligned sum of a step with C, sign included: no bit lies below the window, or below
/// the stage in which C is added late.
/// |product| < 4 * 2^exponent, C < 2 * 2^exponent; a group's exact sum is not normalized.
///   m  groups of at most 62 group_bits
[[nodiscard]] constexpr int window_bits(const dot_model& m) noexcept {
  std::uint64_t largest = 4 * static_cast<std::uint64_t>(m.sum.fused);
  int unit = 0;  // exponent of the last bit of the largest sum, negated
  if (m.sum.group > 1) {
    const int f = m.block > 0 ? m.scale.fraction_bits : 0;
    unit = 2 * f;
    const std::uint64_t scale = (std::uint64_t{2} << f) - 1;  // in units of 2^-f
    largest = static_cast<std::uint64_t>(m.sum.fused) * largest_integer(m.a) *
              largest_integer(m.b) * scale * scale;
  }
  const int window = m.sum.fraction_bits, late = m.sum.late.dot_bits;
  return bit_width(largest + (std::uint64_t{2} << unit)) - unit + larger_of(late, window) + 1;
}

/// Bits of a significand of the product of two elements and two scales.
[[nodiscard]] constexpr int product_bits(const dot_model& m) noexcept {
  const int scales = m.block > 0 ? 2 * (m.scale.fraction_bits + 1) : 0;
  return m.a.fraction_bits + m.b.fraction_bits + 2 + scales;
}

/// Exponent of the last bit of the smallest product, and one above the first bit of the largest.
[[nodiscard]] constexpr int lowest_product_exponent(const dot_model& m) noexcept {
  const int scales = m.block > 0 ? 2 * (m.scale.emin() - m.scale.fraction_bits) : 0;
  return m.a.emin() - m.a.fraction_bits + m.b.emin() - m.b.fraction_bits + scales;
}
[[nodiscard]] constexpr int highest_product_exponent(const dot_model& m) noexcept {
  return m.a.emax() + m.b.emax() + 2 + (m.block > 0 ? 2 * (m.scale.emax() + 1) : 0);
}

/// Bits that hold the exact sum of the products of a step, in units of the smallest, times two
/// scales.
[[nodiscard]] constexpr int group_bits(const dot_model& m) noexcept {
  const auto integer_bits = [](const format& f) {
    const int lowest = f.sign_form == sign_form::twos_complement ? 1 : 0;  // of double the largest
    return larger_of(f.emax() + 1, 0) + larger_of(f.fraction_bits - f.emin(), 0) + lowest;
  };
  const int scales = m.block > 0 ? 2 * (m.scale.fraction_bits + 1) : 0;
  return integer_bits(m.a) + integer_bits(m.b) + scales +
         bit_width(static_cast<std::uint64_t>(m.sum.fused));
}

/// Groups are whole, lie in one block, and contain no Inf and no NaN.
[[nodiscard]] constexpr bool has_sound_groups(const dot_model& m) noexcept {
  if (m.sum.group == 1) return true;
  return m.sum.group > 1 && m.sum.fused % m.sum.group == 0 && m.block % m.sum.group == 0 &&
         !m.a.has_nan() && !m.b.has_nan();
}

/// A span is made of whole steps; pairs of four are two of them.
[[nodiscard]] constexpr bool has_sound_span(const accumulation& how) noexcept {
  if (how.order == step_order::pairs_of_four) {
    return how.span == 2 * how.fused && how.fused > 0 && how.fused % 2 == 0;
  }
  return how.span == 0 || (how.span > 0 && how.fused > 0 && how.span % how.fused == 0);
}

/// Whether what is counted in a step can be: products, groups and spans of them.
[[nodiscard]] constexpr bool has_sound_counts(const dot_model& m) noexcept {
  if (m.sum.fused < accumulation::one_block || !has_sound_span(m.sum)) return false;
  if (m.sum.alignment == alignment::exact) return m.sum.group == 1;
  return m.sum.fused > 0 && has_sound_groups(m) &&
         m.sum.fused / m.sum.group <= step_record::max_terms;
}

/// Whether windows and the exponent of zeros are within what shifts and exponents can be.
[[nodiscard]] constexpr bool has_sound_window(const accumulation& how) noexcept {
  const auto is_width = [](int bits) { return bits >= 0 && bits <= 60; };
  constexpr int most = 1 << 15;  // far beyond every exponent of a product, and above no_exponent
  return is_width(how.fraction_bits) && is_width(how.late.dot_bits) &&
         is_width(how.late.addend_bits) && is_width(how.late.sum_bits) &&
         how.zero_exponent >= -most && how.zero_exponent <= most;
}

/// Whether the codes of a format, followed by zeros, are the same numbers in a wider one.
[[nodiscard]] constexpr bool is_upper_part(const format& part, const format& whole) noexcept {
  if (part.fraction_bits > whole.fraction_bits) return false;
  format widened = part;
  widened.fraction_bits = whole.fraction_bits;
  return widened == whole;
}

/// Whether every intermediate fits: 62 bits, and the wide number where nothing is cut off.
///   m  with sound counts and windows
[[nodiscard]] constexpr bool has_room(const dot_model& m) noexcept {
  if (product_bits(m) > 62) return false;
  if (m.sum.alignment == alignment::exact) {
    return lowest_product_exponent(m) >= wide_fixed::lowest_exponent &&
           highest_product_exponent(m) <= wide_fixed::highest_product;
  }
  return (m.sum.group == 1 || group_bits(m) <= 62) && window_bits(m) <= 62;
}

/// Why a model cannot be computed.
enum class model_refusal : std::uint8_t {
  none,
  counts,    ///< steps divide spans and are made of groups; groups divide blocks, and have no NaN
  window,    ///< bits of windows are 0 to 60, the exponent of zeros is within 2^15 of 0
  output,    ///< the upper part of a result
  rounding,  ///< without random bits
  room,      ///< 62 bits, or the wide number, hold every intermediate
};

[[nodiscard]] constexpr model_refusal refusal_of(const dot_model& m) noexcept {
  if (!has_sound_counts(m)) return model_refusal::counts;
  if (!has_sound_window(m.sum)) return model_refusal::window;
  if (!is_upper_part(m.sum.output, m.sum.result)) return model_refusal::output;
  if (m.sum.rounding == rounding::stochastic) return model_refusal::rounding;
  return has_room(m) ? model_refusal::none : model_refusal::room;
}

/// Whether a model can be computed. One with user-chosen formats or numbers must pass this check
/// before use.
[[nodiscard]] constexpr bool is_sound(const dot_model& m) noexcept {
  return refusal_of(m) == model_refusal::none;
}

}  // namespace mx
