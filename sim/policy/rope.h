// SPDX-License-Identifier: Apache-2.0
// sim/policy/rope.h: the cosines and sines of the rotary embedding, each correctly rounded to FP32.
#pragma once
#include <vector>

namespace sim {

/// Angle of pair j at position t: t * theta^(-2 j / head_width).
class rope_table {
 public:
  rope_table(int positions, int head_width, double theta);

  [[nodiscard]] const float* cosine(int position) const noexcept {
    return cosine_.data() + static_cast<std::ptrdiff_t>(position) * half_;
  }
  [[nodiscard]] const float* sine(int position) const noexcept {
    return sine_.data() + static_cast<std::ptrdiff_t>(position) * half_;
  }

 private:
  int half_;
  std::vector<float> cosine_, sine_;
};

}  // namespace sim
