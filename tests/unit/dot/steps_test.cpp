// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/steps_test.cpp: mx/dot/steps.h: steps of definitions without a device, in any
// format, against rational numbers and the machine's fused multiply-add.
#include <cmath>
#include <random>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "slow_dot.h"

namespace {

using golden::rational;
using mx::formats::binary32;
using slow::codes;

std::mt19937_64 random_source(40);
std::uint32_t below(std::uint32_t bound) {
  return static_cast<std::uint32_t>(random_source() % bound);
}

/// Any finite code of a format.
std::uint32_t finite_code(const mx::format& f) {
  std::uint32_t code = 0;
  do code = static_cast<std::uint32_t>(random_source() >> (64 - f.width()));
  while (mx::decode(f, code).is_special());
  return code;
}

struct word {
  codes a, b, scale_a, scale_b;
  std::uint32_t c;
};

/// C near the products or anywhere; scales near one or anywhere.
word random_word(const mx::dot_model& m, std::size_t k) {
  word w;
  const bool wild = below(3) == 0;
  for (std::size_t i = 0; i < k; ++i) {
    w.a.push_back(finite_code(m.a));
    w.b.push_back(finite_code(m.b));
  }
  const auto block = static_cast<std::size_t>(m.block);
  for (std::size_t i = 0; i * block < k; ++i) {
    for (codes* scales : {&w.scale_a, &w.scale_b}) {
      scales->push_back(m.scale == mx::formats::e8m0 && !wild ? 120 + below(14)
                                                              : finite_code(m.scale));
    }
  }
  w.c = wild ? finite_code(binary32) : (below(1U << 24) % (24U << 23)) + (116U << 23);
  if (below(2) == 0) w.c |= 0x80000000;
  return w;
}

std::uint32_t run(const mx::dot_model& m, const word& w) {
  return mx::dot(m, w.a.data(), w.b.data(), static_cast<int>(w.a.size()), w.c, w.scale_a.data(),
                 w.scale_b.data());
}

rational product_at(const mx::dot_model& m, const word& w, std::size_t i) {
  const auto block = i / static_cast<std::size_t>(m.block);
  return slow::number_of(m.a, w.a[i]).value * slow::number_of(m.b, w.b[i]).value *
         slow::number_of(m.scale, w.scale_a[block]).value *
         slow::number_of(m.scale, w.scale_b[block]).value;
}

rational sum_of(const mx::dot_model& m, const word& w, std::size_t first, std::size_t end) {
  rational sum = 0;
  for (std::size_t i = first; i < std::min(end, w.a.size()); ++i) sum += product_at(m, w, i);
  return sum;
}

rational value_of(std::uint32_t code) { return slow::number_of(binary32, code).value; }
std::uint32_t nearest(const rational& x) {
  return slow::rounded(binary32, x, mx::rounding::ties_to_even);
}

bool same_number(std::uint32_t a, std::uint32_t b) {
  return a == b || ((a | b) & 0x7FFFFFFF) == 0;  // signs of zeros have their own tests
}

/// Steps of `size` products, each added to the previous sum and rounded once.
std::uint32_t chained(const mx::dot_model& m, const word& w, std::size_t size) {
  std::uint32_t sum = w.c;
  for (std::size_t first = 0; first < w.a.size(); first += size) {
    if (mx::decode(binary32, sum).is_special()) return sum;
    sum = nearest(value_of(sum) + sum_of(m, w, first, first + size));
  }
  return sum;
}

const mx::dot_model& model_of(std::string_view name) { return mx::model_named(name)->model; }

/// Operands that a definition accepts.
std::vector<mx::dot_model> variants_of(const mx::dot_model& m) {
  using namespace mx::formats;
  const auto of = [&m](const mx::format& a, const mx::format& b, const mx::format& scale,
                       int block) {
    return mx::with_scales(mx::with_formats(m, a, b), scale, block);
  };
  return {m,
          of(mx::formats::e5m2, mx::formats::e4m3, mx::formats::e8m0, 32),
          of(mx::formats::e2m3, mx::formats::e3m2, mx::formats::e8m0, 16),
          of(mx::formats::int8, mx::formats::e2m1, e8m(4), 8),
          of(mx::formats::e2m1, mx::formats::e2m1, ue4m3, 16),
          of(mx::formats::e4m3, mx::formats::e4m3, binary32, 128),
          of(binary16, bfloat16, mx::formats::e8m0, 32)};
}

TEST_CASE("an_exact_sum_is_rounded_once_to_nearest_or_toward_zero") {
  for (const mx::dot_model& m : variants_of(model_of("exact.rne"))) {
    REQUIRE(mx::is_sound(m));
    mx::dot_model rz = m;
    rz.sum = model_of("exact.rz").sum;
    for (int i = 0; i < 120; ++i) {
      const word w = random_word(m, 1 + below(150));
      const rational sum = value_of(w.c) + sum_of(m, w, 0, w.a.size());
      REQUIRE(same_number(run(m, w), nearest(sum)));
      REQUIRE(same_number(run(rz, w), slow::rounded(binary32, sum, mx::rounding::toward_zero)));
    }
  }
}

TEST_CASE("sequential_adds_one_exact_block_after_the_other") {
  for (const mx::dot_model& m : variants_of(model_of("fp32.sequential"))) {
    for (int i = 0; i < 60; ++i) {
      const word w = random_word(m, 1 + below(150));
      REQUIRE(same_number(run(m, w), chained(m, w, static_cast<std::size_t>(m.block))));
    }
  }
}

TEST_CASE("pairwise_adds_adjacent_blocks_and_c_last") {
  for (const mx::dot_model& m : variants_of(model_of("fp32.pairwise"))) {
    const auto block = static_cast<std::size_t>(m.block);
    for (int i = 0; i < 60; ++i) {
      const word w = random_word(m, 1 + below(static_cast<std::uint32_t>(11 * block)));
      std::vector<std::uint32_t> level;
      bool finite = true;
      for (std::size_t first = 0; first < w.a.size(); first += block) {
        level.push_back(nearest(sum_of(m, w, first, first + block)));
      }
      const auto plus = [&finite](std::uint32_t x, std::uint32_t y) {
        finite = finite && !mx::decode(binary32, x).is_special() &&
                 !mx::decode(binary32, y).is_special();
        return finite ? nearest(value_of(x) + value_of(y)) : 0;
      };
      while (level.size() > 1) {
        std::vector<std::uint32_t> next;
        for (std::size_t j = 0; j + 1 < level.size(); j += 2) {
          next.push_back(plus(level[j], level[j + 1]));
        }
        if (level.size() % 2 == 1) next.push_back(level.back());
        level = next;
      }
      const std::uint32_t wanted = plus(w.c, level[0]);
      if (finite) REQUIRE(same_number(run(m, w), wanted));
    }
  }
}

TEST_CASE("fma_is_the_machine_s_over_dequantized_numbers") {
  for (const mx::dot_model& m : variants_of(model_of("fp32.fma"))) {
    for (int i = 0; i < 100; ++i) {
      const word w = random_word(m, 1 + below(150));
      float sum = mx::float_of(w.c);
      for (std::size_t k = 0; k < w.a.size(); ++k) {
        const auto block = k / static_cast<std::size_t>(m.block);
        const float x = mx::to_binary32(
            mx::multiplied(mx::decode(m.a, w.a[k]), mx::decode(m.scale, w.scale_a[block])));
        const float y = mx::to_binary32(
            mx::multiplied(mx::decode(m.b, w.b[k]), mx::decode(m.scale, w.scale_b[block])));
        sum = std::fma(x, y, sum);
      }
      if (std::isnan(sum)) {
        REQUIRE(run(m, w) == 0x7FC00000);
      } else {
        REQUIRE(same_number(run(m, w), mx::bits_of(sum)));
      }
    }
  }
}

TEST_CASE("without_scales_a_block_is_one_element") {
  const mx::dot_model m =
      mx::with_formats(model_of("fp32.sequential"), mx::formats::bfloat16, mx::formats::bfloat16);
  mx::dot_model no_blocks = mx::with_scales(m, m.scale, 0);
  for (int i = 0; i < 200; ++i) {
    word w = random_word(m, 40);
    w.scale_a = w.scale_b = codes(2, 127);
    REQUIRE(same_number(run(no_blocks, w), chained(m, w, 1)));
    no_blocks.sum = model_of("fp32.fma").sum;
    REQUIRE(same_number(run(no_blocks, w), chained(m, w, 1)));
    no_blocks.sum = model_of("fp32.sequential").sum;
    const std::uint32_t no_scales = mx::dot(m, w.a.data(), w.b.data(), 40, w.c);
    REQUIRE(same_number(no_scales, chained(m, w, 1)));
  }
}

TEST_CASE("a_unit_is_given_zeros_for_what_its_step_lacks_and_a_definition_is_not") {
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands != mx::operands::any) continue;
    mx::dot_model m = mx::with_formats(entry.model, mx::formats::e2m1, mx::formats::e2m1);
    m.block = 0;
    const bool is_unit = entry.name.starts_with("mxdotp") || entry.name.starts_with("vortex");
    const std::uint8_t minus[] = {8, 8, 8}, zero[] = {0, 0, 0};
    CAPTURE(entry.name);
    CHECK(mx::dot(m, minus, zero, 3, 0x80000000) == (is_unit ? 0 : 0x80000000));
  }
}

