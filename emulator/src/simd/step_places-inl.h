// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/step_places-inl.h: lines of codes to numbers and exponents, in the order of
// dot/step_kernels.h;
// included once for each target.
#if defined(MX_SIMD_STEP_PLACES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_STEP_PLACES_INL_H
#undef MX_SIMD_STEP_PLACES_INL_H
#else
#define MX_SIMD_STEP_PLACES_INL_H
#endif

#include <algorithm>

#include "mx/number/bits.h"
#include "simd/step_lanes-inl.h"
#include "simd/transpose-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET != HWY_SCALAR
namespace step_kernel {

/// Numbers of codes, and the exponents at which they are read. Those of Inf and NaN are
/// unspecified.
struct read_numbers {
  V value;
  Vi exponent, special;  ///< special: not zero for Inf and NaN

  static HWY_INLINE read_numbers of(const code_rule& rule, Vi stored) {
    const I32 d;
    const Vi pattern =
        hn::ShiftLeftSame(hn::And(stored, hn::Set(d, rule.magnitude_mask)), rule.places);
    const Vi sign =
        hn::ShiftLeftSame(hn::And(stored, hn::Set(d, rule.sign_mask)), rule.sign_places);
    // The ratio of the biases; subnormals become normal.
    const V size = hn::Mul(hn::BitCast(F32(), pattern), power(hn::Set(d, 127 - rule.bias)));
    const Vi zero = hn::VecFromMask(d, hn::Eq(pattern, hn::Zero(d)));
    const Vi field = hn::Sub(hn::ShiftRight<23>(pattern), hn::Set(d, rule.bias));
    read_numbers read{hn::BitCast(F32(), hn::Or(hn::BitCast(d, size), sign)),
                      with_none(zero, hn::Max(field, hn::Set(d, rule.least))),
                      hn::VecFromMask(d, hn::Gt(pattern, hn::Set(d, rule.largest)))};
    if (HWY_UNLIKELY(!rule.is_plain)) read.apply(rule, size, zero, sign);
    return read;
  }

 private:
  static HWY_INLINE Vi with_none(Vi zero, Vi exponent) {
    const I32 d;
    return hn::IfThenElse(hn::MaskFromVec(zero), hn::Set(d, no_number), exponent);
  }

