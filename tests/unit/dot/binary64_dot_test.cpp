// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/binary64_dot_test.cpp: mx/dot/binary64_dot.h: chains of FP64 fused multiply-adds
// against exact rationals.
#include "mx/dot/binary64_dot.h"

#include <random>
#include <set>
#include <string>
#include <vector>

#include "catch.h"
#include "golden/reference/binary64_dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace tests {
namespace {

using mx::binary64::fused_multiply_add;
using codes64 = std::vector<std::uint64_t>;

std::mt19937_64 random_source(64);

std::uint64_t with_field(std::uint64_t code, std::int64_t field) {
  const auto kept =
      static_cast<std::uint64_t>(std::min<std::int64_t>(std::max<std::int64_t>(field, 0), 2046));
  return (code & 0x800FFFFFFFFFFFFF) | kept << 52;
}
std::int64_t between(std::int64_t low, std::int64_t high) {
  return low +
         static_cast<std::int64_t>(random_source() % static_cast<std::uint64_t>(high - low + 1));
}
/// Few bits set, so that sums meet ties.
std::uint64_t sparse() {
  std::uint64_t bits = random_source();
  for (int k = 0; k < 4; ++k) bits &= random_source();
  return bits;
}

struct triple {
  std::uint64_t a, b, c;
};

triple any_bits() { return {random_source(), random_source(), random_source()}; }

/// C at every distance from the product, where the product's or C's last bits are cut off.
triple at_a_distance() {
  const std::int64_t of_a = between(600, 1400), of_b = between(900, 1100);
  return {with_field(random_source(), of_a), with_field(sparse(), of_b),
          with_field(sparse(), of_a + of_b - 1023 + between(-170, 170))};
}

triple cancelling() {
  const std::uint64_t a = with_field(random_source(), between(600, 1400));
  const std::uint64_t b = with_field(random_source(), between(900, 1100));
  const std::uint64_t near = golden::fused_multiply_add_64(a, b, 0);
  return {a, b, (near ^ mx::binary64::sign_mask) + random_source() % 3 - 1};
}

/// Subnormal results: products about 2^-1075 and below, C subnormal or zero.
triple subnormal() {
  const std::int64_t of_a = between(0, 110);
  return {with_field(sparse(), of_a), with_field(sparse(), between(900, 1060) - of_a),
          random_source() % 3 == 0 ? 0 : with_field(sparse(), between(0, 1))};
}

triple overflowing() {
  const std::int64_t of_a = between(1030, 2046);
  return {with_field(random_source(), of_a), with_field(random_source(), 3069 - of_a),
          with_field(random_source(), between(2040, 2046))};
}

TEST_CASE("one_rounding_of_the_exact_sum_as_in_rational_numbers") {
  for (const auto& draw : {any_bits, at_a_distance, cancelling, subnormal, overflowing}) {
    for (int i = 0; i < 3000; ++i) {
      const triple t = draw();
      CAPTURE(t.a, t.b, t.c);
      REQUIRE(fused_multiply_add(t.a, t.b, t.c) == golden::fused_multiply_add_64(t.a, t.b, t.c));
    }
  }
}

TEST_CASE("zeros_infinities_and_nans_combine_as_in_ieee_754") {
  const std::uint64_t one = std::uint64_t{1023} << 52, minus = mx::binary64::sign_mask;
  codes64 all;
  for (const std::uint64_t x :
       {std::uint64_t{0}, std::uint64_t{1}, one, mx::binary64::infinity_code - 1,
        mx::binary64::infinity_code, mx::binary64::infinity_code + 1, mx::binary64::nan_code}) {
    all.insert(all.end(), {x, x | minus});
  }
  for (const std::uint64_t a : all) {
    for (const std::uint64_t b : all) {
      for (const std::uint64_t c : all) {
        CAPTURE(a, b, c);
        REQUIRE(fused_multiply_add(a, b, c) == golden::fused_multiply_add_64(a, b, c));
      }
    }
  }
}

/// 2^53, then 1 and 1: in this order each 1 is lost; the other way they count.
TEST_CASE("products_are_added_one_by_one_from_c_with_k_ascending") {
  const std::uint64_t one = std::uint64_t{1023} << 52, large = std::uint64_t{1023 + 53} << 52;
  const codes64 a = {large, one, one}, b = {one, one, one}, c = {one, one, large};
  CHECK(mx::binary64::dot(a.data(), b.data(), 3, 0) == large);
  CHECK(mx::binary64::dot(c.data(), b.data(), 3, 0) == large + 1);
  CHECK(mx::binary64::dot(a.data(), b.data(), 0, one) == one);
  for (int word = 0; word < 500; ++word) {
    codes64 x, y;
    for (int k = 0; k < 5; ++k) {
      x.push_back(with_field(random_source(), between(1010, 1040)));
      y.push_back(with_field(random_source(), between(1010, 1040)));
    }
    const std::uint64_t start = with_field(random_source(), between(1000, 1060));
    REQUIRE(mx::binary64::dot(x.data(), y.data(), 5, start) == golden::dot_64(x, y, start));
  }
}

TEST_CASE("models_of_fp64_have_names_of_their_own_that_other_rooms_refuse") {
  std::set<std::string_view> names;
  for (const auto& entry : mx::binary64::model_table) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(mx::binary64::model_named(entry.name) == &entry);
    CHECK(mx::any_model_named(entry.name) == nullptr);
    CHECK_FALSE(entry.source.empty());
    CHECK_THROWS_WITH(mx::model_spelled(entry.name), "the model " + std::string(entry.name) +
                                                         " multiplies FP64 numbers; `mxprism dot` "
                                                         "alone takes them");
  }
  CHECK(mx::binary64::model_named("volta.mma.f64.f64") == nullptr);
}

}  // namespace
}  // namespace tests
