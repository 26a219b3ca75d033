// SPDX-License-Identifier: Apache-2.0
// sim/policy/rope.cpp: angles in 50 decimal digits, so that rounding to FP32 is the only rounding.
#include "sim/policy/rope.h"

#include <boost/multiprecision/cpp_bin_float.hpp>

namespace sim {

rope_table::rope_table(int positions, int head_width, double theta) : half_(head_width / 2) {
  using real = boost::multiprecision::cpp_bin_float_50;
  for (int position = 0; position < positions; ++position) {
    for (int j = 0; j < half_; ++j) {
      const real exponent = real(-2 * j) / head_width;
      const real angle = position * boost::multiprecision::pow(real(theta), exponent);
      cosine_.push_back(boost::multiprecision::cos(angle).convert_to<float>());
      sine_.push_back(boost::multiprecision::sin(angle).convert_to<float>());
    }
  }
}

}  // namespace sim
