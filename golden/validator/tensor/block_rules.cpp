// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/block_rules.cpp: a hypothesis's rules for a block's special values.
#include "block_rules.h"

#include <algorithm>

#include "numbers.h"

namespace golden::validator {
namespace {

bool is_nan(float x) { return mx::unpack(x).kind == mx::kind::nan; }
bool is_special(float x) { return mx::unpack(x).is_special(); }

/// Whether element k of `size` is within reach. NaN and Inf are: kernels look for them by
/// themselves, and only a maximum of numbers misses -Inf.
bool is_within(amax_reach reach, std::size_t k, std::size_t size, float x) {
  if (reach == amax_reach::positive) return !(x < 0);
  if (is_special(x)) return true;
  switch (reach) {
    case amax_reach::block:
    case amax_reach::positive:
      break;
    case amax_reach::first_half:
    case amax_reach::each_half:
      return k < size / 2;
    case amax_reach::second_half:
      return k >= size / 2;
    case amax_reach::even:
      return k % 2 == 0;
    case amax_reach::odd:
      return k % 2 == 1;
    case amax_reach::but_first:
      return k > 0;
    case amax_reach::but_last:
      return k + 1 < size;
  }
  return true;
}

/// All bits but the sign: NaN where the element has one, else the largest.
std::uint32_t all_ones(const mx::format& element) { return element.magnitude_mask(); }

std::uint32_t nan_bits_of(const hypothesis& r) {
  const mx::format& element = r.format().element;
  if (r.specials.nan == nan_code::quiet) return element.nan_code();
  return r.specials.nan == nan_code::lowest ? element.infinity_code() + 1 : all_ones(element);
}

std::uint32_t special_code(const hypothesis& r, float x) {
  const mx::format& element = r.format().element;
  const bool negative = (mx::bits_of(x) >> 31) != 0;
  const bool zero = r.specials.codes == special_codes::special_to_zero;
  if (zero || (is_nan(x) && r.specials.codes == special_codes::nan_to_zero)) return 0;
  if (!is_nan(x)) {
    const bool kept = r.specials.infinity == infinity_code::kept;
    return mx::signed_code(element, negative, kept ? element.infinity_code() : element.max_code());
  }
  const bool keeps = r.specials.codes == special_codes::nan_keeps_sign;
  const bool always = r.specials.codes == special_codes::nan_negative;
  return mx::signed_code(element, always || (keeps && negative), nan_bits_of(r));
}

std::uint32_t special_scale_code(const hypothesis& r, special_scale rule, std::uint32_t of_finite) {
  switch (rule) {
    case special_scale::nan:
      return r.format().scale.nan_code();
    case special_scale::largest:
      return r.format().scale.max_code();
    case special_scale::smallest:
      return 0;
    case special_scale::negative_nan:
      return r.format().scale.nan_code() | 0x80U;
    case special_scale::of_finite:
      break;
  }
  return of_finite;
}

/// Scale code of the finite numbers of a block.
std::uint32_t scale_of_finite(const hypothesis& r, const std::vector<float>& x,
                              const mx::unpacked& tensor) {
  std::vector<float> finite = x;
  for (float& v : finite) v = is_special(v) ? 0.0F : v;
  return mx::scale_of(r.recipe.rules, finite.data(), static_cast<int>(finite.size()), tensor).code;
}

mx::rounder rounder_at(const hypothesis& r, const predicted_block& block, std::uint64_t first,
                       std::size_t k) {
  if (!block.drawn.empty()) return {block.drawn_bits, block.drawn[k]};
  mx::rounder drawn = mx::rounder_of(r.recipe.rules, first + k);
  if (r.drawn == drawn_bits::complemented) drawn.random ^= (1U << drawn.random_bits) - 1;
  return drawn;
}

std::uint32_t finite_code(const hypothesis& r, const mx::unpacked& x, const mx::scale_ratio& ratio,
                          const mx::rounder& how) {
  const mx::format& element = r.format().element;
  const bool rounds_twice = r.input.who == rounded_for::quotients;
  const bool saturates = r.overflow != overflow_code::special;
  if (x.is_zero() || ratio.numerator.is_zero() || (saturates && !rounds_twice)) {
    return mx::element_code(element, x, ratio, how);
  }
  mx::unpacked scaled = mx::quotient(mx::multiplied(x, ratio.denominator), ratio.numerator);
  if (rounds_twice) scaled = rounded_to(r.input.numbers, scaled);
  return mx::encode(element, scaled, how,
                    saturates ? mx::overflow::saturate : mx::overflow::to_infinity);
}

void make_codes(const hypothesis& r, std::uint64_t number, const mx::unpacked& tensor,
                std::uint32_t under, predicted_block& block) {
  const mx::scale_ratio ratio = mx::ratio_of(r.format(), under, tensor);
  const std::uint64_t first = number * block.codes.size();
  for (std::size_t k = 0; k < block.codes.size(); ++k) {
    const float x = block.for_elements[k];
    const std::uint32_t code =
        is_special(x) ? special_code(r, x)
                      : finite_code(r, mx::unpack(x), ratio, rounder_at(r, block, first, k));
    block.codes[k] = static_cast<std::uint8_t>(code);
  }
}

void quantize_special(const hypothesis& r, std::uint64_t number, const mx::unpacked& tensor,
                      const block_kind& kind, predicted_block& block) {
  const std::uint32_t of_finite = scale_of_finite(r, block.for_scale, tensor);
  block.scale =
      special_scale_code(r, kind.nan ? r.specials.with_nan : r.specials.with_infinity, of_finite);
  if (r.specials.codes == special_codes::zeros || r.specials.codes == special_codes::all_nan) {
    const bool zeros = r.specials.codes == special_codes::zeros;
    const std::uint32_t code = zeros ? 0 : all_ones(r.format().element);
    std::fill(block.codes.begin(), block.codes.end(), static_cast<std::uint8_t>(code));
    return;
  }
  const bool usable = !mx::is_special_scale(r.format(), block.scale, tensor);
  make_codes(r, number, tensor, usable ? block.scale : of_finite, block);
}

}  // namespace

void hide_beyond(amax_reach reach, std::vector<float>& block) {
  for (std::size_t k = 0; k < block.size(); ++k) {
    if (!is_within(reach, k, block.size(), block[k])) block[k] = 0;
  }
}

block_kind kind_of(const std::vector<float>& x) {
  block_kind kind{mx::extent_of(x.data(), static_cast<int>(x.size()))};
  kind.nan = std::any_of(x.begin(), x.end(), is_nan);
  kind.infinite = kind.extent.special && !kind.nan;
  return kind;
}

std::uint32_t shifted_scale(const hypothesis& r, std::uint32_t scale, bool is_zero) {
  const mx::format& f = r.format().scale;
  const scale_shift& shift = r.shift;
  if (shift.by == 0) return scale;
  const auto moved = static_cast<std::int64_t>(scale) + shift.by;
  if (shift.end == shift_end::wrapped) return static_cast<std::uint32_t>(moved) & 0xFFU;
  if (mx::decode(f, scale).is_special()) return scale;
  if (shift.end == shift_end::nonzero && is_zero) return scale;
  return static_cast<std::uint32_t>(std::clamp<std::int64_t>(moved, 0, f.max_code()));
}

void quantize_by_rules(const hypothesis& r, std::uint64_t number, const mx::unpacked& tensor,
                       predicted_block& block) {
  const block_kind kind = kind_of(block.for_scale);
  if (kind.extent.special) return quantize_special(r, number, tensor, kind, block);
  block.scale = mx::scale_of(r.recipe.rules, block.for_scale.data(),
                             static_cast<int>(block.for_scale.size()), tensor)
                    .code;
  const bool zero = kind.extent.amax.is_zero();
  if (zero && r.zeros.scale) block.scale = *r.zeros.scale;
  std::uint32_t under = block.scale;
  if (r.shift.reach == shift_reach::applied) under = shifted_scale(r, under, zero);
  const bool usable = !mx::is_special_scale(r.format(), under, tensor);
  make_codes(r, number, tensor, usable ? under : 0, block);
  const bool tiny =
      r.subnormals == subnormal_rule::scales && under < (1U << r.format().scale.fraction_bits);
  if (!tiny) return;
  block.scale = 0;
  for (std::size_t k = 0; k < block.codes.size(); ++k) {
    const bool negative = (mx::bits_of(block.for_elements[k]) >> 31) != 0;
    block.codes[k] = static_cast<std::uint8_t>(mx::signed_code(r.format().element, negative, 0));
  }
}

void lose_largest_code(const mx::format& element, predicted_block& block) {
  for (const bool negative : {false, true}) {
    const std::uint32_t largest = mx::signed_code(element, negative, element.max_code());
    const std::uint32_t below = mx::signed_code(element, negative, element.max_code() - 1);
    std::replace(block.codes.begin(), block.codes.end(), static_cast<std::uint8_t>(largest),
                 static_cast<std::uint8_t>(below));
  }
}

void flush_codes(const hypothesis& r, predicted_block& block) {
  const mx::format& element = r.format().element;
  if (!element.has_negative_zero()) return;
  const auto magnitude = static_cast<std::uint8_t>(all_ones(element));
  const auto normal = static_cast<std::uint8_t>(1U << element.fraction_bits);
  for (std::size_t k = 0; k < block.codes.size(); ++k) {
    std::uint8_t& code = block.codes[k];
    const auto size = static_cast<std::uint8_t>(code & magnitude);
    if (r.subnormals == subnormal_rule::elements && size < normal) {
      code = static_cast<std::uint8_t>(code & ~magnitude);
    }
    if ((code & magnitude) != 0) continue;
    const bool was_zero = block.given[k] == 0;
    const bool cleared =
        r.zeros.sign == zero_sign::positive || (r.zeros.sign == zero_sign::of_nonzero && was_zero);
    if (cleared) code = 0;
  }
}

}  // namespace golden::validator
