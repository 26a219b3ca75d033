// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/rotation_test.cpp: mx/block/rotation.h.
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/rotation.h"

namespace {

using mx::rotation;
using mx::rotation_signs;
using floats = std::vector<float>;
constexpr int sizes[] = {16, 32, 64, 128};

rotation of(int size, rotation_signs signs = rotation_signs::none, std::uint64_t seed = 5) {
  return {size, signs, seed};
}

floats integers(std::size_t count, std::mt19937& random) {
  floats x(count);
  for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 257) - 128);
  return x;
}

floats patterns(std::size_t count, std::mt19937& random) {
  floats x(count);
  for (float& value : x) {
    value = mx::float_of((random() & 0x807FFFFFU) | (110U + random() % 30U) << 23);
  }
  return x;
}

/// Sylvester's matrix by halves: H(2n) x = (H a + H b, H a - H b). The sums of the machine round.
floats halves(const floats& x) {
  if (x.size() == 1) return x;
  const auto middle = x.begin() + static_cast<std::ptrdiff_t>(x.size() / 2);
  const floats a = halves({x.begin(), middle}), b = halves({middle, x.end()});
  floats y;
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(a[i] + b[i]);
  for (std::size_t i = 0; i < a.size(); ++i) y.push_back(a[i] - b[i]);
  return y;
}

floats rotated(const rotation& r, floats x) {
  mx::rotate(r, x.data(), static_cast<int>(x.size()));
  return x;
}

floats rotated_back(const rotation& r, floats x) {
  mx::rotate_back(r, x.data(), static_cast<int>(x.size()));
  return x;
}

bool same_bits(const floats& a, const floats& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (mx::bits_of(a[i]) != mx::bits_of(b[i])) return false;
  }
  return a.size() == b.size();
}

double energy(const floats& x) {
  double sum = 0;
  for (const float value : x) sum += double{value} * double{value};
  return sum;
}

TEST_CASE("every_sum_is_rounded_in_the_order_of_growing_strides_and_then_the_factor") {
  std::mt19937 random(1);
  for (const int size : sizes) {
    const auto root = static_cast<float>(1 / std::sqrt(static_cast<double>(size)));
    CHECK(mx::bits_of(mx::rotation_factor(size)) == mx::bits_of(root));
    for (int i = 0; i < 50; ++i) {
      const floats x = patterns(static_cast<std::size_t>(size), random);
      floats expected = halves(x);
      for (float& value : expected) value *= root;
      REQUIRE(same_bits(rotated(of(size), x), expected));
    }
  }
}

TEST_CASE("the_entries_of_the_matrix_are_signs_by_the_parity_of_common_bits") {
  for (const int size : sizes) {
    for (int column = 0; column < size; ++column) {
      floats unit(static_cast<std::size_t>(size), 0.0F);
      unit[static_cast<std::size_t>(column)] = 1.0F;
      const floats y = rotated(of(size), unit);
      for (int row = 0; row < size; ++row) {
        const bool minus = __builtin_parity(static_cast<unsigned>(row & column)) != 0;
        const float factor = mx::rotation_factor(size);
        REQUIRE(y[static_cast<std::size_t>(row)] == (minus ? -factor : factor));
      }
    }
  }
}

TEST_CASE("turning_there_and_back_gives_integers_again_and_keeps_their_energy") {
  std::mt19937 random(2);
  for (const auto signs : {rotation_signs::none, rotation_signs::fixed, rotation_signs::random}) {
    for (const int size : {16, 64}) {  // the factor is a power of two: nothing is rounded
      const floats x = integers(3 * static_cast<std::size_t>(size), random);
      const floats y = rotated(of(size, signs), x);
      CHECK(energy(y) == energy(x));
      CHECK(rotated_back(of(size, signs), y) == x);
      CHECK(rotated(of(size, signs), rotated_back(of(size, signs), x)) == x);
    }
    for (const int size : {32, 128}) {
      const floats x = integers(2 * static_cast<std::size_t>(size), random);
      const floats y = rotated(of(size, signs), x);
      const floats back = rotated_back(of(size, signs), y);
      CHECK(energy(y) == Approx(energy(x)).epsilon(1e-6));
      for (std::size_t i = 0; i < x.size(); ++i) CHECK(back[i] == Approx(x[i]).margin(1e-3));
    }
  }
}

