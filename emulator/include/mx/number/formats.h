// SPDX-License-Identifier: Apache-2.0
// mx/number/formats.h: the formats by name, one literal each.
// Source: OCP Microscaling Formats (MX) v1.0, clauses 5.3 (elements) and 5.4.1 (E8M0); OCP 8-bit
// Floating Point (OFP8) v1.0 (E4M3, E5M2); IEEE 754-2019, clause 3.4 (binary16, binary32); arXiv
// 2206.02915 (FNUZ); arXiv 2601.19026 (UE5M3). E8Mk is arXiv 2605.20402's, its specials D-013.
#pragma once
#include "mx/number/format.h"

namespace mx::formats {

inline constexpr format e2m1{2, 1, 1};
inline constexpr format e2m3{2, 3, 1};
inline constexpr format e3m2{3, 2, 3};
inline constexpr format e4m3{4, 3, 7, specials::top_code};
inline constexpr format e5m2{5, 2, 15, specials::ieee};
inline constexpr format int8{
    1, 6, 1, specials::none, signedness::with_sign, sign_form::twos_complement};
inline constexpr format e4m3fnuz{4, 3, 8, specials::fnuz};
inline constexpr format e5m2fnuz{5, 2, 16, specials::fnuz};

inline constexpr format binary16{5, 10, 15, specials::ieee};
inline constexpr format bfloat16{8, 7, 127, specials::ieee};
inline constexpr format binary32{8, 23, 127, specials::ieee};
/// The upper 19 bits of a binary32 number.
inline constexpr format tf32{8, 10, 127, specials::ieee};

/// A scale with 8 exponent bits and k fraction bits, neither zero nor subnormals.
///   k  0 to 16
[[nodiscard]] MX_HD constexpr format e8m(int k) noexcept {
  return {8,
          k,
          127,
          specials::top_field,
          signedness::without_sign,
          sign_form::sign_magnitude,
          lowest_field::normal};
}
inline constexpr format e8m0 = e8m(0);
inline constexpr format ue4m3{4, 3, 7, specials::top_code, signedness::without_sign};
inline constexpr format ue5m3{5, 3, 15, specials::top_code, signedness::without_sign};

static_assert(e2m1.width() == 4 && e2m1.emin() == 0 && e2m1.emax() == 2);
static_assert(e2m1.max_code() == 7 && e2m1.max_significand() == 3);
static_assert(e4m3.emax() == 8 && e4m3.max_code() == 0x7E && e4m3.nan_code() == 0x7F);
static_assert(e5m2.emax() == 15 && e5m2.max_code() == 0x7B && e5m2.infinity_code() == 0x7C);
static_assert(int8.width() == 8 && int8.emax() == 0 && int8.max_significand() == 127);
static_assert(e4m3fnuz.emax() == 7 && e4m3fnuz.nan_code() == 0x80 && e5m2fnuz.emax() == 15);
static_assert(binary32.width() == 32 && binary32.emin() == -126 && binary32.emax() == 127);
static_assert(binary32.max_code() == 0x7F7FFFFF && binary32.infinity_code() == 0x7F800000);
static_assert(tf32.width() == 19 && tf32.emin() == binary32.emin());
static_assert(binary32.nan_code() == 0x7FC00000 && bfloat16.nan_code() == 0x7FC0);
static_assert(e8m0.width() == 8 && e8m0.emin() == -127 && e8m0.emax() == 127);
static_assert(e8m0.nan_code() == 255 && e8m0.max_code() == 254);
static_assert(ue4m3.width() == 7 && ue5m3.nan_code() == 0xFF && ue5m3.emax() == 16);

}  // namespace mx::formats
