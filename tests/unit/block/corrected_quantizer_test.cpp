// SPDX-License-Identifier: Apache-2.0
// tests/unit/block/corrected_quantizer_test.cpp: mx/block/corrected_quantizer.h. The results of
// macro blocks, gains and the fallback on everything are tested in
// tests/cross/corrected_cross_test.cpp.
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/block/corrected_quantizer.h"

namespace {

using mx::correction_refusal;
using mx::corrections;
using mx::fallback_mode;
using mx::quantization;
using mx::scale_rule;
using floats = std::vector<float>;

struct result {
  std::vector<std::uint8_t> codes, residual_codes;
  std::vector<std::uint32_t> scales, residual_scales;
  floats values, again;
  mx::line_counts counts;
};

result quantized(const quantization& q, const corrections& c, floats x,
                 const mx::block_numbers& numbers = {},
                 const mx::unpacked& tensor = mx::no_tensor_scale) {
  REQUIRE(mx::refusal_of(q, c) == correction_refusal::none);
  const std::size_t n = x.size();
  const int count = static_cast<int>(n);
  result r{std::vector<std::uint8_t>(n),
           std::vector<std::uint8_t>(n),
           std::vector<std::uint32_t>(n),
           std::vector<std::uint32_t>(n),
           floats(n),
           floats(n),
           {}};
  floats scratch(n);
  std::vector<std::uint16_t> fractions(n), residual_fractions(n);
  const mx::coded_passes passes{
      {r.codes.data(), r.scales.data(), fractions.data()},
      {r.residual_codes.data(), r.residual_scales.data(), residual_fractions.data()}};
  const mx::line_place place{count, tensor, numbers};
  r.counts = mx::quantize_line(q, c, x.data(), place, passes, r.values.data(), scratch.data());
  mx::dequantize_line(q.format, c, passes, place, r.again.data(), scratch.data());
  return r;
}

floats random_line(std::size_t count, std::mt19937& random) {
  floats x(count);
  for (float& value : x) {
    value = mx::float_of((random() & 0x807FFFFFU) | (110U + random() % 18U) << 23);
  }
  return x;
}

bool same_bits(const floats& a, const floats& b) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (mx::bits_of(a[i]) != mx::bits_of(b[i])) return false;
  }
  return a.size() == b.size();
}

corrections fallback(fallback_mode mode, int granule = 0, float threshold = 0.0F) {
  corrections c;
  c.fallback = mode;
  c.granule = granule;
  c.threshold = threshold;
  return c;
}

TEST_CASE("without_corrections_a_line_is_its_blocks") {
  std::mt19937 random(1);
  for (const mx::block_format& f :
       {mx::block_formats::mxfp4, mx::block_formats::nvfp4, mx::block_formats::mxfp8_e5m2}) {
    quantization q{f, scale_rule::rceil, mx::rounding::stochastic, {99, 8}};
    const auto size = static_cast<std::size_t>(f.columns);
    const floats x = random_line(4 * size, random);
    const mx::unpacked tensor = f.has_tensor_scale() ? mx::unpack(0x1.1p-9F) : mx::no_tensor_scale;
    const result r = quantized(q, {}, x, {7, 5}, tensor);
    for (std::size_t block = 0; block < 4; ++block) {
      std::vector<std::uint8_t> codes(size);
      const mx::chosen_scale scale =
          mx::quantize_block(q, x.data() + block * size, tensor, 7 + 5 * block, codes.data());
      REQUIRE(r.scales[block] == scale.code);
      for (std::size_t i = 0; i < size; ++i) {
        REQUIRE(r.codes[block * size + i] == codes[i]);
        const float value = mx::dequantize_element(f, codes[i], scale.code, tensor);
        REQUIRE(mx::bits_of(r.values[block * size + i]) == mx::bits_of(value));
      }
    }
    CHECK(same_bits(r.again, r.values));
  }
}

TEST_CASE("a_line_without_numbers_begins_with_block_0_and_goes_on_one_by_one") {
  std::mt19937 random(9);
  const quantization q{mx::block_formats::mxfp4, mx::scale_rule::floor, mx::rounding::stochastic};
  const floats x = random_line(96, random);
  CHECK(quantized(q, {}, x).codes == quantized(q, {}, x, {0, 1}).codes);
  CHECK(quantized(q, {}, x).codes != quantized(q, {}, x, {1, 1}).codes);
  CHECK(quantized(q, {}, x).codes != quantized(q, {}, x, {0, 2}).codes);
}

TEST_CASE("lines_are_padded_to_whole_blocks_and_whole_rotations") {
  const auto padded = [](int columns, int rotation, std::int64_t count) {
    mx::corrections c;
    c.rotation.size = rotation;
    const mx::quantization q{{mx::formats::e2m1, mx::formats::e8m0, 1, columns}};
    return mx::padded_length(q, c, count);
  };
  CHECK(padded(5, 0, 0) == 0);
  CHECK(padded(5, 0, 6) == 10);
  CHECK(padded(5, 0, 15) == 15);
  CHECK(padded(32, 16, 33) == 64);
  CHECK(padded(32, 128, 33) == 128);
  CHECK(padded(12, 8, 25) == 48);
}

