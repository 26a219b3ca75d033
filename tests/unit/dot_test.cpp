// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot_test.cpp: mx/dot.h: what NaN, Inf and zeros give, and what holds whatever the operands
// are: order within a step, negation, shifts of scales, chains, and where sums are not monotone.
#include <algorithm>
#include <cmath>
#include <random>
#include <vector>

#include "catch.h"
#include "mx/dot.h"
#include "mx/fp32.h"
#include "mx/models.h"

namespace {

using codes = std::vector<std::uint32_t>;

const mx::dot_model& model_of(std::string_view name) {
  CAPTURE(name);
  REQUIRE(mx::model_named(name) != nullptr);
  return mx::model_named(name)->model;
}

std::uint32_t code_of(const mx::format& f, double value) {
  const auto x = mx::unpack(static_cast<float>(value));
  return mx::encode(f, x, mx::rounding::ties_to_even, mx::overflow::saturate);
}

/// An element's code in its container: TF32 lies in the upper bits of 32.
std::uint32_t stored(const mx::dot_model& model, const mx::format& f, double value) {
  return code_of(f, value) << model.unread_bits;
}

std::uint32_t run(const mx::dot_model& model, const codes& a, const codes& b, std::uint32_t c,
                  const codes& scale_a = {}, const codes& scale_b = {}) {
  return mx::dot(model, a.data(), b.data(), static_cast<int>(a.size()), c,
                 scale_a.empty() ? nullptr : scale_a.data(),
                 scale_b.empty() ? nullptr : scale_b.data());
}

float value_of(const mx::dot_model& model, std::uint32_t code) {
  return mx::to_binary32(mx::decode(model.sum.result, code));
}

/// 2^23 - 2^23 - 0.5 - 0.25 - 0.125, C first: what a window keeps of the last three.
struct witness {
  const char* model;
  float sum;
};

TEST_CASE("each_family_keeps_its_own_part_of_what_stands_below_2_to_the_23") {
  const witness witnesses[] = {{"volta.mma.f16.f32", 0},
                               {"turing.mma.f16.f32", -0.5F},
                               {"ampere.mma.f16.f32", -0.5F},
                               {"ampere.mma.bf16.f32", -0.5F},
                               {"ampere.mma.tf32.f32", -0.5F},
                               {"ada.mma.bf16.f32", -0.5F},
                               {"ada.mma.e5m2.f32", 0},
                               {"hopper.wgmma.e5m2.f32", 0},
                               {"hopper.mma.f16.f32", -0.75F},
                               {"hopper.wgmma.bf16.f32", -0.75F},
                               {"blackwell.tcgen05.e5m2.f32", -0.75F},
                               {"blackwell.tcgen05.f16.f32", -0.75F},
                               {"rtxblackwell.mma.e5m2.f32", -0.75F},
                               {"blackwell.mxf8f6f4.e5m2.e5m2", -0.75F},
                               {"cdna1.mfma.f16.f32", -0.875F},
                               {"cdna1.mfma.bf16.f32", -0.875F},
                               {"cdna2.mfma.bf16.f32", -0.375F},
                               {"cdna2.mfma.bf16_1k.f32", 0},
                               {"cdna2.mfma.f16.f32", 0},
                               {"cdna3.mfma.f16.f32", -0.5F},
                               {"cdna3.mfma.bf16.f32", -0.5F},
                               {"cdna3.mfma.e5m2fnuz.f32", -1.0F},
                               {"exact.rne", -0.875F},
                               {"fp32.fma", -0.875F}};
  for (const witness& w : witnesses) {
    mx::dot_model model = model_of(w.model);
    if (mx::model_named(w.model)->operands == mx::operands::any) {
      model = mx::with_formats(model, mx::formats::binary16, mx::formats::binary16);
    }
    const auto element = [&model](double x) { return stored(model, model.a, x); };
    const codes a = {element(-8192), element(-0.5), element(-0.25), element(-0.125)};
    const codes b = {element(1024), element(1), element(1), element(1)};
    CAPTURE(w.model);
    CHECK(value_of(model, run(model, a, b, mx::bits_of(8388608.0F))) == w.sum);
  }
}

TEST_CASE("grouped_fp4_keeps_all_of_the_witness") {
  const mx::dot_model& model = model_of("blackwell.mxf4");
  codes a(64), b(64);
  a[0] = code_of(model.a, -4);  // -16 * 2^19
  b[0] = code_of(model.b, 4);
  a[32] = a[33] = code_of(model.a, -1);  // (-1 - 0.5 - 0.25) * 2^-1
  b[32] = code_of(model.b, 1);
  b[33] = code_of(model.b, 0.5);
  a[34] = code_of(model.a, -0.5);
  b[34] = code_of(model.b, 0.5);
  CHECK(value_of(model, run(model, a, b, mx::bits_of(8388608.0F), {127 + 11, 126},
                            {127 + 8, 127})) == -0.875F);
}

bool is_device(const mx::named_model& entry) { return entry.operands == mx::operands::of_model; }
bool is_nvidia(const mx::named_model& entry) {
  return is_device(entry) && entry.name.substr(0, 4) != "cdna";
}

std::uint32_t one(const mx::dot_model& m, const mx::format& f) { return stored(m, f, 1); }

TEST_CASE("nan_anywhere_is_the_one_nan_of_the_model") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    CAPTURE(entry.name);
    const std::uint32_t nan = m.sum.nan_code;
    if (is_nvidia(entry)) CHECK(nan == (m.sum.result.width() == 16 ? 0x7FFF : 0x7FFFFFFF));
    const codes a(32, one(m, m.a)), b(32, one(m, m.b));
    const std::uint32_t c_nan = m.sum.result.nan_code() | m.sum.result.sign_mask();
    CHECK(run(m, a, b, c_nan) == nan);
    if (!m.a.has_nan()) continue;
    codes with_nan = a;
    with_nan[5] = m.a.nan_code() << m.unread_bits;
    CHECK(run(m, with_nan, b, 0) == nan);
    codes zeros = b;
    zeros[5] = 0;
    CHECK(run(m, with_nan, zeros, 0) == nan);
  }
}

