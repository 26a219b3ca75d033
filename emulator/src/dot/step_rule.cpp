// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_rule.cpp: which models the kernels of dot/step_kernels.h support, decided
// by the values of their accumulations.
#include <algorithm>

#include "dot/step_kernels.h"
#include "mx/number/bits.h"

namespace mx {
namespace {

/// Whether every number of a format is one of binary32, found by shifting its code.
bool is_readable(const format& f, int unread_bits) {
  return f.fraction_bits + unread_bits <= 23 && f.signedness == signedness::with_sign &&
         f.sign_form == sign_form::sign_magnitude && f.lowest_field == lowest_field::subnormal &&
         f.exponent_bits <= 8 && f.bias >= 1 && f.bias <= 127 && f.emax() <= 127;
}

code_rule codes_of(const dot_model& m, const format& f) {
  const factor_exponent read = exponent_of_format(m.sum.factors, f);
  const bool own = read == factor_exponent::own_field;
  const auto stored = [&](std::uint32_t bits) {
    return static_cast<std::int32_t>(bits << m.unread_bits);
  };
  code_rule rule{};
  rule.sign_mask = stored(f.sign_mask());
  rule.magnitude_mask = stored(f.magnitude_mask());
  rule.sign_places = 32 - f.width() - m.unread_bits;
  rule.places = 23 - f.fraction_bits - m.unread_bits;
  rule.largest = static_cast<std::int32_t>(f.max_code() << (23 - f.fraction_bits));
  rule.bias = f.bias;
  rule.least = own ? f.emin() : formats::binary16.emin();
  rule.read = read;
  rule.inputs = m.sum.inputs;
  rule.nan = f.specials;
  rule.is_plain = own && rule.inputs == subnormals::kept && rule.nan != specials::fnuz;
  return rule;
}

/// Whether a product is a binary32 number but for its exponent.
bool has_short_products(const dot_model& m) {
  return m.a.fraction_bits + 1 + m.b.fraction_bits + 1 <= 24;
}

/// Whether products stay far from the ends of binary32 without their scales.
bool has_near_products(const dot_model& m) {
  const int low = m.a.emin() - m.a.fraction_bits + m.b.emin() - m.b.fraction_bits;
  return low >= -64 && m.a.emax() + m.b.emax() + 2 <= 60;
}

bool is_plain_binary32(const accumulation& how) {
  return how.result == formats::binary32 && how.output == formats::binary32;
}

/// FP32 results with some fraction bits, toward zero.
bool is_cut_binary32(const accumulation& how) {
  format full = how.output;
  full.fraction_bits = formats::binary32.fraction_bits;
  return how.result == formats::binary32 && full == formats::binary32 &&
         how.output.fraction_bits <= 23 && how.rounding == rounding::toward_zero;
}

bool is_nearest_binary16(const accumulation& how) {
  return how.result == formats::binary16 && how.output == formats::binary16 &&
         how.rounding == rounding::ties_to_even && how.zero_result == zero_result::plus;
}

bool keeps_subnormals(const accumulation& how) {
  return how.inputs == subnormals::kept && how.results == subnormals::kept;
}

/// C as a term of every step, or added to a span of steps.
bool has_sound_addend(const accumulation& how) {
  if (how.addend == addend::every_step) return true;
  return how.span > 0 && how.joining == joining::chained && how.span % how.fused == 0;
}

/// A zero raises no exponent above that of a C that is not zero, so that it is a lower bound.
bool has_low_zeros(const accumulation& how) {
  return how.zeros == zero_term::ignored || how.zero_exponent <= how.result.emin();
}

/// Terms of a window, cut toward zero, to one sum.
bool is_window_to_zero(const accumulation& how) {
  return how.alignment == alignment::window && how.cut == cut::toward_zero && how.fused > 0 &&
         how.fraction_bits >= 1 && how.fraction_bits <= 25;
}

bool is_plain_window(const accumulation& how) {
  return is_window_to_zero(how) && how.late.dot_bits == 0 && how.parity == parity::together;
}

/// The sum of a window's products and C in 30 bits.
bool fits_without_carry(const accumulation& how) {
  return bit_width(4 * static_cast<std::uint64_t>(how.fused) + 2) + how.fraction_bits <= 30;
}

bool is_late(const accumulation& how) {
  const late_addend& late = how.late;
  return is_window_to_zero(how) && late.dot_bits >= late.addend_bits && late.addend_bits > 0 &&
         late.dot_bits >= how.fraction_bits && late.dot_bits <= 40 && late.sum_bits >= 25 &&
         late.sum_bits <= 40 && how.zeros == zero_term::ignored && is_plain_binary32(how) &&
         how.lost == lost_bits::dropped && how.rounding == rounding::ties_to_even &&
         keeps_subnormals(how) && how.fused % 2 == 0 && fits_without_carry(how) &&
         how.addend == addend::every_step;
}

bool is_exact_chain(const accumulation& how) {
  return how.alignment == alignment::exact && how.addend == addend::every_step &&
         is_plain_binary32(how) && how.rounding == rounding::ties_to_even &&
         keeps_subnormals(how) && how.large == large_product::finite;
}

bool is_flushed_pairs(const accumulation& how) {
  return how.alignment == alignment::exact && how.addend == addend::after_span && how.fused == 1 &&
         how.joining == joining::pairwise && (how.span == 2 || how.span == 4) &&
         how.order == step_order::ascending && is_plain_binary32(how) &&
         how.rounding == rounding::ties_to_even && how.inputs == subnormals::flushed &&
         how.results == subnormals::flushed && how.large == large_product::finite;
}

std::optional<step_kind> windowed_kind_of(const dot_model& m) {
  const accumulation& how = m.sum;
  if (!is_plain_window(how) || !has_sound_addend(how) || !has_low_zeros(how)) return {};
  if (how.inputs != subnormals::kept) return {};
  if (how.lost == lost_bits::sticky) {
    const bool sound = is_plain_binary32(how) && how.rounding == rounding::ties_to_even &&
                       how.addend == addend::every_step && fits_without_carry(how) &&
                       has_near_products(m);
    return sound ? std::optional(step_kind::sticky) : std::nullopt;
  }
  if (how.results != subnormals::kept) return {};
  if (is_cut_binary32(how)) return step_kind::truncated;
  return is_nearest_binary16(how) ? std::optional(step_kind::halved) : std::nullopt;
}

std::optional<step_kind> kind_of(const dot_model& m) {
  const accumulation& how = m.sum;
  if (is_exact_chain(how)) return step_kind::exact;
  if (!has_short_products(m)) return {};
  if (is_flushed_pairs(how)) return m.block == 0 ? std::optional(step_kind::flushed) : std::nullopt;
  if (!is_late(how)) return windowed_kind_of(m);
  if (m.block > 0) return {};
  return how.parity == parity::together ? step_kind::late : step_kind::late_pairs;
}

/// Elements of k between two sums with C.
int unit_of(const dot_model& m) {
  if (m.sum.addend == addend::after_span) return m.sum.span;
  return m.sum.fused == accumulation::one_block ? m.block : m.sum.fused;
}

bool has_sound_scales(const dot_model& m, step_kind kind, int unit) {
  if (m.block == 0) return true;
  return m.scale == formats::e8m0 && m.sum.scales == scale_position::on_product &&
         m.block % unit == 0 && (kind == step_kind::exact || has_near_products(m));
}

/// Which k a step takes is a question within a unit.
bool has_sound_order(const accumulation& how) {
  if (how.order == step_order::ascending) return true;
  return how.addend == addend::after_span && how.span == 2 * how.fused && how.fused % 2 == 0;
}

/// Exponents of 2 by which kernels multiply stay above this.
constexpr int least_power = -124;

}  // namespace

std::optional<step_rule> step_rule_of(const dot_model& m) {
  const accumulation& how = m.sum;
  if (!is_readable(m.a, m.unread_bits) || !is_readable(m.b, m.unread_bits)) return {};
  if (how.group != 1 || how.c_format != c_format::of_result || !has_sound_order(how)) return {};
  const std::optional<step_kind> kind = kind_of(m);
  if (!kind) return {};
  const int unit = unit_of(m);
  const bool whole = unit > 1 && step_chunk % unit == 0;
  if (!whole || !has_sound_scales(m, *kind, unit)) return {};
  step_rule rule{};
  rule.kind = *kind;
  rule.unit = unit;
  rule.fused = how.addend == addend::after_span ? how.fused : unit;
  rule.order = how.order;
  rule.window = how.fraction_bits;
  rule.partial = std::min(rule.fused, 1 << std::max(29 - rule.window, 0));
  if (rule.fused % rule.partial != 0) return {};
  const int zeros = how.zeros == zero_term::ignored ? no_number : how.zero_exponent;
  rule.least = std::max(zeros, rule.window + least_power);
  rule.least_sound = zeros < rule.least ? rule.least : 4 * no_number;
  rule.most_sound = 126 - bit_width(4 * static_cast<std::uint64_t>(rule.fused) + 2);
  rule.addend_least = how.result.emin();
  rule.kept_bits = ~((std::uint32_t{1} << (23 - std::min(how.output.fraction_bits, 23))) - 1);
  rule.late = how.late;
  rule.has_scales = m.block > 0;
  rule.a = codes_of(m, m.a);
  rule.b = codes_of(m, m.b);
  return rule;
}

}  // namespace mx
