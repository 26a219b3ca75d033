// SPDX-License-Identifier: Apache-2.0
// golden/reference/rational.cpp: the binade of a rational number, found by comparing with powers of
// two.
#include "golden/reference/rational.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

namespace golden {
namespace {

constexpr int exponent_limit = 1024;  // FP32 numbers, their quotients and squares stay inside

const std::vector<rational>& powers() {
  static const std::vector<rational> list = [] {
    std::vector<rational> all;
    for (int e = -exponent_limit; e <= exponent_limit; ++e) all.push_back(power_of_two(e));
    return all;
  }();
  return list;
}

}  // namespace

int floor_log2(const rational& value) {
  const auto above = std::upper_bound(powers().begin(), powers().end(), value);
  if (above == powers().begin() || above == powers().end()) {
    throw std::out_of_range("golden::floor_log2: not between 2^-1024 and 2^1024");
  }
  return static_cast<int>(above - powers().begin()) - 1 - exponent_limit;
}

int ceil_log2(const rational& value) {
  const int low = floor_log2(value);
  return power_of_two(low) == value ? low : low + 1;
}

}  // namespace golden