TEST_CASE("inf_times_zero_and_inf_minus_inf_are_nan_and_inf_passes_through") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    const mx::format& out = m.sum.result;
    const std::uint32_t inf = out.infinity_code(), minus_inf = inf | out.sign_mask();
    CAPTURE(entry.name);
    const codes a(32, one(m, m.a)), b(32, one(m, m.b));
    CHECK(run(m, a, b, inf) == inf);
    CHECK(run(m, a, b, minus_inf) == minus_inf);
    if (m.a.specials != mx::specials::ieee) continue;
    codes with_inf = a;
    with_inf[3] = (m.a.infinity_code() | m.a.sign_mask()) << m.unread_bits;
    CHECK(run(m, with_inf, b, 0) == minus_inf);
    CHECK(run(m, with_inf, b, inf) == m.sum.nan_code);
    with_inf[9] = m.a.infinity_code() << m.unread_bits;
    CHECK(run(m, with_inf, b, 0) == m.sum.nan_code);
    with_inf[9] = a[9];
    codes with_zero = b;
    with_zero[3] = 0;
    CHECK(run(m, with_inf, with_zero, 0) == m.sum.nan_code);
  }
}

/// 1 - 1 under a scale of 2^40 and 1 under one of 1: the window of 2^40 ends at 2^5.
TEST_CASE("a_group_that_cancels_keeps_its_scales_exponent_and_one_of_zeros_does_not") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  codes a(64), b(64, code_of(m.a, 1));
  a[0] = code_of(m.a, 1);
  a[1] = code_of(m.a, -1);
  a[32] = code_of(m.a, 1);
  CHECK(run(m, a, b, 0, {167, 127}, {127, 127}) == 0);
  a[0] = a[1] = 0;
  CHECK(value_of(m, run(m, a, b, 0, {167, 127}, {127, 127})) == 1.0F);
}

