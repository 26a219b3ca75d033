// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bfloat16_pairs_test.cpp: the guarantees of pairs, computed by one instruction on
// the device and by the core on the CPU; kernels/verify compares both on a device.
#include "bfloat16_pairs.h"

#include "catch.h"

using namespace mx;
using namespace mx::kernels;

TEST_CASE("halves_are_apart") {
  CHECK(pairs::larger(0x7FFF0001, 0x00017FFF) == 0x7FFF7FFF);
  CHECK(pairs::smaller(0x7FFF0001, 0x00017FFF) == 0x00010001);
  CHECK(pairs::larger(0xFFFF0000, 0x00000001) == 0xFFFF0001);
  CHECK(pairs::both(0xABCD) == 0xABCDABCD);
}

TEST_CASE("products_and_sums_are_rounded_once_to_nearest_even") {
  CHECK(pairs::multiplied(0x3F813F80, 0x3F813F80) == 0x3F823F80);  // 1.0078125^2
  CHECK(pairs::multiplied(0x00010080, 0x3F003F00) == 0x00000040);  // a tie below the smallest
  CHECK(pairs::added(0x3F003E80, 0x42804280) == 0x42814280);       // 64.5 and the tie at 64.25
  CHECK(pairs::added(0x3F403E81, 0x42804280) == 0x42824281);       // the tie at 64.75, above 64.25
  CHECK(pairs::added(0x00000001, 0x42804280) == 0x42804280);
}

TEST_CASE("every_binary16_number_is_widened_exactly") {
  for (std::uint32_t code = 0; code < 0x10000; ++code) {
    const float wide = pairs::widened_binary16(code);
    const std::uint32_t back =
        encode<formats::binary16>(unpack(wide), rounding::ties_to_even, overflow::to_infinity);
    const bool is_nan = (code & 0x7FFF) > 0x7C00;
    if (!is_nan && back != code) FAIL(code);
  }
}

TEST_CASE("pairs_of_results_hold_the_first_number_low") {
  CHECK(pairs::bfloat16_pair(1.0F, -2.0F) == 0xC0003F80);
  CHECK(pairs::bfloat16_pair(0x1.01p0F, 0x1.03p0F) == 0x3F823F80);  // ties
  CHECK(pairs::bfloat16_pair(0x1.ffp127F, 0x1p-133F) == 0x00017F80);
  CHECK(pairs::binary16_pair(1.0F, 65520.0F) == 0x7C003C00);
  CHECK(pairs::binary16_pair(0x1p-24F, 0x1p-25F) == 0x00000001);
}
