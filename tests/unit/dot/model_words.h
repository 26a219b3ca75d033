// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/model_words.h: operands of close magnitude and of far alignment, for models that
// are compared with a second implementation.
#pragma once
#include <random>
#include <string>

#include "catch.h"
#include "mx/dot/models.h"
#include "slow_dot.h"

namespace tests {

using mx::formats::binary16;
using mx::formats::binary32;
using slow::codes;
using slow::number;

inline std::mt19937_64 random_source(20);

inline std::uint32_t below(std::uint32_t bound) {
  return static_cast<std::uint32_t>(random_source() % bound);
}

/// A finite code: any, zero, the smallest and the largest, or a number near one.
inline std::uint32_t random_code(const mx::format& f, int unread_bits) {
  const std::uint32_t sign = below(2) == 0 ? 0 : f.sign_mask();
  const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
  const std::uint32_t near = one + below(4U << f.fraction_bits) % (f.max_code() - one + 1);
  const std::uint32_t choices[] = {
      below(f.max_code() + 1), near, near, 0, below(1U << f.fraction_bits),
      f.max_code() - below(2)};
  const std::uint32_t magnitude = choices[below(6)];
  const bool negative_zero_is_nan = f.specials == mx::specials::fnuz && magnitude == 0;
  const std::uint32_t code = negative_zero_is_nan ? 0 : sign | magnitude;
  return (code << unread_bits) | (unread_bits > 0 ? below(1U << unread_bits) : 0);
}

inline codes random_codes(const mx::format& f, std::size_t count, int unread_bits = 0) {
  codes result(count);
  // All of a word of close magnitude, or any: both cancel and align far.
  const bool tiny = below(4) == 0;
  for (std::uint32_t& code : result) {
    code = tiny ? below(3U << f.fraction_bits) << unread_bits : random_code(f, unread_bits);
  }
  return result;
}

inline bool is_zero(const mx::format& f, std::uint32_t code) {
  return (code & f.magnitude_mask()) == 0;
}

/// Zeros have their own tests for signs.
inline void check_bits(const mx::format& f, std::uint32_t ours, std::uint32_t theirs) {
  if (is_zero(f, theirs)) {
    CHECK(is_zero(f, ours));
  } else {
    CHECK(ours == theirs);
  }
}

inline const mx::dot_model& model_of(const std::string& name) {
  CAPTURE(name);
  REQUIRE(mx::model_named(name) != nullptr);
  return mx::model_named(name)->model;
}

}  // namespace tests
