// SPDX-License-Identifier: Apache-2.0
// mx/formats.h: the formats by name, one literal each.
// Source: OCP Microscaling Formats (MX) v1.0, clause 5.3 (E2M1); IEEE 754-2019, clause 3.4
// (binary32).
#pragma once
#include "mx/format.h"

namespace mx::formats {

inline constexpr format e2m1{2, 1, 1, specials::none};
inline constexpr format bfloat16{8, 7, 127, specials::ieee};
inline constexpr format binary32{8, 23, 127, specials::ieee};

static_assert(e2m1.width() == 4 && e2m1.emin() == 0 && e2m1.emax() == 2);
static_assert(e2m1.max_code() == 7 && e2m1.max_significand() == 3);
static_assert(binary32.width() == 32 && binary32.emin() == -126 && binary32.emax() == 127);
static_assert(binary32.max_code() == 0x7F7FFFFF && binary32.infinity_code() == 0x7F800000);
static_assert(binary32.nan_code() == 0x7FC00000 && bfloat16.nan_code() == 0x7FC0);

}  // namespace mx::formats
