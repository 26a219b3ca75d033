// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/wgmma_products_test.cpp: E2M1 through E4M3 on Hopper's tensor cores is exact,
// as in their model, and its steps are those of bytes.
#include "gemm/wgmma_products.h"

#include <vector>

#include "catch.h"
#include "gemm/fragment.h"
#include "products.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// 32 codes of a kind: any; the largest of one sign or of both; some zeros, the smallest and the
/// largest; cancelling ones.
std::vector<std::uint8_t> drawn_codes(int kind, std::uint64_t seed) {
  std::vector<std::uint8_t> codes;
  for (std::uint64_t i = 0; i < 32; ++i) {
    const std::uint32_t word = drawn(seed, i);
    constexpr std::uint8_t some[] = {0, 8, 1, 9, 7, 15, 1, 7};
    std::uint32_t code = word & 15;
    if (kind == 1) code = 7;
    if (kind == 2) code = 7 | (word & 8);
    if (kind == 3) code = some[word & 7];
    if (kind == 4) code = 7 | (i % 2 << 3);
    codes.push_back(static_cast<std::uint8_t>(code));
  }
  return codes;
}

std::uint32_t e4m3_sum(const std::vector<std::uint8_t>& x, const std::vector<std::uint8_t>& y) {
  const auto widened = [](std::vector<std::uint8_t> codes) {
    for (std::uint8_t& code : codes)
      code = static_cast<std::uint8_t>(e4m3_products::bytes_of(code));
    return codes;
  };
  const std::vector<std::uint8_t> a = widened(x), b = widened(y);
  return dot(model_named("hopper.wgmma.e4m3.f32")->model, a.data(), b.data(), 32, 0);
}

int integer_sum(const std::vector<std::uint8_t>& x, const std::vector<std::uint8_t>& y) {
  int sum = 0;
  for (std::size_t i = 0; i < 32; ++i) {
    sum += integer_of(formats::e2m1, x[i]) * integer_of(formats::e2m1, y[i]);
  }
  return sum;
}

}  // namespace

TEST_CASE("codes_of_e4m3_are_the_numbers_of_e2m1") {
  for (std::uint32_t code = 0; code < 16; ++code) {
    CHECK(to_binary32(decode<formats::e4m3>(e4m3_products::bytes_of(code) & 0xFF)) ==
          to_binary32(decode<formats::e2m1>(code)));
  }
}

TEST_CASE("sums_of_32_products_of_e2m1_are_exact_on_hopper") {
  for (std::uint64_t seed = 0; seed < 40000; ++seed) {
    const auto x = drawn_codes(static_cast<int>(seed % 5), 2 * seed);
    const auto y = drawn_codes(static_cast<int>(seed / 5 % 5), 2 * seed + 1);
    const float found = float_of(e4m3_sum(x, y));
    if (found * 4 != static_cast<float>(integer_sum(x, y))) FAIL("seed " << seed << ": " << found);
  }
}

TEST_CASE("no_sum_is_minus_zero") {
  const std::vector<std::uint8_t> none(32, 0), negative(32, 9);
  CHECK(e4m3_sum(none, negative) == 0);
  CHECK(e4m3_sum(drawn_codes(4, 0), drawn_codes(1, 0)) == 0);
}

TEST_CASE("a_block_through_e4m3_is_the_block_through_bytes") {
  for (int pair = 0; pair < 65536; ++pair) {
    const auto seed = static_cast<std::uint64_t>(pair);
    const std::uint32_t a = seed & 0xFF, b = seed >> 8;
    if (a > largest_row_code && a != 255) continue;
    const int sum = static_cast<int>(drawn(seed, 0) % 9217) - 4608;
    const float acc = float_of(drawn(seed, 1) & 0xFF7FFFFF);
    const auto one = row_factor::of(byte_products::factor<formats::e8m0>(gemm_side::row, a));
    const auto other = row_factor::of(e4m3_products::factor<formats::e8m0>(gemm_side::row, a));
    const float expected =
        sequential_step(acc, byte_products::sum_of(sum), one,
                        byte_products::factor<formats::e8m0>(gemm_side::column, b));
    const float found =
        sequential_step(acc, e4m3_products::sum_of(static_cast<float>(sum) / 4), other,
                        e4m3_products::factor<formats::e8m0>(gemm_side::column, b));
    const bool agree =
        bits_of(found) == bits_of(expected) || (found != found && expected != expected);
    if (!agree) FAIL("scales " << a << " and " << b << ", sum " << sum << ": " << found);
  }
}
