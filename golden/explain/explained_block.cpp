// SPDX-License-Identifier: Apache-2.0
// golden/explain/explained_block.cpp: one block's quantization with every step recorded.
#include "golden/explain/explained_block.h"

#include <algorithm>
#include <array>

namespace golden::explain {
namespace {

using mx::unpacked;

/// A magnitude under a scale, comparable with `scaled`: times the scale's numerator.
unpacked under(const mx::format& f, std::uint32_t magnitude, const mx::scale_ratio& scale) {
  return mx::multiplied(mx::decode(f, magnitude), scale.numerator);
}

unpacked sum(const unpacked& a, unpacked b) {
  b.negative = !b.negative;
  return mx::difference(a, b);
}

/// floor(2^bits * part / step), part below step.
std::uint32_t cut_of(const unpacked& part, const unpacked& step, int bits) {
  if (part.is_zero()) return 0;
  const int shift = part.exponent - step.exponent + bits;
  if (shift < -63) return 0;
  // part < step < 2^45 bounds the left side: it stays below 2^45 * 2^24.
  const mx::wide_integer left = static_cast<mx::wide_integer>(part.significand)
                                << (shift > 0 ? shift : 0);
  const mx::wide_integer right = static_cast<mx::wide_integer>(step.significand)
                                 << (shift < 0 ? -shift : 0);
  return static_cast<std::uint32_t>(left / right);
}

/// Finds the neighbours, and how the rounding chose between them.
void place_between_neighbours(const explained_block& b, std::uint64_t index, explained_element& e) {
  const mx::format& f = b.q.format.element;
  const mx::scale_ratio& scale = b.scale.ratio;
  const unpacked x = mx::unpack(e.x);
  const unpacked scaled = mx::multiplied(mx::magnitude_of(x), scale.denominator);
  std::uint32_t below = f.max_code();
  while (below > 0 && mx::compare_magnitudes(under(f, below, scale), scaled) > 0) --below;
  const unpacked lower = under(f, below, scale);
  const bool on_grid = mx::compare_magnitudes(lower, scaled) == 0;
  const bool beyond = !on_grid && below == f.max_code();
  const std::uint32_t above = on_grid || beyond ? below : below + 1;
  e.lower = mx::signed_code(f, x.negative, below);
  e.upper = mx::signed_code(f, x.negative, above);
  if (on_grid || beyond) {
    e.why = on_grid ? decision::exact : decision::saturated;
    return;
  }
  const unpacked upper = under(f, above, scale);
  if (b.q.rounding == mx::rounding::toward_zero) {
    e.why = decision::cut;
  } else if (b.q.rounding == mx::rounding::stochastic) {
    e.why = decision::drawn;
    e.draw = {mx::random_bits_of(b.q.random, index),
              cut_of(mx::difference(scaled, lower), mx::difference(upper, lower), b.q.random.bits)};
  } else {
    const bool middle =
        mx::compare_magnitudes(scaled.scaled_by_power_of_two(1), sum(lower, upper)) == 0;
    e.why = middle ? decision::tie : decision::nearer;
  }
}

explained_element explained(const explained_block& b, std::uint64_t index, float x,
                            std::uint32_t code) {
  const mx::block_format& f = b.q.format;
  explained_element e;
  e.x = x;
  e.code = code;
  if (b.scale.special) {
    e.why = decision::special;
    e.value = mx::float_of(mx::nan_bits);
    return e;
  }
  e.value = mx::dequantize_element(f, code, b.scale.ratio);
  if (b.scale.ratio.numerator.is_zero()) {
    e.why = decision::zero_scale;
    e.lower = e.upper = code;
  } else {
    place_between_neighbours(b, index, e);
  }
  const unpacked value = mx::unpack(x);
  if (!value.is_zero()) e.compared = mx::compare(f, value, b.extent.amax, code, b.scale.ratio);
  return e;
}

}  // namespace

explained_block explained(const std::vector<float>& x, const mx::quantization& q) {
  const auto size = static_cast<std::size_t>(q.format.size());
  std::vector<float> padded(size);
  std::ranges::copy(x, padded.begin());
  explained_block b{q, mx::extent_of(padded.data(), q.format.size()), {}, {}, {}, {}};
  if (q.format.has_tensor_scale()) b.tensor_scale = mx::tensor_scale_of(q.format, b.extent.amax);
  std::vector<std::uint8_t> codes(size);
  b.scale = mx::quantize_block(q, padded.data(), b.tensor(), 0, codes.data());
  if (mx::is_power_of_two_rule(q.rule) && !b.extent.amax.is_zero()) {
    const unpacked relative = mx::over(b.extent.amax, mx::no_tensor_scale, b.tensor());
    b.exponent = mx::shared_exponent(q.format.element, q.rule, relative);
  }
  for (std::size_t i = 0; i < x.size(); ++i) b.elements.push_back(explained(b, i, x[i], codes[i]));
  return b;
}

std::string name_of(const explained_block& b, decision why) {
  constexpr std::array names{"exact",      "nearest",   "tie_to_even", "toward_zero",
                             "stochastic", "saturated", "zero_scale",  "special"};
  if (why == decision::tie && b.q.rounding == mx::rounding::ties_away) return "tie_away";
  const bool down = why == decision::tie && b.q.rounding == mx::rounding::ties_toward_zero;
  return down ? "tie_toward_zero" : names[static_cast<std::size_t>(why)];
}

}  // namespace golden::explain
