// SPDX-License-Identifier: Apache-2.0
// tests/unit/models_test.cpp: mx/models.h and its tables: every model against the published
// parameters, which are told here once more, in rational numbers.
#include <random>
#include <set>
#include <string>

#include "catch.h"
#include "mx/dot.h"
#include "mx/fp32.h"
#include "mx/models.h"
#include "slow_dot.h"

namespace {

using mx::formats::binary16;
using mx::formats::binary32;
using slow::codes;
using slow::number;

std::mt19937_64 random_source(20);

std::uint32_t below(std::uint32_t bound) {
  return static_cast<std::uint32_t>(random_source() % bound);
}

/// A finite code: any, zero, the smallest and the largest, or a number near one.
std::uint32_t random_code(const mx::format& f, int unread_bits) {
  const std::uint32_t sign = below(2) == 0 ? 0 : f.sign_mask();
  const std::uint32_t one = static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
  const std::uint32_t near = one + below(4U << f.fraction_bits) % (f.max_code() - one + 1);
  const std::uint32_t choices[] = {
      below(f.max_code() + 1), near, near, 0, below(1U << f.fraction_bits),
      f.max_code() - below(2)};
  const std::uint32_t magnitude = choices[below(6)];
  const bool negative_zero_is_nan = f.specials == mx::specials::fnuz && magnitude == 0;
  const std::uint32_t code = negative_zero_is_nan ? 0 : sign | magnitude;
  return (code << unread_bits) | (unread_bits > 0 ? below(1U << unread_bits) : 0);
}

codes random_codes(const mx::format& f, std::size_t count, int unread_bits = 0) {
  codes result(count);
  // All of a word near each other, or wild: both cancel and align far.
  const bool tiny = below(4) == 0;
  for (std::uint32_t& code : result) {
    code = tiny ? below(3U << f.fraction_bits) << unread_bits : random_code(f, unread_bits);
  }
  return result;
}

bool is_zero(const mx::format& f, std::uint32_t code) { return (code & f.magnitude_mask()) == 0; }

/// Zeros have signs of their own tests.
void check_bits(const mx::format& f, std::uint32_t ours, std::uint32_t theirs) {
  if (is_zero(f, theirs)) {
    CHECK(is_zero(f, ours));
  } else {
    CHECK(ours == theirs);
  }
}

struct published_row {
  const char* models;  ///< architecture and instruction
  const char* input;
  mx::format format;
  int fused, fraction_bits, zero_f32, zero_f16;  ///< 0: no such output
  bool e8m13 = false;
};

const mx::format e8m13{8, 13, 127, mx::specials::ieee};

const published_row rows[] = {{"volta.mma", "f16", binary16, 4, 23, -131, -20},
                              {"turing.mma", "f16", binary16, 8, 24, -132, -21},
                              {"ampere.mma", "tf32", mx::formats::tf32, 4, 24, -132, 0},
                              {"ampere.mma", "bf16", mx::formats::bfloat16, 8, 24, -132, 0},
                              {"ampere.mma", "f16", binary16, 8, 24, -132, -21},
                              {"ada.mma", "tf32", mx::formats::tf32, 4, 24, -132, 0},
                              {"ada.mma", "bf16", mx::formats::bfloat16, 8, 24, -132, 0},
                              {"ada.mma", "f16", binary16, 8, 24, -132, -21},
                              {"ada.mma", "e4m3", mx::formats::e4m3, 16, 13, -132, -21, true},
                              {"ada.mma", "e5m2", mx::formats::e5m2, 16, 13, -132, -21, true},
                              {"hopper.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
                              {"hopper.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
                              {"hopper.mma", "f16", binary16, 16, 25, -133, -22},
                              {"hopper.wgmma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
                              {"hopper.wgmma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
                              {"hopper.wgmma", "f16", binary16, 16, 25, -133, -133},
                              {"hopper.wgmma", "e4m3", mx::formats::e4m3, 32, 13, -133, -133, true},
                              {"hopper.wgmma", "e5m2", mx::formats::e5m2, 32, 13, -133, -133, true},
                              {"blackwell.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
                              {"blackwell.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
                              {"blackwell.mma", "f16", binary16, 16, 25, -133, -22},
                              {"blackwell.tcgen05", "tf32", mx::formats::tf32, 8, 25, -133, 0},
                              {"blackwell.tcgen05", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
                              {"blackwell.tcgen05", "f16", binary16, 16, 25, -133, -133},
                              {"blackwell.tcgen05", "e4m3", mx::formats::e4m3, 32, 25, -133, -133},
                              {"blackwell.tcgen05", "e5m2", mx::formats::e5m2, 32, 25, -133, -133},
                              {"blackwell.tcgen05", "e2m3", mx::formats::e2m3, 32, 25, -133, -133},
                              {"blackwell.tcgen05", "e3m2", mx::formats::e3m2, 32, 25, -133, -133},
                              {"blackwell.tcgen05", "e2m1", mx::formats::e2m1, 32, 25, -133, -133},
                              {"rtxblackwell.mma", "tf32", mx::formats::tf32, 8, 25, -133, 0},
                              {"rtxblackwell.mma", "bf16", mx::formats::bfloat16, 16, 25, -133, 0},
                              {"rtxblackwell.mma", "f16", binary16, 16, 25, -133, -22},
                              {"rtxblackwell.mma", "e4m3", mx::formats::e4m3, 32, 25, -133, -22},
                              {"rtxblackwell.mma", "e5m2", mx::formats::e5m2, 32, 25, -133, -22},
                              {"rtxblackwell.mma", "e2m3", mx::formats::e2m3, 32, 25, -133, -22},
                              {"rtxblackwell.mma", "e3m2", mx::formats::e3m2, 32, 25, -133, -22},
                              {"rtxblackwell.mma", "e2m1", mx::formats::e2m1, 32, 25, -133, -22}};

const mx::dot_model& model_of(const std::string& name) {
  CAPTURE(name);
  REQUIRE(mx::model_named(name) != nullptr);
  return mx::model_named(name)->model;
}

void compare_window(const std::string& name, const mx::format& f, const slow::window_row& row) {
  const mx::dot_model& model = model_of(name);
  const int unread = f == mx::formats::tf32 ? 13 : 0;
  for (int word = 0; word < 60; ++word) {
    const auto k = static_cast<std::size_t>(2 * row.fused);
    const codes a = random_codes(f, k, unread), b = random_codes(f, k, unread);
    const std::uint32_t c = random_code(row.result, 0);
    const auto x = slow::numbers_of(f, a, unread), y = slow::numbers_of(f, b, unread);
    std::uint32_t wanted = slow::window_step(row, x, y, 0, c);
    CAPTURE(name, word);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), row.fused, c), wanted);
    if (mx::decode(row.result, wanted).is_special()) continue;
    wanted = slow::window_step(row, x, y, static_cast<std::size_t>(row.fused), wanted);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), static_cast<int>(k), c), wanted);
  }
}

TEST_CASE("nvidia_models_without_scales_follow_the_published_table") {
  for (const published_row& r : rows) {
    const std::string name = std::string(r.models) + "." + r.input;
    compare_window(name + ".f32", r.format,
                   {r.fused, r.fraction_bits, r.zero_f32, binary32, r.e8m13 ? e8m13 : binary32,
                    mx::rounding::toward_zero});
    if (r.zero_f16 == 0) continue;
    compare_window(
        name + ".f16", r.format,
        {r.fused, r.fraction_bits, r.zero_f16, binary16, binary16, mx::rounding::ties_to_even});
  }
}

/// 2^-149 less the last bit of the window that zeros set is below 2^-149; half of that bit is lost.
void check_zero_exponent_to_f32(const mx::dot_model& model, const published_row& r) {
  const auto power = [&](int exponent) {
    return static_cast<std::uint32_t>(r.format.bias + exponent)
           << (r.format.fraction_bits + model.unread_bits);
  };
  const std::uint32_t minus = r.format.sign_mask() << model.unread_bits;
  const int last = r.zero_f32 - r.fraction_bits;
  for (const bool kept : {true, false}) {
    const codes a = {power(-100), minus | power(-100)};
    const codes b = {power(-49), power(100 + last - (kept ? 0 : 1))};
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == (kept ? 0U : 1U));
  }
}

/// 2^-25 and the last bit of the window that zeros set are above a tie; half of that bit is lost.
void check_zero_exponent_to_f16(const mx::dot_model& model, const published_row& r) {
  const int last = r.zero_f16 - r.fraction_bits;
  for (const bool kept : {true, false}) {
    const codes a = {0x1400, 0x0001};  // 2^-10, 2^-24
    const codes b = {0x0200, 1U << (48 + last - (kept ? 0 : 1))};
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == (kept ? 1U : 0U));
  }
}

