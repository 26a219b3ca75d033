// SPDX-License-Identifier: Apache-2.0
// sim/cli/explained_block.cpp: one block's quantization with every step kept.
#include "sim/cli/explained_block.h"

#include <algorithm>

namespace sim::cli {
namespace {

/// Twice the magnitude of a code, a whole number.
std::uint64_t doubled(mx::e2m1 code) {
  const mx::unpacked value = code.value();
  return value.is_zero() ? 0 : value.significand << (value.exponent + 1);
}

mx::e2m1 with_sign(int magnitude, bool negative) {
  const unsigned sign = negative ? mx::formats::e2m1.sign_mask() : 0;
  return {static_cast<std::uint8_t>(static_cast<unsigned>(magnitude) | sign)};
}

/// Finds the neighbours, and whether the value lies in the middle of them.
void place_between_neighbours(explained_element& e) {
  const int last = static_cast<int>(mx::formats::e2m1.max_code());
  int below = last;
  while (below > 0 && mx::compare_magnitudes(with_sign(below, false).value(), e.scaled) > 0)
    --below;
  const bool on_grid = mx::compare_magnitudes(with_sign(below, false).value(), e.scaled) == 0;
  const int above = on_grid ? below : std::min(below + 1, last);
  e.lower = with_sign(below, e.scaled.negative);
  e.upper = with_sign(above, e.scaled.negative);
  const mx::unpacked middle = mx::unpacked::finite(false, doubled(e.lower) + doubled(e.upper), -2);
  if (on_grid) {
    e.why = decision::exact;
  } else if (below == last) {
    e.why = decision::saturated;
  } else {
    e.why = mx::compare_magnitudes(e.scaled, middle) == 0 ? decision::tie : decision::nearer;
  }
}

}  // namespace

explained_block explained(const std::vector<float>& x, mx::scale_rule rule) {
  float padded[mx::mxfp4::size] = {};
  std::copy(x.begin(), x.end(), padded);
  const mx::mxfp4 block = mx::quantize(padded, rule);
  explained_block result{rule, mx::extent_of(padded, mx::mxfp4::size), 0, block.scale, {}};
  if (!result.extent.amax.is_zero()) {
    result.exponent = mx::shared_exponent<mx::formats::e2m1>(rule, result.extent.amax);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    explained_element e;
    e.x = x[i];
    e.code = block.elements[i];
    e.value = mx::dequantize(e.code, block.scale);
    if (block.scale.is_nan()) {
      e.why = decision::special;
    } else {
      const mx::unpacked value = mx::unpack(x[i]);
      e.scaled = value.scaled_by_power_of_two(-block.scale.exponent());
      place_between_neighbours(e);
      e.compared = mx::compare(value, result.extent.amax, block.scale);
    }
    result.elements.push_back(e);
  }
  return result;
}

}  // namespace sim::cli