TEST_CASE("an_infinite_scale_is_a_nan_and_a_negative_one_leaves_zeros_their_signs") {
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands != mx::operands::any) continue;
    const mx::dot_model m =
        mx::with_scales(mx::with_formats(entry.model, mx::formats::e2m1, mx::formats::e2m1),
                        mx::formats::binary32, 16);
    std::uint8_t minus[16], zero[16] = {};
    std::fill(minus, minus + 16, std::uint8_t{8});
    const std::uint32_t negative = 0xC0000000, infinite = 0xFF800000, one = 0x3F800000;
    CAPTURE(entry.name);
    CHECK(mx::dot(m, minus, zero, 16, 0x80000000, &negative, &one) == 0x80000000);
    minus[3] = zero[3] = 2;
    CHECK(mx::dot(m, minus, zero, 16, 0, &negative, &one) == negative);
    CHECK(mx::dot(m, minus, zero, 16, 0, &one, &infinite) == 0x7FC00000);
  }
}

TEST_CASE("a_sum_of_no_products_is_c_as_it_is") {
  const std::uint16_t none[1] = {};
  for (const mx::named_model& entry : mx::model_table) {
    CAPTURE(entry.name);
    CHECK(mx::dot(entry.model, none, none, 0, 0x80000001) == 0x80000001);
  }
}