TEST_CASE("exponents_of_zeros_show_at_the_last_bit_of_the_window") {
  int checked = 0;
  for (const published_row& r : rows) {
    const std::string name = std::string(r.models) + "." + r.input;
    CAPTURE(name);
    if (r.format.exponent_bits == 8) {
      check_zero_exponent_to_f32(model_of(name + ".f32"), r);
      ++checked;
    } else if (r.format == binary16 && r.zero_f16 > -28) {  // else no product is read lower
      check_zero_exponent_to_f16(model_of(name + ".f16"), r);
      ++checked;
    }
  }
  CHECK(checked == 21);
}

/// The same with scales of 2^-149 and of the last bit.
TEST_CASE("exponents_of_zeros_show_under_block_scales_too") {
  const codes scale_b(2, 127);
  for (const bool kept : {true, false}) {
    const std::uint32_t half = kept ? 0 : 1, wanted = kept ? 0 : 1;
    codes a(64), b(64, 2);
    a[0] = 2;
    a[32] = 10;  // 1, and -1 in the second block: 2^-149 - 2^-174
    const codes scale_a = {127 - 100, 127 - 100};
    const codes low = {127 - 49, 127 - 74 - half};
    CHECK(mx::dot(model_of("blackwell.mxf4"), a.data(), b.data(), 64, 0U, scale_a.data(),
                  low.data()) == wanted);
    // E5M2: 2^-14 and -2^-14 * 2^-9 under 2^-135.
    codes x(32), y(32);
    x[0] = 0x04;
    y[0] = 0x3C;
    x[1] = 0x84;
    y[1] = (15 - 9 - half) << 2;
    const std::uint32_t scales[] = {127 - 100, 127 - 35};
    CHECK(mx::dot(model_of("blackwell.mxf8f6f4.e5m2.e5m2"), x.data(), y.data(), 32, 0U, &scales[0],
                  &scales[1]) == wanted);
  }
}