TEST_CASE("signs_are_applied_before_the_matrix_and_taken_back_after_it") {
  std::mt19937 random(3);
  for (const auto signs : {rotation_signs::fixed, rotation_signs::random}) {
    for (const int size : sizes) {
      const rotation r = of(size, signs);
      const floats x = patterns(2 * static_cast<std::size_t>(size), random);
      floats negated = x;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (mx::is_negated(r, static_cast<int>(i) % size)) negated[i] = -x[i];
      }
      CHECK(same_bits(rotated(r, x), rotated(of(size), negated)));
      floats back = rotated_back(of(size), x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (mx::is_negated(r, static_cast<int>(i) % size)) back[i] = -back[i];
      }
      CHECK(same_bits(rotated_back(r, x), back));
    }
  }
}

TEST_CASE("the_fixed_signs_are_transformer_engine_s_sixteen_repeated") {
  constexpr int signs[] = {1, 1, 1, -1, 1, -1, -1, -1, -1, -1, -1, 1, -1, 1, -1, -1};
  for (int i = 0; i < 128; ++i) {
    CHECK(mx::is_negated(of(128, rotation_signs::fixed), i) == (signs[i % 16] < 0));
    CHECK_FALSE(mx::is_negated(of(128), i));
  }
}

TEST_CASE("random_signs_are_the_128_bits_of_one_call_of_a_stream_of_their_own") {
  for (const std::uint64_t seed : {std::uint64_t{0}, std::uint64_t{7}, ~std::uint64_t{0} - 3}) {
    const mx::philox_counter drawn = mx::philox(seed, {{0, 0, 0x48414441, 0}});
    for (int i = 0; i < 128; ++i) {
      CHECK(mx::is_negated(of(128, rotation_signs::random, seed), i) ==
            ((drawn.word[i / 32] >> i % 32 & 1U) == 1));
    }
  }
}

TEST_CASE("random_signs_depend_on_the_seed_alone_and_are_balanced") {
  int minus = 0, changed = 0;
  for (std::uint64_t seed = 0; seed < 64; ++seed) {
    for (int i = 0; i < 128; ++i) {
      const bool negated = mx::is_negated(of(128, rotation_signs::random, seed), i);
      minus += negated ? 1 : 0;
      changed += negated != mx::is_negated(of(128, rotation_signs::random, seed + 1), i) ? 1 : 0;
      REQUIRE(mx::is_negated(of(16, rotation_signs::random, seed), i % 16) ==
              mx::is_negated(of(128, rotation_signs::random, seed), i % 16));
    }
  }
  // 8192 fair coins: within six standard deviations of 45.3.
  CHECK(std::abs(minus - 4096) < 272);
  CHECK(std::abs(changed - 4096) < 272);
}

TEST_CASE("a_rotation_of_size_0_changes_nothing_and_groups_do_not_mix") {
  std::mt19937 random(4);
  const floats x = patterns(64, random);
  CHECK(same_bits(rotated({}, x), x));
  CHECK(same_bits(rotated_back({}, x), x));
  floats with_nan = x;
  with_nan[20] = mx::float_of(mx::nan_bits);
  const floats y = rotated(of(16), with_nan), plain = rotated(of(16), x);
  for (std::size_t i = 0; i < 64; ++i) {
    CHECK(std::isnan(y[i]) == (i / 16 == 1));
    if (i / 16 != 1) CHECK(mx::bits_of(y[i]) == mx::bits_of(plain[i]));
  }
  for (int size = -1; size < 300; ++size) {
    CHECK(mx::is_rotation_size(size) ==
          (size == 0 || size == 16 || size == 32 || size == 64 || size == 128));
  }
}

TEST_CASE("a_group_with_a_nan_is_the_canonical_one_under_every_sign") {
  for (const auto signs : {rotation_signs::none, rotation_signs::fixed, rotation_signs::random}) {
    for (const int size : sizes) {
      for (const std::uint32_t nan : {mx::nan_bits, 0xFFC00000U, 0xFF800001U}) {
        floats x(static_cast<std::size_t>(size), 1.0F);
        x[3] = mx::float_of(nan);
        const floats canonical(x.size(), mx::float_of(mx::nan_bits));
        CHECK(same_bits(rotated(of(size, signs), x), canonical));
        CHECK(same_bits(rotated_back(of(size, signs), x), canonical));
      }
    }
  }
}

constexpr float first_of_a_rotated_ramp() {
  float x[16] = {};
  for (int i = 0; i < 16; ++i) x[i] = static_cast<float>(i);
  mx::rotate({16, rotation_signs::none, 0}, x, 16);
  return x[0];
}
static_assert(first_of_a_rotated_ramp() == 30.0F);  // 120 / 4

}  // namespace
