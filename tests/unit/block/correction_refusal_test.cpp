// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/correction_refusal_test.cpp: mx/block/corrected_quantizer.h: refused
// corrections, and padding.
#include <limits>

#include "catch.h"
#include "mx/block/corrected_quantizer.h"

namespace {

using mx::correction_refusal;
using mx::corrections;
using mx::quantization;
using mx::scale_rule;

TEST_CASE("lines_are_padded_to_whole_blocks_and_whole_rotations") {
  const auto length = [](int columns, int turn, std::int64_t count) {
    corrections c;
    c.rotation.size = turn;
    return mx::padded_length({{mx::formats::e2m1, mx::formats::e8m0, 1, columns}}, c, count);
  };
  CHECK(length(32, 0, 0) == 0);
  CHECK(length(32, 0, 1) == 32);
  CHECK(length(32, 0, 32) == 32);
  CHECK(length(32, 64, 65) == 128);
  CHECK(length(24, 16, 1) == 48);
  CHECK(length(7, 128, 900) == 1792);
  CHECK(length(1, 0, 5) == 5);
  CHECK(length(32, 16, (std::int64_t{1} << 40) + 1) == (std::int64_t{1} << 40) + 32);
}

TEST_CASE("every_correction_refusal_has_its_case") {
  const auto of = [](auto change, quantization q = {}) {
    corrections c;
    change(c);
    return mx::refusal_of(q, c);
  };
  const float nan = mx::float_of(mx::nan_bits), inf = std::numeric_limits<float>::infinity();
  CHECK(mx::refusal_of(quantization{}, corrections{}) == correction_refusal::none);
  const quantization tile{{mx::formats::e2m1, mx::formats::e8m0, 2, 16}};
  CHECK(mx::refusal_of(tile, corrections{}) == correction_refusal::none);
  CHECK(of([](corrections& c) { c.gain = mx::pre_gain::three_quarters; }, tile) ==
        correction_refusal::tile);
  CHECK(of([](corrections& c) { c.rotation.size = 8; }) == correction_refusal::rotation);
  CHECK(of([](corrections& c) { c.rotation.size = 128; }) == correction_refusal::none);
  for (const int span : {-32, 16, 33, 1 << 17}) {
    CHECK(of([&](corrections& c) { c.macro_block = span; }) == correction_refusal::macro_block);
    CHECK(of([&](corrections& c) { c.granule = span; }) == correction_refusal::granule);
  }
  CHECK(of([](corrections& c) { c.macro_block = 1 << 16; }) == correction_refusal::none);
  CHECK(of([](corrections& c) { c.granule = 1 << 16; }) == correction_refusal::none);
  // A block that falls back alone is at most as long as a granule.
  const auto quarter = [](corrections& c) { c.alpha = 0.25F; };
  const auto line_of = [](int columns) {
    return quantization{{mx::formats::e2m1, mx::formats::e8m0, 1, columns}};
  };
  CHECK(of(quarter, line_of(1 << 16)) == correction_refusal::none);
  CHECK(of(quarter, line_of((1 << 16) + 1)) == correction_refusal::granule);
  for (const int bits : {0, 17}) {
    CHECK(of([&](corrections& c) { c.macro_bits = bits; }) == correction_refusal::macro_block);
  }
  const auto macro = [](corrections& c) { c.macro_block = 32; };
  CHECK(of(macro) == correction_refusal::none);
  CHECK(of(macro, {{}, scale_rule::ideal}) == correction_refusal::none);
  CHECK(of(macro, {{}, scale_rule::mse}) == correction_refusal::macro_rule);
  CHECK(of(macro, {mx::block_formats::nvfp4, scale_rule::ideal}) == correction_refusal::macro_rule);
  quantization exact{{}, scale_rule::ideal};
  exact.format.precision = mx::scale_precision::exact;
  CHECK(of(macro, exact) == correction_refusal::macro_rule);
  CHECK(of([](corrections& c) { c.gain = mx::pre_gain::three_quarters; },
           {{mx::formats::e2m1, mx::formats::e8m0, 1, 1 << 17}}) == correction_refusal::granule);
  for (const float bad : {nan, inf}) {
    CHECK(of([&](corrections& c) { c.alpha = bad; }) == correction_refusal::number);
    CHECK(of([&](corrections& c) { c.threshold = bad; }) == correction_refusal::number);
  }
  CHECK(of([](corrections& c) { c.threshold = -1.0F; }) == correction_refusal::number);
}

}  // namespace