const std::pair<std::string, mx::format> emulated_inputs[] = {
    {"hopper.mma.e4m3", mx::formats::e4m3},
    {"hopper.mma.e5m2", mx::formats::e5m2},
    {"blackwell.mma.e4m3", mx::formats::e4m3},
    {"blackwell.mma.e5m2", mx::formats::e5m2}};

/// FP8 by two steps of FP16, and C at the end.
void compare_emulated(const std::string& name, const mx::format& f, const slow::window_row& row) {
  const mx::dot_model& model = model_of(name);
  for (int word = 0; word < 100; ++word) {
    const codes a = random_codes(f, 32), b = random_codes(f, 32);
    std::vector<number> x[2], y[2];
    for (std::size_t k = 0; k < 32; ++k) {
      const auto as_binary16 = [&f](std::uint32_t code) {
        const number n = slow::number_of(f, code);
        return slow::number_of(binary16,
                               slow::rounded(binary16, n.value, mx::rounding::ties_to_even));
      };
      x[k / 2 % 2].push_back(as_binary16(a[k]));
      y[k / 2 % 2].push_back(as_binary16(b[k]));
    }
    const std::uint32_t first = slow::window_step(row, x[0], y[0], 0, 0);
    if (mx::decode(row.result, first).is_special()) continue;
    const std::uint32_t second = slow::window_step(row, x[1], y[1], 0, first);
    if (mx::decode(row.result, second).is_special()) continue;
    const std::uint32_t c = random_code(row.result, 0);
    const golden::rational sum =
        slow::number_of(row.result, second).value + slow::number_of(row.result, c).value;
    CAPTURE(name, word);
    check_bits(row.result, mx::dot(model, a.data(), b.data(), 32, c),
               slow::rounded(row.result, sum, mx::rounding::ties_to_even));
  }
}

TEST_CASE("fp8_without_an_instruction_is_two_steps_of_fp16_and_one_addition") {
  for (const auto& [name, f] : emulated_inputs) {
    compare_emulated(name + ".f32", f,
                     {16, 25, -133, binary32, binary32, mx::rounding::toward_zero});
    compare_emulated(name + ".f16", f,
                     {16, 25, -22, binary16, binary16, mx::rounding::ties_to_even});
  }
}

