// SPDX-License-Identifier: Apache-2.0
// mx/block/rotation.h: Hadamard rotations along an axis, in FP32, to the bit.
// Source: TransformerEngine, pytorch/tensor/nvfp4_tensor.py (the fixed signs of 16), arXiv
// 2502.20586 and 2505.14669 (random and no signs). Order of the additions: D-019.
#pragma once
#include "mx/number/fp32.h"
#include "mx/number/philox.h"

namespace mx {

/// Signs that elements are multiplied by before they are mixed.
///   none    all plus
///   fixed   + + + - + - - - - - - + - + - -, repeated every 16
///   random  bit i of the stream of a seed: 1 is minus
enum class rotation_signs : std::uint8_t { none, fixed, random };

/// A rotation of every `size` consecutive elements: y = H (s x) / sqrt(size), H in Sylvester's
/// order.
///   size  0 (no rotation), 16, 32, 64 or 128
struct rotation {
  int size = 0;
  rotation_signs signs = rotation_signs::none;
  std::uint64_t seed = 0;

  friend constexpr bool operator==(const rotation&, const rotation&) = default;
};

[[nodiscard]] MX_HD constexpr bool is_rotation_size(int size) noexcept {
  return size == 0 || size == 16 || size == 32 || size == 64 || size == 128;
}

/// Whether element i of a group is negated. Every group has the same signs.
[[nodiscard]] MX_HD constexpr bool is_negated(const rotation& r, int i) noexcept {
  constexpr std::uint32_t fixed_signs = 0xD7E8;  // bit i: element i
  if (r.signs == rotation_signs::none) return false;
  if (r.signs == rotation_signs::fixed) return (fixed_signs >> (i % 16) & 1) != 0;
  const philox_counter drawn =
      philox(r.seed, {{0, 0, 0x48414441, 0}});  // a stream of its own: one call holds 128 signs
  return (drawn.word[i / 32] >> (i % 32) & 1) != 0;
}

/// RNE32(1 / sqrt(size)).
[[nodiscard]] MX_HD constexpr float rotation_factor(int size) noexcept {
  switch (size) {
    case 16:
      return 0.25F;
    case 32:
      return float_of(0x3E3504F3);
    case 64:
      return 0.125F;
    default:
      return float_of(0x3DB504F3);  // 128
  }
}

/// x = H x for one group: stages of butterflies with strides 1, 2, 4, ..., every addition rounded.
MX_HD constexpr void mix(float* x, int size) noexcept {
  for (int stride = 1; stride < size; stride *= 2) {
    for (int i = 0; i < size; ++i) {
      if ((i & stride) != 0) continue;
      const float a = x[i], b = x[i + stride];
      x[i] = fp32::add(a, b);
      x[i + stride] = fp32::subtract(a, b);
    }
  }
}

/// By a product, which keeps a NaN canonical (D-005).
MX_HD constexpr void negate_signed(const rotation& r, float* x) noexcept {
  for (int i = 0; i < r.size; ++i) {
    if (is_negated(r, i)) x[i] = fp32::multiply(x[i], -1.0F);
  }
}

MX_HD constexpr void scale_group(float* x, int size) noexcept {
  for (int i = 0; i < size; ++i) x[i] = fp32::multiply(x[i], rotation_factor(size));
}

/// Rotates in place.
///   count  a multiple of r.size
MX_HD constexpr void rotate(const rotation& r, float* x, int count) noexcept {
  if (r.size == 0) return;
  for (int first = 0; first < count; first += r.size) {
    negate_signed(r, x + first);
    mix(x + first, r.size);
    scale_group(x + first, r.size);
  }
}

/// Inverts rotate: H is its own inverse up to the factor, and the signs are applied last.
MX_HD constexpr void rotate_back(const rotation& r, float* x, int count) noexcept {
  if (r.size == 0) return;
  for (int first = 0; first < count; first += r.size) {
    mix(x + first, r.size);
    scale_group(x + first, r.size);
    negate_signed(r, x + first);
  }
}

}  // namespace mx