TEST_CASE("a_nan_scale_decides_even_over_zeros_and_inf") {
  for (const std::string_view name :
       {"blackwell.mxf4", "blackwell.mxf4nvf4", "blackwell.mxf8f6f4.e4m3.e4m3", "exact.rne",
        "fp32.fma", "fp32.sequential", "fp32.pairwise"}) {
    const mx::dot_model& m = model_of(name);
    const auto count = static_cast<std::size_t>(64 / m.block);
    const codes zeros(64), ones(64, code_of(m.a, 1));
    const codes good(count, m.scale.width() == 8 ? 127 : 0x38);
    CAPTURE(name);
    for (std::size_t at = 0; at < count; ++at) {
      codes bad = good;
      bad[at] = m.scale.nan_code();
      CHECK(run(m, zeros, zeros, 0, bad, good) == m.sum.nan_code);
      CHECK(run(m, zeros, zeros, 0, good, bad) == m.sum.nan_code);
      CHECK(run(m, ones, ones, 0x7F800000, good, bad) == m.sum.nan_code);
    }
  }
}

TEST_CASE("bit_7_of_a_ue4m3_scale_is_not_read") {
  const mx::dot_model& m = model_of("blackwell.mxf4nvf4");
  const codes ones(64, code_of(m.a, 1));
  for (std::uint32_t scale = 0; scale < 128; ++scale) {
    const codes low(4, scale), high(4, scale | 0x80), unit(4, 0x38);
    CHECK(run(m, ones, ones, 0, low, unit) == run(m, ones, ones, 0, high, unit));
  }
  CHECK(run(m, ones, ones, 0, codes(4, 0xFF), codes(4, 0x38)) == m.sum.nan_code);
  // 2^-9, the smallest subnormal: 64 products of one.
  CHECK(value_of(m, run(m, ones, ones, 0, codes(4, 1), codes(4, 0x38))) == 0.125F);
}

TEST_CASE("scale_bytes_0_and_254_are_powers_of_two_like_all_others") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  const codes ones(64, code_of(m.a, 1));
  CHECK(value_of(m, run(m, ones, ones, 0, {0, 0}, {254, 254})) == 64.0F);
  CHECK(value_of(m, run(m, ones, ones, 0, {254, 254}, {127, 127})) == mx::fp32::infinity(false));
  CHECK(value_of(m, run(m, ones, ones, 0, {0, 0}, {121, 121})) == 0x1p-127F);  // a subnormal
  CHECK(run(m, ones, ones, 0, {0, 0}, {0, 0}) == 0);
}

TEST_CASE("overflow_is_inf_under_rounding_toward_zero_too") {
  const mx::dot_model& bf16 = model_of("ampere.mma.bf16.f32");
  const codes large(8, code_of(bf16.a, 0x1p127)), two(8, code_of(bf16.a, -1));
  CHECK(run(bf16, large, two, 0) == 0xFF800000);
  const codes largest = {code_of(bf16.a, 0x1.fep127)}, unit = {code_of(bf16.a, 1)};
  // Below 2^128 what is cut off does not overflow.
  CHECK(run(bf16, largest, unit, mx::bits_of(0x1.fffffep119F)) == 0x7F7FFFFF);
  const mx::dot_model& f16 = model_of("ampere.mma.f16.f16");
  CHECK(run(f16, codes(8, 0x7BFF), codes(8, 0x3C00), 0) == 0x7C00);
}

TEST_CASE("subnormals_are_read_and_written") {
  const mx::dot_model& f16 = model_of("hopper.mma.f16.f32");
  CHECK(value_of(f16, run(f16, {1}, {0x3C00}, 0)) == 0x1p-24F);
  CHECK(run(f16, {0}, {0}, 1U) == 1U);
  const mx::dot_model& bf16 = model_of("hopper.mma.bf16.f32");
  const codes tiny = {code_of(bf16.a, 0x1p-100)}, small = {code_of(bf16.a, 0x1p-49)};
  CHECK(run(bf16, tiny, small, 0) == 1U);  // 2^-149
  CHECK(run(bf16, tiny, {code_of(bf16.a, -0x1p-50)}, 0) ==
        0x80000000);  // a nonzero sum keeps its sign
}

