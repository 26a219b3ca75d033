// SPDX-License-Identifier: Apache-2.0
// tests/kernels/values/values_test.cpp: products of FP32 numbers by the kernels' bodies, every bit
// of every result against mx::multiply and mx::add_leaves.
#include <algorithm>
#include <bit>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/tensor/bulk.h"
#include "tests/kernels/grid/host_values.h"

namespace {

using mx::kernels::launch_error;
using mx::kernels::value_leaf;
using mx::kernels::value_leaves_request;
using mx::kernels::value_product_request;
using floats = std::vector<float>;

constexpr float untouched = -77.0F;

/// Numbers of many magnitudes, zeros of both signs and subnormals among them.
floats drawn(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  floats result(count);
  for (float& x : result) {
    const auto word = static_cast<std::uint32_t>(random());
    const std::uint32_t exponent = word % 16 == 0 ? 0 : 115 + word % 25;
    x = std::bit_cast<float>((word & 0x807FFFFFU) | exponent << 23U);
    if (word % 31 == 0) x = std::copysign(0.0F, x);
  }
  return result;
}

std::size_t different(const floats& a, const floats& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    count += std::bit_cast<std::uint32_t>(a[i]) != std::bit_cast<std::uint32_t>(b[i]) ? 1 : 0;
  }
  return count;
}

struct product_sizes {
  int rows, columns, k, pad;  ///< pad: of every line
};

std::size_t wrong_of_product(const product_sizes& s) {
  const auto size = [](int lines, int stride) {
    return static_cast<std::size_t>(lines) * static_cast<std::size_t>(stride);
  };
  const int a_stride = s.k + s.pad, b_stride = s.columns + s.pad, c_stride = s.columns + s.pad;
  const floats a = drawn(size(s.rows, a_stride), 3), b = drawn(size(s.k, b_stride), 4);
  mx::packed_matrix packed(s.k, s.columns);
  packed.set_columns(0, s.columns, b.data(), b_stride);
  floats expected(size(s.rows, c_stride), untouched), found = expected;
  mx::multiply(s.rows, a.data(), a_stride, packed, expected.data(), c_stride);
  const auto answer = kernels_test::multiply(
      {s.rows, s.columns, s.k, a.data(), a_stride, b.data(), b_stride, found.data(), c_stride});
  REQUIRE(answer.is_done());
  return different(expected, found);
}

TEST_CASE("a_product_of_values_has_the_bits_of_the_bulk_functions") {
  for (const product_sizes& s : {product_sizes{1, 1, 1, 0},
                                 {3, 5, 0, 0},
                                 {64, 64, 16, 0},
                                 {65, 130, 33, 0},
                                 {70, 96, 128, 5},
                                 {17, 200, 15, 3}}) {
    CAPTURE(s.rows, s.columns, s.k, s.pad);
    CHECK(wrong_of_product(s) == 0);
  }
}

/// A chain that ends in -0, which another product of zeros would turn into +0.
TEST_CASE("nothing_is_multiplied_beyond_k") {
  for (int k : {1, 15, 16, 17}) {
    const floats a(static_cast<std::size_t>(k), -0x1p-140F),
        b(static_cast<std::size_t>(k), 0x1p-20F);
    floats c(1, untouched);
    REQUIRE(kernels_test::multiply({1, 1, k, a.data(), k, b.data(), 1, c.data(), 1}).is_done());
    CHECK(std::bit_cast<std::uint32_t>(c[0]) == 0x80000000U);
  }
}

struct leaf_sizes {
  int m, n, first, count;
};

/// Levels that both sides begin with, as if `first` leaves had been added.
std::vector<floats> begun_levels(const leaf_sizes& s) {
  std::vector<floats> levels;
  for (int at = 0; (s.first + s.count) >> at != 0; ++at) {
    levels.push_back(drawn(static_cast<std::size_t>(s.m) * static_cast<std::size_t>(s.n),
                           50 + static_cast<unsigned>(at)));
  }
  return levels;
}

std::vector<float*> pointers_of(std::vector<floats>& levels) {
  std::vector<float*> result;
  for (floats& level : levels) result.push_back(level.data());
  return result;
}