codes random_scales(const mx::format& scale, std::size_t count) {
  codes scales(count);
  const bool near = below(2) == 0;
  for (std::uint32_t& s : scales) {
    s = near && scale == mx::formats::e8m0 ? 120 + below(12) : below(scale.max_code() + 1);
  }
  return scales;
}

TEST_CASE("grouped_fp4_is_aligned_by_its_scales_alone") {
  for (const std::string name : {"blackwell.mxf4", "blackwell.mxf4nvf4"}) {
    const mx::dot_model& model = model_of(name);
    const std::size_t block = name == "blackwell.mxf4" ? 32 : 16;
    const mx::format scale = block == 32 ? mx::formats::e8m0 : mx::formats::ue4m3;
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(mx::formats::e2m1, 64), b = random_codes(mx::formats::e2m1, 64);
      const codes sa = random_scales(scale, 64 / block), sb = random_scales(scale, 64 / block);
      const std::uint32_t c = random_code(binary32, 0);
      CAPTURE(name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), 64, c, sa.data(), sb.data()),
                 slow::grouped_step(a, b, 0, c, slow::numbers_of(scale, sa),
                                    slow::numbers_of(scale, sb), block));
    }
  }
}

const std::pair<std::string, mx::format> mx_inputs[] = {{"e2m1", mx::formats::e2m1},
                                                        {"e2m3", mx::formats::e2m3},
                                                        {"e3m2", mx::formats::e3m2},
                                                        {"e4m3", mx::formats::e4m3},
                                                        {"e5m2", mx::formats::e5m2}};

TEST_CASE("mxf8f6f4_counts_scales_in_every_product") {
  const slow::window_row row{32, 25, -133, binary32, binary32, mx::rounding::toward_zero};
  for (const auto& [a_name, a_format] : mx_inputs) {
    for (const auto& [b_name, b_format] : mx_inputs) {
      const mx::dot_model& model = model_of("blackwell.mxf8f6f4." + a_name + "." + b_name);
      for (int word = 0; word < 40; ++word) {
        const codes a = random_codes(a_format, 32), b = random_codes(b_format, 32);
        const codes sa = random_scales(mx::formats::e8m0, 1);
        const codes sb = random_scales(mx::formats::e8m0, 1);
        const std::uint32_t c = random_code(binary32, 0);
        const number scale = slow::product(slow::number_of(mx::formats::e8m0, sa[0]),
                                           slow::number_of(mx::formats::e8m0, sb[0]));
        CAPTURE(a_name, b_name, word);
        check_bits(binary32, mx::dot(model, a.data(), b.data(), 32, c, sa.data(), sb.data()),
                   slow::window_step(row, slow::numbers_of(a_format, a),
                                     slow::numbers_of(b_format, b), 0, c, scale));
      }
    }
  }
}

struct step_row {
  const char* name;
  mx::format format;
  int fused, parities;
};

const step_row late_rows[] = {{"cdna3.mfma.xf32.f32", mx::formats::tf32, 4, 1},
                              {"cdna3.mfma.f16.f32", binary16, 8, 1},
                              {"cdna3.mfma.bf16.f32", mx::formats::bfloat16, 8, 1},
                              {"cdna3.mfma.bf16_1k.f32", mx::formats::bfloat16, 8, 1},
                              {"cdna3.mfma.e4m3fnuz.f32", mx::formats::e4m3fnuz, 16, 2},
                              {"cdna3.mfma.e5m2fnuz.f32", mx::formats::e5m2fnuz, 16, 2}};

TEST_CASE("cdna3_adds_c_late_and_cuts_downward") {
  for (const step_row& row : late_rows) {
    const mx::dot_model& model = model_of(row.name);
    const auto count = static_cast<std::size_t>(row.fused);
    const int unread = row.format == mx::formats::tf32 ? 13 : 0;
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, count, unread);
      const codes b = random_codes(row.format, count, unread);
      const auto x = slow::numbers_of(row.format, a, unread);
      const auto y = slow::numbers_of(row.format, b, unread);
      bool large = false;  // such products are Inf
      for (std::size_t i = 0; i < count; ++i) {
        large = large || slow::absolute(x[i].value * y[i].value) >= slow::power_of_two(128);
      }
      if (large) continue;
      const std::uint32_t c = random_code(binary32, 0);
      CAPTURE(row.name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), row.fused, c),
                 slow::late_step(x, y, 0, count, static_cast<std::size_t>(row.parities), c));
    }
  }
}

