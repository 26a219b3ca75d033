// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/zero_exponent_test.cpp: the exponent of zero terms, shown by the bits that
// it cuts from tiny terms beside them.
#include "catch.h"
#include "dot_case.h"
#include "golden/reference/formats.h"

namespace {

using golden::power_of_two;
using test::dot_case;

struct row {
  int kept;  // exponent of the last bit that is kept beside a zero: e_zero - F
  std::vector<const char*> models;
};

// 2^-149 - tiny is truncated to 0, but to 2^-149 if the tiny term is cut off.
TEST_CASE("beside_a_zero_fp32_sums_end_where_their_table_says") {
  const row table[] = {
      {-156,
       {"ampere.mma.bf16.f32", "ampere.mma.tf32.f32", "ada.mma.bf16.f32", "ada.mma.tf32.f32"}},
      {-158,
       {"hopper.mma.bf16.f32", "hopper.mma.tf32.f32", "hopper.wgmma.bf16.f32",
        "hopper.wgmma.tf32.f32", "blackwell.mma.bf16.f32", "blackwell.mma.tf32.f32",
        "blackwell.tcgen05.bf16.f32", "blackwell.tcgen05.tf32.f32", "rtxblackwell.mma.bf16.f32",
        "rtxblackwell.mma.tf32.f32"}},
  };
  const auto result = [](const char* model, int tiny) {
    return dot_case(model, 4)
        .product(0, power_of_two(-74), power_of_two(-75))
        .product(1, -power_of_two(-74), power_of_two(tiny + 74))
        .result();
  };
  for (const row& each : table) {
    for (const char* model : each.models) {
      INFO(model);
      CHECK(result(model, each.kept) == 0);
      CHECK(result(model, each.kept - 1) == 1);
    }
  }
}

// Hence a zero term matters only if the addend is zero.
TEST_CASE("an_addend_that_is_not_zero_has_the_exponent_of_a_normal_number") {
  const auto four = [](int each) {
    dot_case word("ampere.mma.bf16.f32", 4);
    for (std::size_t k = 0; k < 4; ++k) word.product(k, power_of_two(-74), power_of_two(each + 74));
    return word.addend_bits(1).result();
  };
  CHECK(four(-126 - 24) == 3);
  CHECK(four(-126 - 25) == 1);
}

// Half of the least FP16 number and a tiny term more round up, without it down to even.
TEST_CASE("beside_a_zero_fp16_sums_end_where_their_table_says") {
  const row table[] = {
      {-19 - 23, {"volta.mma.f16.f16"}},
      {-20 - 24, {"turing.mma.f16.f16", "ampere.mma.f16.f16", "ada.mma.f16.f16"}},
      {-21 - 25,
       {"hopper.mma.f16.f16", "hopper.wgmma.f16.f16", "blackwell.mma.f16.f16",
        "blackwell.tcgen05.f16.f16", "rtxblackwell.mma.f16.f16"}},
  };
  const auto result = [](const char* model, int tiny) {
    return dot_case(model, 4)
        .product(0, power_of_two(-12), power_of_two(-13))
        .product(1, power_of_two(-24), power_of_two(tiny + 24))
        .result();
  };
  for (const row& each : table) {
    for (const char* model : each.models) {
      INFO(model);
      CHECK(result(model, each.kept) == 1);
      CHECK(result(model, each.kept - 1) == 0);
    }
  }
  CHECK(dot_case("ampere.mma.f16.f16", 8)
            .codes(0, 0x0c00, 0x0800)
            .codes(1, 0x0002, 0x0004)
            .result() == 0);  // 2^-25 + 2^-45
}

TEST_CASE("beside_a_zero_scaled_sums_end_where_their_table_says") {
  const auto of_32 = [](int tiny) {  // both in one block: 2^-149 and less
    return dot_case("blackwell.mxf8f6f4.e5m2.e5m2", 32)
        .scale(0, 127 - 70, 127 - 70)
        .product(0, power_of_two(-4), power_of_two(-5))
        .product(1, -power_of_two(-4), power_of_two(tiny + 144))
        .result();
  };
  CHECK(of_32(-158) == 0);
  CHECK(of_32(-159) == 1);
  const auto of_64 = [](int tiny) {
    return dot_case("blackwell.mxf4", 64)
        .product(0, 1, 1)
        .scale(0, 127 - 74, 127 - 75)
        .product(32, -1, 1)
        .scale(1, 127 - 74, static_cast<std::uint32_t>(127 + tiny + 74))
        .result();
  };
  CHECK(of_64(-139 - 35) == 0);
  CHECK(of_64(-139 - 36) == 1);
}

}  // namespace
