// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/special_alternatives.cpp: other scales and codes of blocks with NaN and
// Inf.
#include <array>

#include "alternatives.h"

namespace golden::validator {
namespace {

constexpr std::array of_blocks{special_scale::nan, special_scale::of_finite, special_scale::largest,
                               special_scale::smallest};

/// Scales of blocks with NaN and with Inf, each separately.
void append_codes(alternative_list& list) {
  using enum special_codes;
  for (const special_codes codes :
       {zeros, nan_to_largest, nan_keeps_sign, nan_to_zero, special_to_zero, all_nan}) {
    for (const special_scale nan : of_blocks) {
      for (const special_scale infinite : of_blocks)
        add(list, dimension::nan_rule, &habits::specials, {nan, infinite, codes});
    }
  }
}

/// Codes that decode equal: which NaN, with which sign, beside an Inf that stays or saturates.
void append_encodings(const mx::format& element, alternative_list& list) {
  using enum special_codes;
  const bool has_infinity = element.specials == mx::specials::ieee;
  for (const special_scale scale : of_blocks) {
    for (const special_codes codes : {nan_to_largest, nan_keeps_sign, nan_negative}) {
      for (const nan_code nan : {nan_code::all_bits, nan_code::quiet, nan_code::lowest}) {
        for (const infinity_code inf : {infinity_code::saturated, infinity_code::kept}) {
          const bool known =
              nan == nan_code::all_bits && inf == infinity_code::saturated && codes != nan_negative;
          const bool exists =
              has_infinity || (nan == nan_code::all_bits && inf == infinity_code::saturated);
          if (!known && exists)
            add(list, dimension::nan_rule, &habits::specials, {scale, scale, codes, nan, inf});
        }
      }
    }
  }
}

}  // namespace

void append_special_alternatives(const hypothesis& declared, alternative_list& list) {
  append_codes(list);
  append_encodings(declared.format().element, list);
  if (declared.format().scale != mx::formats::ue4m3) return;
  using enum special_scale;
  for (const special_scale infinite : {negative_nan, nan, of_finite, largest}) {
    for (const special_codes codes : {special_codes::zeros, special_codes::nan_to_largest}) {
      add(list, dimension::nan_rule, &habits::specials, {negative_nan, infinite, codes});
    }
  }
}

}  // namespace golden::validator