TEST_CASE("a_zero_sum_is_minus_zero_only_where_every_term_is") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (!m.a.has_negative_zero()) continue;
    CAPTURE(entry.name);
    const std::uint32_t minus_zero = m.sum.result.sign_mask();
    const bool never = m.sum.inputs == mx::subnormals::flushed ||  // C becomes +0
                       (m.sum.addend == mx::addend::after_span &&  // a chain that begins at +0
                        m.sum.joining == mx::joining::chained);
    const codes zeros(64, m.a.sign_mask() << m.unread_bits), ones(64, one(m, m.b));
    // A step of a device is filled up with +0, a definition takes fewer products.
    const bool filled_up =
        entry.operands == mx::operands::of_model || m.sum.tail == mx::tail::zeros;
    CHECK(mx::dot(m, zeros.data(), ones.data(), 1, minus_zero) ==
          (never || filled_up ? 0 : minus_zero));
    if (m.sum.group == 16) CHECK(mx::dot(m, zeros.data(), ones.data(), 63, minus_zero) == 0);
    codes mixed = zeros;
    mixed[63] = 0;
    CHECK(run(m, zeros, ones, minus_zero) == (never ? 0 : minus_zero));
    CHECK(run(m, zeros, ones, 0) == 0);
    CHECK(run(m, mixed, ones, minus_zero) == 0);
    const codes minus_ones(64, stored(m, m.a, -1));
    codes alternating = minus_ones;
    for (std::size_t i = 0; i < 64; i += 2) alternating[i] = stored(m, m.a, 1);
    CHECK(run(m, alternating, ones, minus_zero) == 0);
  }
}

TEST_CASE("a_zero_scale_does_not_make_a_term_minus_zero") {
  const mx::dot_model& m = model_of("blackwell.mxf4nvf4");
  const codes minus(64, code_of(m.a, -1)), minus_zeros(64, 8), ones(64, code_of(m.a, 1));
  const codes zero(4, 0), unit(4, 0x38);
  CHECK(run(m, minus, ones, 0x80000000, zero, unit) == 0);
  CHECK(run(m, minus_zeros, ones, 0x80000000, zero, unit) == 0x80000000);
}

// Properties over random words.

struct random_word {
  codes a, b, scale_a, scale_b;
  std::uint32_t c;
};

class words {
 public:
  explicit words(const mx::dot_model& m) : model_(m) {}

  random_word next(std::size_t k) {
    random_word w{elements(model_.a, k), elements(model_.b, k), {}, {}, 0};
    if (model_.block > 0) {
      const std::size_t blocks = k / static_cast<std::size_t>(model_.block);
      w.scale_a = scales(blocks);
      w.scale_b = scales(blocks);
    }
    const mx::format& out = model_.sum.result;
    const int field = out.bias + static_cast<int>(random_() % 24) - 12;
    w.c = (static_cast<std::uint32_t>(field) << out.fraction_bits) |
          (static_cast<std::uint32_t>(random_()) & ((1U << out.fraction_bits) - 1)) |
          (random_() % 2 == 0 ? out.sign_mask() : 0);
    return w;
  }

 private:
  codes elements(const mx::format& f, std::size_t k) {
    codes x(k);
    const std::uint32_t center = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
    for (std::uint32_t& code : x) {
      const std::uint32_t reach = std::min(f.max_code() - center, 6U << f.fraction_bits);
      const std::uint32_t down = std::min(center, 6U << f.fraction_bits);
      const auto magnitude = static_cast<std::uint32_t>(center - down + random_() % (reach + down));
      code = magnitude | (random_() % 2 == 0 && magnitude != 0 ? f.sign_mask() : 0);
      code = code << model_.unread_bits;
    }
    return x;
  }
  codes scales(std::size_t count) {
    codes x(count);
    for (std::uint32_t& s : x) {
      s = static_cast<std::uint32_t>(model_.scale.width() == 8 ? 122 + random_() % 10
                                                               : 16 + random_() % 64);
    }
    return x;
  }

  const mx::dot_model& model_;
  std::mt19937_64 random_{31};
};

std::uint32_t run(const mx::dot_model& m, const random_word& w) {
  return run(m, w.a, w.b, w.c, w.scale_a, w.scale_b);
}