const step_row exact_rows[] = {{"cdna1.mfma.f16.f32", binary16, 4, 0},
                               {"cdna1.mfma.bf16.f32", mx::formats::bfloat16, 2, 0}};

TEST_CASE("cdna1_rounds_exact_sums_of_four_or_two_products") {
  for (const step_row& row : exact_rows) {
    const mx::dot_model& model = model_of(row.name);
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, 8), b = random_codes(row.format, 8);
      std::uint32_t wanted = random_code(binary32, 0);
      const std::uint32_t c = wanted;
      for (std::size_t first = 0; first < 8; first += static_cast<std::size_t>(row.fused)) {
        if (mx::decode(binary32, wanted).is_special()) break;
        golden::rational sum = slow::number_of(binary32, wanted).value;
        for (std::size_t i = first; i < first + static_cast<std::size_t>(row.fused); ++i) {
          sum += slow::number_of(row.format, a[i]).value * slow::number_of(row.format, b[i]).value;
        }
        wanted = slow::rounded(binary32, sum, mx::rounding::ties_to_even);
      }
      CAPTURE(row.name, word);
      check_bits(binary32, mx::dot(model, a.data(), b.data(), 8, c), wanted);
    }
  }
}

float flushed_product(const mx::format& f, std::uint32_t a, std::uint32_t b) {
  const auto operand = [&f](std::uint32_t code) {
    const bool subnormal = (code & f.magnitude_mask()) >> f.fraction_bits == 0;
    return subnormal ? 0.0F : mx::to_binary32(mx::decode(f, code));
  };
  return mx::fp32::flushed(mx::fp32::multiply(operand(a), operand(b)));
}

float flushed_sum(float a, float b) { return mx::fp32::flushed(mx::fp32::add(a, b)); }

const step_row flushed_rows[] = {{"cdna2.mfma.f16.f32", binary16, 4, 0},
                                 {"cdna2.mfma.bf16.f32", mx::formats::bfloat16, 2, 0},
                                 {"cdna2.mfma.bf16_1k.f32", mx::formats::bfloat16, 4, 0}};

TEST_CASE("cdna2_multiplies_and_adds_in_fp32_and_flushes_every_subnormal") {
  for (const step_row& row : flushed_rows) {
    const mx::dot_model& model = model_of(row.name);
    for (int word = 0; word < 400; ++word) {
      const codes a = random_codes(row.format, 8), b = random_codes(row.format, 8);
      const std::uint32_t c = random_code(binary32, 0);
      float sum = (c & 0x7F800000U) == 0 ? 0.0F : mx::float_of(c);
      for (std::size_t first = 0; first < 8; first += static_cast<std::size_t>(row.fused)) {
        const auto pair = [&](std::size_t i) {
          return flushed_sum(flushed_product(row.format, a[i], b[i]),
                             flushed_product(row.format, a[i + 1], b[i + 1]));
        };
        float group = pair(first);
        if (row.fused == 4) group = flushed_sum(group, pair(first + 2));
        sum = flushed_sum(sum, group);
      }
      CAPTURE(row.name, word);
      CHECK(mx::dot(model, a.data(), b.data(), 8, c) == mx::bits_of(sum));
    }
  }
}

/// Names that the tests above compare.
std::set<std::string> compared_names() {
  std::set<std::string> names = {"blackwell.mxf4", "blackwell.mxf4nvf4"};
  for (const published_row& r : rows) {
    names.insert(std::string(r.models) + "." + r.input + ".f32");
    if (r.zero_f16 != 0) names.insert(std::string(r.models) + "." + r.input + ".f16");
  }
  for (const auto& [name, format] : mx_inputs) {
    for (const auto& [other, other_format] : mx_inputs) {
      names.insert("blackwell.mxf8f6f4." + name + "." + other);
    }
  }
  for (const step_row& row : late_rows) names.insert(row.name);
  for (const step_row& row : exact_rows) names.insert(row.name);
  for (const step_row& row : flushed_rows) names.insert(row.name);
  for (const auto& [name, format] : emulated_inputs) {
    names.insert(name + ".f32");
    names.insert(name + ".f16");
  }
  return names;
}

TEST_CASE("every_model_of_a_device_is_compared_with_the_published_algorithm") {
  const std::set<std::string> names = compared_names();
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.operands == mx::operands::any) continue;
    CAPTURE(entry.name);
    CHECK(names.count(std::string(entry.name)) == 1);
  }
  for (const std::string& name : names) {
    CAPTURE(name);
    CHECK(mx::model_named(name) != nullptr);
  }
}