TEST_CASE("a_rotated_line_is_the_line_of_the_rotated_numbers_turned_back") {
  std::mt19937 random(2);
  for (const int size : {16, 32, 64, 128}) {
    corrections c;
    c.rotation = {size, mx::rotation_signs::random, 11};
    for (const fallback_mode mode : {fallback_mode::none, fallback_mode::all}) {
      c.fallback = mode;
      corrections without = c;
      without.rotation = {};
      floats x = random_line(256, random);
      const result turned = quantized({}, c, x);
      mx::rotate(c.rotation, x.data(), 256);
      result expected = quantized({}, without, x);
      mx::rotate_back(c.rotation, expected.values.data(), 256);
      CHECK(turned.codes == expected.codes);
      CHECK(turned.scales == expected.scales);
      CHECK(same_bits(turned.values, expected.values));
      CHECK(same_bits(turned.again, turned.values));
    }
  }
}

TEST_CASE("a_selective_fallback_is_that_on_everything_where_it_falls_back_and_none_elsewhere") {
  std::mt19937 random(3);
  const quantization q{{}, scale_rule::rceil};
  int fallen = 0, kept = 0;
  for (const int granule : {0, 32, 64, 96}) {
    for (int i = 0; i < 40; ++i) {
      const floats x = random_line(256, random);
      const std::size_t span = granule == 0 ? 32 : static_cast<std::size_t>(granule);
      const result none = quantized(q, {}, x), all = quantized(q, fallback(fallback_mode::all), x);
      corrections c = fallback(fallback_mode::selective, granule, 0.004F);
      c.score = static_cast<mx::fallback_score>(i % 3);
      if (i % 3 != 0) c.threshold = i % 3 == 1 ? 1.0F : 3.0F;
      const result some = quantized(q, c, x);
      int found = 0;
      for (std::size_t begin = 0; begin < x.size(); begin += span) {
        const std::size_t end = std::min(begin + span, x.size());
        const auto part = [&](const floats& values) {
          return floats(values.begin() + static_cast<std::ptrdiff_t>(begin),
                        values.begin() + static_cast<std::ptrdiff_t>(end));
        };
        const int length = static_cast<int>(end - begin);
        const mx::unpacked amax = mx::extent_of(x.data() + begin, length).amax;
        const bool falls =
            mx::is_fallen_back(c.score, c.threshold,
                               mx::granule_energy_of(q.format.element, x.data() + begin,
                                                     none.codes.data() + begin, length, amax),
                               length, amax);
        found += falls ? 1 : 0;
        // A negative zero of the first pass plus a residual of +0 is +0.
        floats expected = falls ? part(all.values) : part(none.values);
        if (!falls) {
          for (float& value : expected) value += 0.0F;
        }
        REQUIRE(same_bits(part(some.values), expected));
        for (std::size_t at = begin; !falls && at < end; ++at) {
          REQUIRE(some.residual_codes[at] == 0);
          REQUIRE(some.residual_scales[at / 32] == 0);
        }
      }
      REQUIRE(some.counts.fallen_back == found);
      REQUIRE(same_bits(some.again, some.values));
      fallen += found;
      kept += static_cast<int>((x.size() + span - 1) / span) - found;
    }
  }
  CHECK(fallen > 50);
  CHECK(kept > 50);
}

TEST_CASE("special_blocks_are_counted_and_spoil_nothing_but_themselves") {
  std::mt19937 random(4);
  for (const fallback_mode mode :
       {fallback_mode::none, fallback_mode::all, fallback_mode::selective}) {
    floats x = random_line(128, random);
    const corrections c = fallback(mode, 64);
    const result plain = quantized({}, c, x);
    x[40] = std::numeric_limits<float>::infinity();
    const result r = quantized({}, c, x);
    CHECK(r.counts.special_blocks == 1);
    for (std::size_t i = 0; i < 128; ++i) {
      CHECK(std::isnan(r.values[i]) == (i / 32 == 1));
      if (i / 64 == 1) CHECK(mx::bits_of(r.values[i]) == mx::bits_of(plain.values[i]));
    }
    CHECK(r.scales[1] == 255);
  }
}

TEST_CASE("the_residual_makes_the_error_smaller") {
  std::mt19937 random(5);
  double without = 0, with = 0;
  corrections c = fallback(fallback_mode::all);
  c.alpha = 1.0F;
  for (int i = 0; i < 50; ++i) {
    const floats x = random_line(64, random);
    const result one = quantized({}, {}, x), two = quantized({}, c, x);
    for (std::size_t j = 0; j < 64; ++j) {
      without += std::fabs(double{x[j]} - double{one.values[j]});
      with += std::fabs(double{x[j]} - double{two.values[j]});
    }
    CHECK(two.counts.fallen_back == 2);
  }
  CHECK(with < 0.4 * without);
}

}  // namespace