/// Where products of a step may change places: within all of it, a group, or a parity.
TEST_CASE("products_of_a_step_may_change_places") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (!is_device(entry) || m.sum.addend == mx::addend::after_span) continue;
    const auto size = static_cast<std::size_t>(m.sum.group > 1 ? m.sum.group : m.sum.fused);
    const std::size_t stride = m.sum.parity == mx::parity::even_and_odd ? 2 : 1;
    words source(m);
    CAPTURE(entry.name);
    for (int i = 0; i < 100; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      const std::size_t last = size - stride;
      std::swap(w.a[0], w.a[last]);
      std::swap(w.b[0], w.b[last]);
      REQUIRE(run(m, w) == before);
    }
  }
}

TEST_CASE("products_of_different_steps_may_not") {
  const mx::dot_model& m = model_of("ampere.mma.f16.f32");
  words source(m);
  int different = 0;
  for (int i = 0; i < 200; ++i) {
    random_word w = source.next(16);
    const std::uint32_t before = run(m, w);
    std::rotate(w.a.begin(), w.a.begin() + 8, w.a.end());
    std::rotate(w.b.begin(), w.b.begin() + 8, w.b.end());
    different += run(m, w) != before ? 1 : 0;
  }
  CHECK(different > 0);
}

int words_that_break_negation(const mx::dot_model& m) {
  words source(m);
  int broken = 0;
  for (int i = 0; i < 300; ++i) {
    random_word w = source.next(64);
    const std::uint32_t before = run(m, w), sign = m.sum.result.sign_mask();
    for (std::uint32_t& code : w.a) {
      if ((code & (m.a.magnitude_mask() << m.unread_bits)) != 0)
        code ^= m.a.sign_mask() << m.unread_bits;
    }
    w.c ^= sign;
    const bool zero = (before & ~sign) == 0;
    broken += !zero && run(m, w) != (before ^ sign) ? 1 : 0;
  }
  return broken;
}

TEST_CASE("negating_every_term_negates_the_sum_but_not_on_cdna3") {
  for (const mx::named_model& entry : mx::model_table) {
    CAPTURE(entry.name);
    const bool cuts_downward = entry.name.substr(0, 5) == "cdna3";
    CHECK((words_that_break_negation(entry.model) > 0) == cuts_downward);
  }
}

TEST_CASE("a_factor_may_move_from_one_scale_to_the_other") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.block == 0 || !(m.scale == mx::formats::e8m0)) continue;
    words source(m);
    CAPTURE(entry.name);
    for (int i = 0; i < 50; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      for (std::uint32_t& s : w.scale_a) s += 5;
      for (std::uint32_t& s : w.scale_b) s -= 5;
      REQUIRE(run(m, w) == before);
    }
  }
}

TEST_CASE("scaling_every_term_moves_only_the_exponent_of_the_sum") {
  for (const std::string_view name : {"blackwell.mxf4", "blackwell.mxf8f6f4.e4m3.e5m2", "exact.rne",
                                      "fp32.sequential", "fp32.pairwise", "vortex.tfr"}) {
    const mx::dot_model& m = model_of(name);
    words source(m);
    CAPTURE(name);
    for (int i = 0; i < 100; ++i) {
      random_word w = source.next(64);
      const std::uint32_t before = run(m, w);
      for (std::uint32_t& s : w.scale_a) s += 7;
      w.c += 7U << 23;
      REQUIRE(run(m, w) == ((before & 0x7FFFFFFF) == 0 ? before : before + (7U << 23)));
    }
  }
}

TEST_CASE("a_long_k_is_a_chain_of_instructions") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    if (m.sum.fused == mx::accumulation::all_of_k || entry.name == "fp32.pairwise") continue;
    words source(m);
    const random_word w = source.next(128);
    const auto blocks = static_cast<std::size_t>(m.block > 0 ? 64 / m.block : 0);
    const std::uint32_t half =
        mx::dot(m, w.a.data(), w.b.data(), 64, w.c, w.scale_a.data(), w.scale_b.data());
    CAPTURE(entry.name);
    CHECK(run(m, w) == mx::dot(m, w.a.data() + 64, w.b.data() + 64, 64, half,
                               w.scale_a.data() + blocks, w.scale_b.data() + blocks));
  }
}