std::size_t wrong_of_leaves(const leaf_sizes& s, int pad) {
  const int left_stride = s.m + pad, right_stride = s.n + pad;
  std::vector<floats> factors;
  std::vector<mx::outer_product> bulk;
  std::vector<value_leaf> leaves;
  for (int i = 0; i < s.count; ++i) {
    const int k = (i * 7 + 3) % 33;
    factors.push_back(
        drawn(static_cast<std::size_t>(k * left_stride), 100 + static_cast<unsigned>(i)));
    factors.push_back(
        drawn(static_cast<std::size_t>(k * right_stride), 200 + static_cast<unsigned>(i)));
    const float *left = factors[factors.size() - 2].data(), *right = factors.back().data();
    bulk.push_back({k, left, right});
    leaves.push_back({left, right, k});
  }
  std::vector<floats> expected = begun_levels(s), found = expected;
  const auto to = pointers_of(expected), levels = pointers_of(found);
  mx::add_leaves({bulk, s.first, s.m, 0, s.m, s.n, left_stride, right_stride, to.data()});
  const auto answer = kernels_test::add_leaves(
      {leaves.data(), s.count, s.first, s.m, s.n, left_stride, right_stride, levels.data()});
  REQUIRE(answer.is_done());
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < expected.size(); ++i) wrong += different(expected[i], found[i]);
  return wrong;
}

TEST_CASE("leaves_are_carried_into_the_levels_of_the_bulk_functions") {
  for (const leaf_sizes& s :
       {leaf_sizes{1, 16, 0, 1}, {48, 128, 0, 8}, {65, 80, 5, 6}, {13, 48, 3, 1}}) {
    for (const int pad : {0, 3}) {
      CAPTURE(s.m, s.n, s.first, s.count, pad);
      CHECK(wrong_of_leaves(s, pad) == 0);
    }
  }
}

TEST_CASE("a_leaf_that_ends_in_minus_zero_counts_as_plus_zero") {
  const float left = -0x1p-140F;
  const floats right(16, 0x1p-20F);
  floats level(16, untouched);
  float* levels = level.data();
  const value_leaf leaf{&left, right.data(), 1};
  REQUIRE(kernels_test::add_leaves({&leaf, 1, 0, 1, 16, 1, 16, &levels}).is_done());
  CHECK(different(level, floats(16, 0.0F)) == 0);
}

TEST_CASE("a_product_of_values_that_cannot_be_computed_is_refused") {
  floats memory(64, untouched);
  float* x = memory.data();
  const value_product_request good{2, 4, 3, x, 3, x + 8, 4, x + 32, 4};
  REQUIRE(kernels_test::multiply(good).is_done());
  const auto refused = [&](auto change) {
    value_product_request r = good;
    change(r);
    return kernels_test::multiply(r);
  };
  using r = value_product_request;
  CHECK(refused([](r& q) { q.rows = -1; }).error == launch_error::shape);
  CHECK(refused([](r& q) { q.k = (std::int64_t{1} << 30) + 1; }).error == launch_error::size);
  CHECK(refused([](r& q) {
          q.rows = q.columns = std::int64_t{1} << 20;
          q.b_stride = q.c_stride = q.columns;
        }).error == launch_error::size);
  CHECK(refused([](r& q) { q.a_stride = 2; }).error == launch_error::too_small);
  CHECK(refused([](r& q) { q.a = nullptr; }).error == launch_error::null_pointer);
  CHECK(refused([](r& q) {
          q.b = reinterpret_cast<const float*>(reinterpret_cast<const char*>(q.b) + 2);
        }).error == launch_error::misaligned);
  CHECK(refused([&](r& q) { q.c = x + 5; }).error == launch_error::overlapping);
  CHECK(refused([](r& q) {
          q.rows = 0;
          q.c = nullptr;
        }).is_done());
  CHECK(refused([](r& q) {
          q.k = 0;
          q.a = q.b = nullptr;
        }).is_done());
}

TEST_CASE("leaves_that_cannot_be_added_are_refused") {
  floats memory(64, 1.0F);
  const value_leaf leaf{memory.data(), memory.data() + 8, 1};
  float* level = memory.data() + 32;
  const value_leaves_request good{&leaf, 1, 0, 2, 4, 2, 4, &level};
  REQUIRE(kernels_test::add_leaves(good).is_done());
  const auto refused = [&](auto change) {
    value_leaves_request r = good;
    change(r);
    return kernels_test::add_leaves(r).error;
  };
  using r = value_leaves_request;
  CHECK(refused([](r& q) { q.count = -1; }) == launch_error::shape);
  CHECK(refused([](r& q) { q.first = 2147483647; }) == launch_error::size);
  CHECK(refused([](r& q) { q.left_stride = 1; }) == launch_error::too_small);
  CHECK(refused([](r& q) { q.leaves = nullptr; }) == launch_error::null_pointer);
  CHECK(refused([](r& q) { q.levels = nullptr; }) == launch_error::null_pointer);
  CHECK(refused([](r& q) {
          q.count = 0;
          q.leaves = nullptr;
        }) == launch_error::none);
}

}  // namespace
