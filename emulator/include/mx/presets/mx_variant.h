// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_variant.h: a public kernel's quantizer to blocks with E8M0 scales, as a value: its
// choices, including the treatment of NaN, Inf, zeros and the ends of the range.
// Source: of each preset in mx/presets/mx_variants.h.
#pragma once
#include "mx/number/e8m0_conversion.h"
#include "mx/presets/variant.h"

namespace mx {

/// When amax is NaN: if one element is, never (NaN is ignored), if all elements are.
enum class amax_nan : std::uint8_t { propagated, ignored, only_all };

/// The FP32 number whose exponent is taken; max is the largest element.
///   amax              amax; emax is subtracted from the exponent
///   amax_rounded      amax plus half a step of the element's fraction, its fraction dropped; may
///                     be Inf
///   over_power        RNE32(amax / 2^emax)
///   over_max          RNE32(amax / max)
///   times_reciprocal  RNE32(amax * RNE32(1 / max))
///   offset            RNE32(amax + RNE32(1e-8))
///   deviation         2.92247856 * standard deviation / max, compared exactly; at least 1e-8
enum class scale_operand : std::uint8_t {
  amax,
  amax_rounded,
  over_power,
  over_max,
  times_reciprocal,
  offset,
  deviation
};

/// Conversion of an FP32 number to a biased exponent; a subnormal's field is 0.
///   field        its exponent field
///   field_up     the field, plus one where any fraction bit is set
///   convert_up   the same, but up to 2^-127 it is 0
///   field_sqrt2  the field, plus one from the fraction 0x3504F3 on (sqrt 2)
///   log2_floor   floor(log2f)         log2_ceil  ceil(log2f)
enum class exponent_rule : std::uint8_t {
  field,
  field_up,
  convert_up,
  field_sqrt2,
  log2_floor,
  log2_ceil
};

/// Scale code if the operand is Inf or NaN.
///   nan   255      largest  254      one  127      smallest  0
///   exponent       255 - emax: the field is treated as any other
enum class special_scale : std::uint8_t { nan, largest, one, smallest, exponent };

/// Treatment of an exponent outside the codes 0 to 254.
///   clamped        to the nearest end
///   clamped_early  to the nearest end, before emax is subtracted, and again after
///   nan_above      below to 0, above to 255
///   wrapped        modulo 256: a C cast of a negative number, as x86 performs it
enum class scale_range : std::uint8_t { clamped, clamped_early, nan_above, wrapped };

/// Scale code of a block of zeros: 0; that of 2^-emax; that of 1e-8, 100.
enum class zero_scale : std::uint8_t { smallest, one_over_power, offset };

/// Factor by which elements are multiplied, by code of the scale:
///              0                     254      255
///   power      2^127                 2^-127   NaN
///   one        1                     2^-127   NaN
///   one_open   1                     2^-127   2^-128
///   zero       0                     2^-127   0: the scale is its field as FP32; 0 has no quotient
///   normal     2^126                 2^-127   0: scales below 2^-126 are replaced by 2^-126
///   field      1/0: Inf, NaN for 0   2^-127   0: x over the field as FP32
///   triple     3 times `field`, rounded twice
///   early      RNE32(1 / 2^e), e not clamped below: 2^127 or Inf
enum class element_factor : std::uint8_t {
  power,
  one,
  one_open,
  zero,
  normal,
  field,
  triple,
  early
};

/// Blocks whose elements all become +0: none; those whose amax has a biased exponent of at most 0;
/// those whose amax is 0.
enum class cleared_blocks : std::uint8_t { none, subnormal, zero };

/// Value of a code of -0: itself, or +0 where elements are decoded by a table of integers.
enum class minus_zero : std::uint8_t { kept, positive };

struct mx_variant {
  variant about;
  scale_operand operand = scale_operand::amax;
  exponent_rule exponent = exponent_rule::field;
  amax_nan amax = amax_nan::propagated;
  special_scale infinite = special_scale::nan;
  special_scale nan = special_scale::nan;
  scale_range range = scale_range::clamped;
  zero_scale zero = zero_scale::smallest;
  element_factor factor = element_factor::power;
  element_conversion element = {};
  cleared_blocks cleared = cleared_blocks::none;
  e8m0_decoding decoding = e8m0_decoding::power;
  minus_zero decoded_zero = minus_zero::kept;
};

}  // namespace mx