  /// What is not plain.
  HWY_INLINE void apply(const code_rule& rule, V size, Vi zero, Vi sign) {
    const I32 d;
    const Vi least = hn::Set(d, rule.least);
    if (rule.read == factor_exponent::binary16) {
      const Vi own = hn::Sub(hn::ShiftRight<23>(hn::BitCast(d, size)), hn::Set(d, 127));
      exponent = with_none(zero, hn::Max(own, least));
    }
    if (rule.inputs == subnormals::flushed) {
      const V smallest = power(least);
      const Vi small = hn::VecFromMask(d, hn::RebindMask(d, hn::Lt(size, smallest)));
      exponent = with_none(small, exponent);
      value = hn::BitCast(F32(), hn::AndNot(small, hn::BitCast(d, value)));
    }
    if (rule.nan == specials::fnuz) special = hn::Or(special, hn::And(zero, sign));
  }
};

/// Codes of a line from k on, one a word of float; zeros after its end. Two a byte are unpacked.
template <class Code>
HWY_INLINE void widen_codes(const void* line, std::int64_t first, std::int64_t count, float* to) {
  const auto* codes = static_cast<const Code*>(line) + first;
  for (std::int64_t i = 0; i < count; ++i) to[i] = float_of(codes[i]);
}

HWY_INLINE void widen(const step_source& from, int line, std::int64_t first, float* to) {
  const std::int64_t there = std::clamp<std::int64_t>(from.k - first, 0, step_chunk);
  const void* codes = from.lines[line];
  first += from.first;
  if (from.storage == code_storage::pairs) {
    const auto* bytes = static_cast<const std::uint8_t*>(codes);
    for (std::int64_t i = 0; i < there; ++i) {
      to[i] = float_of(bytes[(first + i) / 2] >> ((first + i) % 2 * 4) & 0xFU);
    }
  } else if (from.storage == code_storage::bytes) {
    widen_codes<std::uint8_t>(codes, first, there, to);
  } else if (from.storage == code_storage::halves) {
    widen_codes<std::uint16_t>(codes, first, there, to);
  } else {
    widen_codes<std::uint32_t>(codes, first, there, to);
  }
  std::fill(to + there, to + step_chunk, 0.0F);
}

/// A unit's products in the order of its steps: of four, two for the first and two for the second.
HWY_INLINE void order_pairs(int unit, float* codes) {
  float ordered[step_chunk];
  for (int first = 0; first < static_cast<int>(step_chunk); first += unit) {
    for (int i = 0; i < unit; ++i) {
      const int at = first + i % 4 / 2 * (unit / 2) + i / 4 * 2 + i % 2;
      ordered[at] = codes[first + i];
    }
  }
  std::copy_n(ordered, step_chunk, codes);
}

HWY_INLINE void take_codes(const step_rule& rule, const step_source& from, int line,
                           std::int64_t first, float* to) {
  if (line >= from.count) {
    std::fill_n(to, step_chunk, 0.0F);
    return;
  }
  widen(from, line, first, to);
  if (rule.order == step_order::pairs_of_four) order_pairs(rule.unit, to);
}

/// Lines of a strip: a unit's elements of a line lie together.
inline std::uint32_t place_strip(const step_rule& rule, const code_rule& codes,
                                 const step_source& from, const step_place& to) {
  HWY_ALIGN float taken[step_chunk];
  HWY_ALIGN float values[step_chunk];
  HWY_ALIGN std::int32_t exponents[step_chunk];
  const I32 d;
  std::uint32_t irregular = 0;
  const int unit = rule.unit;
  for (std::int64_t first = 0; first < from.k; first += step_chunk) {
    for (int line = 0; line < step_kernels::most_rows; ++line) {
      take_codes(rule, from, line, first, taken);
      Vi special = hn::Zero(d);
      for (std::int64_t k = 0; k < step_chunk; k += lanes) {
        const read_numbers read =
            read_numbers::of(codes, hn::BitCast(d, hn::Load(F32(), taken + k)));
        special = hn::Or(special, read.special);
        hn::Store(read.value, F32(), values + k);
        hn::Store(read.exponent, d, exponents + k);
      }
      if (!hn::AllTrue(d, hn::Eq(special, hn::Zero(d)))) irregular |= 1U << line;
      for (std::int64_t k = 0; k < step_chunk; k += unit) {
        const std::int64_t at = (first + k) * step_kernels::most_rows + line * unit;
        std::copy_n(values + k, unit, to.values + at);
        std::copy_n(exponents + k, unit, to.exponents + at);
      }
    }
  }
  return irregular;
}

/// Lines of a panel, of which those of one k lie together.
inline std::uint32_t place_panel(const step_rule& rule, const code_rule& codes,
                                 const step_source& from, const step_place& to) {
  HWY_ALIGN float taken[columns * step_chunk];
  HWY_ALIGN float turned[columns * step_chunk];
  const I32 d;
  Vi special[vectors];
  for (int v = 0; v < vectors; ++v) special[v] = hn::Zero(d);
  for (std::int64_t first = 0; first < from.k; first += step_chunk) {
    for (int line = 0; line < columns; ++line) {
      take_codes(rule, from, line, first, taken + line * step_chunk);
    }
    transpose_kernel::turn_all(taken, step_chunk, columns, step_chunk, turned, columns);
    for (std::int64_t k = 0; k < step_chunk; ++k) {
      for (int v = 0; v < vectors; ++v) {
        const std::int64_t at = k * columns + v * lanes;
        const read_numbers read =
            read_numbers::of(codes, hn::BitCast(d, hn::Load(F32(), turned + at)));
        special[v] = hn::Or(special[v], read.special);
        hn::Store(read.value, F32(), to.values + first * columns + at);
        hn::Store(read.exponent, d, to.exponents + first * columns + at);
      }
    }
  }
  HWY_ALIGN std::int32_t found[columns];
  for (int v = 0; v < vectors; ++v) hn::Store(special[v], d, found + v * lanes);
  std::uint32_t irregular = 0;
  for (int line = 0; line < columns; ++line) irregular |= found[line] != 0 ? 1U << line : 0;
  return irregular;
}

}  // namespace step_kernel
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