TEST_CASE("names_are_unique_and_tell_source_and_evidence") {
  std::set<std::string_view> names;
  for (const mx::named_model& entry : mx::model_table) {
    CAPTURE(entry.name);
    CHECK(names.insert(entry.name).second);
    CHECK(mx::model_named(entry.name) == &entry);
    CHECK_FALSE(entry.source.empty());
    CHECK_FALSE(name_of(entry.rests_on).empty());
    CHECK(mx::is_sound(entry.model));
  }
  CHECK(mx::model_named("blackwell.mxf5") == nullptr);
  CHECK(mx::model_named("ampere.mma.bf16.f32")->rests_on == mx::model_evidence::recorded_hardware);
  CHECK(mx::model_named("blackwell.mxf4")->rests_on == mx::model_evidence::two_models_agree);
  CHECK(mx::model_named("exact.rne")->rests_on == mx::model_evidence::specification_only);
}

/// Exponent of C = 0 and of products with a zero: below every nonzero C, so that the rules "each zero
/// term" and "never below" are one (D-031): without a zero term there is a C.
TEST_CASE("zeros_of_nvidia_models_are_read_below_every_number_of_the_result") {
  for (const mx::named_model& entry : mx::model_table) {
    const mx::accumulation& how = entry.model.sum;
    if (how.alignment == mx::alignment::exact || how.zeros != mx::zero_term::each_zero) continue;
    CAPTURE(entry.name);
    CHECK(how.zero_exponent < how.result.emin());
    CHECK(how.zero_exponent > -140);
  }
}

TEST_CASE("an_exponent_floor_gives_the_bits_of_zero_terms_that_are_read_at_it") {
  for (const std::string name : {"hopper.mma.bf16.f32", "hopper.mma.f16.f16", "volta.mma.f16.f16",
                                 "blackwell.tcgen05.tf32.f32"}) {
    const mx::dot_model& model = model_of(name);
    const mx::dot_model other = mx::with_exponent_floor(model);
    REQUIRE(other.sum.zeros == mx::zero_term::floor);
    for (int word = 0; word < 500; ++word) {
      const codes a = random_codes(model.a, 16, model.unread_bits);
      const codes b = random_codes(model.b, 16, model.unread_bits);
      const std::uint32_t c = below(2) * below(1U << 12);  // zero, or subnormal
      CAPTURE(name, word);
      REQUIRE(mx::dot(model, a.data(), b.data(), 16, c) ==
              mx::dot(other, a.data(), b.data(), 16, c));
    }
  }
}

/// 2^-25 + 2^-47 from subnormal factors, zeros and C = 0: with zeros at -22 the window ends at 2^-47
/// and the sum lies above the tie between 0 and 2^-24, with zeros at -21 it is the tie.
TEST_CASE("alternates_of_fp16_results_differ_at_a_tie") {
  const codes a = {0x1400, 0x0001}, b = {0x0200, 0x0002};  // 2^-10 * 2^-15, 2^-24 * 2^-23
  for (const mx::zero_alternate& alternate : mx::zero_alternate_table) {
    const mx::dot_model& model = model_of(std::string(alternate.name));
    const mx::dot_model other = mx::with_alternate(alternate);
    CAPTURE(alternate.name);
    CHECK(other.sum.zero_exponent == alternate.zero_exponent);
    CHECK(other.sum.zero_exponent != model.sum.zero_exponent);
    if (!(model.a == binary16)) continue;
    CHECK(mx::dot(model, a.data(), b.data(), 2, 0U) == 1);
    CHECK(mx::dot(other, a.data(), b.data(), 2, 0U) == 0);
  }
}

/// No product of FP8 numbers is read as low as -133, and a zero has no bits to lose.
TEST_CASE("alternates_of_hopper_fp8_cannot_be_told_apart") {
  for (const mx::zero_alternate& alternate : mx::zero_alternate_table) {
    const mx::dot_model& model = model_of(std::string(alternate.name));
    if (model.a == binary16) continue;
    CAPTURE(alternate.name);
    CHECK(model.a.emin() + model.b.emin() > model.sum.zero_exponent);
    CHECK(model.a.emin() + model.b.emin() > alternate.zero_exponent);
  }
}

}  // namespace