TEST_CASE("mxdotp_rounds_after_every_sixteen_or_eight_products") {
  for (const std::string_view name : {"mxdotp.e2m1", "mxdotp.e4m3"}) {
    const mx::dot_model& m = model_of(name);
    for (int i = 0; i < 200; ++i) {
      const word w = random_word(m, 64);
      REQUIRE(same_number(run(m, w), chained(m, w, name == "mxdotp.e2m1" ? 16 : 8)));
    }
  }
}

TEST_CASE("vortex_keeps_what_the_window_loses_as_one_bit_below_the_sum") {
  const mx::dot_model& m = model_of("vortex.tfr");
  for (int i = 0; i < 400; ++i) {
    const word w = random_word(m, 8);
    slow::window_terms terms;
    rational exact = value_of(w.c);
    for (std::size_t k = 0; k < 8; ++k) {
      const auto a = slow::number_of(m.a, w.a[k]), b = slow::number_of(m.b, w.b[k]);
      const int scales = slow::number_of(m.scale, w.scale_a[0]).exponent +
                         slow::number_of(m.scale, w.scale_b[0]).exponent;
      terms.add(product_at(m, w, k), a.exponent + b.exponent + scales, -100000);
      exact += product_at(m, w, k);
    }
    terms.add(value_of(w.c), slow::number_of(binary32, w.c).exponent, -100000);
    rational sum = terms.sum(24);
    // The sticky bit: less than any bit of a sum of any size.
    bool lost = false;
    for (const rational& v : terms.values) {
      lost = lost || v != slow::truncated(v, terms.largest() - 24);
    }
    if (lost && sum != 0) sum *= 1 + slow::power_of_two(-60);
    const std::uint32_t wanted = nearest(sum);
    const bool subnormal = (wanted & 0x7F800000) == 0;
    REQUIRE(same_number(run(m, w), subnormal ? 0 : wanted));
  }
}

/// 2 * 448^2 in the first step and back in the second. A product of 2^-6 beside the first is lost
/// when that step is rounded to 24 bits; beside the second it is within the window and remains.
TEST_CASE("pairs_of_four_read_k_mod_4_of_0_and_1_first") {
  const std::uint32_t large = 0x7E, minus_large = 0xFE;
  codes a(32), b(32);
  a[0] = a[1] = b[0] = b[1] = a[2] = a[3] = large;
  b[2] = b[3] = minus_large;
  for (std::size_t at = 4; at < 32; ++at) {
    codes x = a, y = b;
    x[at] = 0x08;  // 2^-6
    y[at] = 0x38;  // 1
    CAPTURE(at);
    const auto sum = mx::dot(model_of("blackwell.mma.e4m3.f32"), x.data(), y.data(), 32, 0U);
    CHECK(mx::float_of(sum) == (at % 4 < 2 ? 0.0F : 0x1p-6F));
  }
}

}  // namespace