TEST_CASE("what_k_lacks_of_a_step_is_zeros") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::dot_model& m = entry.model;
    words source(m);
    random_word w = source.next(64);
    for (int k = 1; k < 64; ++k) {
      random_word padded = w;
      std::fill(padded.a.begin() + k, padded.a.end(), 0);
      std::fill(padded.b.begin() + k, padded.b.end(), 0);
      CAPTURE(entry.name, k);
      REQUIRE(mx::dot(m, w.a.data(), w.b.data(), k, w.c, w.scale_a.data(), w.scale_b.data()) ==
              run(m, padded));
    }
    CHECK(mx::dot(m, w.a.data(), w.b.data(), 0, w.c) == w.c);
  }
}

/// A larger term makes the sum smaller: it raises the largest exponent, and the others lose more.
TEST_CASE("sums_in_a_window_are_not_monotone") {
  const mx::dot_model& m = model_of("volta.mma.f16.f32");
  // C = 2^23, three products just below a half that add up to 1 where the window still holds them.
  const codes b(4, 0x3C00);
  const auto at = [&m, &b](double first) {
    const codes a = {code_of(m.a, first), code_of(m.a, 0.75), code_of(m.a, 0.75),
                     code_of(m.a, 0.75)};
    return value_of(m, mx::dot(m, a.data(), b.data(), 4, mx::bits_of(0x1.fffffep22F)));
  };
  const float before = at(0),
              after = value_of(m, run(m, {code_of(m.a, 0.0078125), 0x3A00, 0x3A00, 0x3A00}, b,
                                      mx::bits_of(0x1.0p23F)));
  CHECK(before == 0x1.fffffep22F + 1.5F);  // in units of 0.5: three times 0.5
  CHECK(after == 0x1p23F);                 // from the next number up, in units of 1: nothing
  CHECK(after < before);
}

TEST_CASE("a_single_product_is_rounded_as_the_model_says") {
  const mx::dot_model& rz = model_of("exact.rz");
  const mx::dot_model& rne = model_of("exact.rne");
  const auto with_binary32 = [](const mx::dot_model& m) {
    return mx::with_formats(m, mx::formats::binary32, mx::formats::binary32);
  };
  std::mt19937 random(5);
  for (int i = 0; i < 20000; ++i) {
    const float x = mx::float_of((random() & 0x807FFFFF) | (100U + random() % 50) << 23);
    const float y = mx::float_of((random() & 0x807FFFFF) | (100U + random() % 50) << 23);
    const double exact = static_cast<double>(x) * y;
    const codes a = {mx::bits_of(x)}, b = {mx::bits_of(y)};
    const auto nearest = static_cast<float>(exact);
    REQUIRE(run(with_binary32(rne), a, b, 0) == mx::bits_of(nearest));
    const bool beyond = std::abs(static_cast<double>(nearest)) > std::abs(exact);
    REQUIRE(run(with_binary32(rz), a, b, 0) == mx::bits_of(nearest) - (beyond ? 1 : 0));
  }
}

TEST_CASE("codes_of_any_width_and_distance_give_the_same_bits") {
  const mx::dot_model& m = model_of("blackwell.mxf4");
  words source(m);
  const random_word w = source.next(64);
  std::vector<std::uint8_t> a(w.a.begin(), w.a.end()), b(64 * 3);
  for (std::size_t i = 0; i < 64; ++i) b[3 * i] = static_cast<std::uint8_t>(w.b[i]);
  const std::vector<std::uint8_t> sa(w.scale_a.begin(), w.scale_a.end());
  const std::vector<std::uint8_t> sb(w.scale_b.begin(), w.scale_b.end());
  const mx::dot_operand<std::uint8_t> x{{a.data()}, {sa.data()}}, y{{b.data(), 3}, {sb.data()}};
  CHECK(mx::dot(m, x, y, 64, w.c) == run(m, w));
  constexpr mx::dot_model fixed = mx::model_named("blackwell.mxf4")->model;
  CHECK(mx::dot<fixed>(w.a.data(), w.b.data(), 64, w.c, w.scale_a.data(), w.scale_b.data()) ==
        run(m, w));
}

}  // namespace
