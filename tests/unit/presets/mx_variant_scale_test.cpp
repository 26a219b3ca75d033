// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/mx_variant_scale_test.cpp: mx/presets/mx_variant_scale.h and the scales of all
// presets, against the bytes that public kernels gave for the same amax.
#include "catch.h"
#include "mx/presets/mx_variants.h"

namespace {

using mx::mx_variant;

const mx_variant& preset(std::string_view name) {
  const mx_variant* v = mx::preset_named(mx::mx_variant_table, name);
  REQUIRE(v != nullptr);
  return *v;
}

int scale_of(std::string_view name, std::uint32_t amax, const mx::format& f = mx::formats::e2m1) {
  return mx::variant_scale_of(preset(name), f, mx::float_of(amax)).code;
}

// In the order of a row below.
constexpr std::string_view columns[] = {"torchao.floor",        "torchao.ceil",   "torchao.even",
                                        "aiter.even",           "torchao.rceil",  "te.mxfp8",
                                        "triton.v2.up",         "triton.v0.down", "triton.v2.down",
                                        "microxcaling.nearest", "ggml.mxfp4",     "universal"};

constexpr int not_seen = -1;  // a NaN is never the largest number there, or the C code is undefined

struct row {
  std::uint32_t amax;
  int bytes[12];
};

constexpr row rows[] = {
    {0x00000000, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 125}},
    {0x3F800000, {125, 125, 125, 125, 125, 125, 125, 124, 125, 125, 125, 125}},  // 1
    {0x40A00000, {127, 128, 127, 127, 127, 127, 127, 126, 127, 127, 127, 127}},  // 5
    {0x40C00000, {127, 128, 127, 127, 127, 127, 127, 127, 127, 127, 127, 127}},  // 6
    {0x40C00001, {127, 128, 127, 127, 128, 128, 128, 127, 127, 127, 127, 127}},
    {0x40DFAE14, {127, 128, 127, 127, 128, 128, 128, 127, 127, 127, 127, 127}},  // 6.99
    {0x40E00000, {127, 128, 128, 128, 128, 128, 128, 127, 127, 127, 127, 127}},  // 7
    {0x40FFFFFF, {127, 128, 128, 128, 128, 128, 128, 127, 127, 128, 128, 128}},
    {0x41000000, {128, 128, 128, 128, 128, 128, 128, 127, 128, 128, 128, 128}},  // 8
    {0x407FFFFF, {126, 127, 127, 127, 127, 127, 127, 126, 126, 126, 126, 126}},
    {0x40800001, {127, 128, 127, 127, 127, 127, 127, 126, 127, 127, 127, 127}},
    {0x01400000, {0, 1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}},                          // 6 * 2^-127
    {0x01000000, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0}},                          // 2^-125
    {0x00800000, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 255, 0}},                        // 2^-126
    {0x00400000, {0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 254, 0}},                        // 2^-127
    {0x00000001, {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 232, 0}},                        // 2^-149
    {0x7F600000, {252, 253, 255, 254, 253, 253, 253, 252, 252, 252, 252, 252}},  // 1.75 * 2^127
    {0x7F7FFFFF, {252, 253, 255, 254, 253, 253, 253, 252, 252, 253, 253, 252}},  // FLT_MAX
    {0x7F800000, {255, 255, 255, 254, 255, 254, 255, 255, 255, 255, 0, not_seen}},
    {0x7FC00000, {255, 255, 255, 254, 255, 255, 0, 255, 255, 255, not_seen, not_seen}}};

TEST_CASE("scales_of_mxfp4_are_those_that_public_kernels_gave") {
  for (const row& r : rows) {
    for (std::size_t i = 0; i < std::size(columns); ++i) {
      CAPTURE(r.amax, columns[i]);
      if (r.bytes[i] != not_seen) REQUIRE(scale_of(columns[i], r.amax) == r.bytes[i]);
    }
  }
}

TEST_CASE("presets_that_share_a_column_of_the_witness_table_share_its_bytes") {
  const std::pair<std::string_view, std::size_t> same[] = {{"quark.even", 3},
                                                           {"flashinfer.ue8m0", 5},
                                                           {"fouroversix.static-6", 6},
                                                           {"triton.v0.up", 6},
                                                           {"triton.v1.up", 6},
                                                           {"quark.up", 6},
                                                           {"vllm.ue8m0-old", 7},
                                                           {"triton.v1.down", 7},
                                                           {"quark.down", 7},
                                                           {"aiter.floor", 0},
                                                           {"microxcaling-extension.even", 0}};
  for (const row& r : rows) {
    for (const auto& [name, column] : same) {
      CAPTURE(r.amax, name);
      REQUIRE(scale_of(name, r.amax) == r.bytes[column]);
    }
  }
}

TEST_CASE("exact_floor_is_the_floor_of_exponent_fields_for_every_finite_amax") {
  for (std::uint32_t amax = 0; amax < 0x7F800000; amax += 7919) {
    const int exact =
        mx::shared_scale<mx::formats::e2m1>(mx::scale_rule::floor, mx::unpack(mx::float_of(amax)))
            .code;
    REQUIRE(scale_of("torchao.floor", amax) == exact);
    REQUIRE(scale_of("triton.v2.down", amax) == exact);
    REQUIRE(scale_of("aiter.floor", amax) == exact);
  }
}

struct small_amax {
  std::uint32_t amax;
  int converted, of_field;
};

TEST_CASE("round_up_of_tiny_quotients_is_0_by_conversion_and_1_by_the_field") {
  constexpr small_amax cases[] = {{0x00C00000, 0, 1},  // amax / 6 = 2^-128 * 1.0
                                  {0x01400000, 0, 1},  // 1.25 * 2^-125 / 6, below 2^-127
                                  {0x01400001, 0, 1},
                                  {0x01C00000, 1, 1},  // 2^-126
                                  {0x01C00001, 2, 2}};
  for (const small_amax& c : cases) {
    CAPTURE(c.amax);
    for (const auto name : {"torchao.rceil", "te.mxfp8", "flashinfer.ue8m0"}) {
      REQUIRE(scale_of(name, c.amax) == c.converted);
    }
    for (const auto name : {"triton.v2.up", "aiter.rceil", "fouroversix.static-6"}) {
      REQUIRE(scale_of(name, c.amax) == c.of_field);
    }
  }
}

TEST_CASE("inf_and_nan_give_the_byte_that_each_upward_rule_has") {
  REQUIRE(scale_of("torchao.rceil", 0x7F800000) == 255);
  REQUIRE(scale_of("te.mxfp8", 0x7F800000) == 254);
  REQUIRE(scale_of("flashinfer.ue8m0", 0x7F800000) == 254);
  REQUIRE(scale_of("aiter.rceil", 0x7F800000) == 255);
  REQUIRE(scale_of("fouroversix.static-6", 0x7F800000) == 255);
  REQUIRE(scale_of("aiter.rceil", 0x7FC00000) == 255);
  REQUIRE(scale_of("fouroversix.static-6", 0x7FC00000) == 0);
  REQUIRE(scale_of("triton.v0.up", 0x7FC00000) == 0);
}

TEST_CASE("dividing_by_the_largest_element_or_multiplying_by_its_reciprocal_gives_one_byte") {
  mx_variant divides = preset("te.mxfp8");
  divides.operand = mx::scale_operand::over_max;
  for (const mx::format f : {mx::formats::e2m1, mx::formats::e4m3, mx::formats::e5m2,
                             mx::formats::e2m3, mx::formats::e3m2}) {
    const mx::unpacked largest = mx::decode(f, f.max_code());
    for (int power = -100; power < 100; ++power) {
      const float at = mx::to_binary32(largest.scaled_by_power_of_two(power));
      for (std::uint32_t bits = mx::bits_of(at) - 8; bits < mx::bits_of(at) + 8; ++bits) {
        const float amax = mx::float_of(bits);
        REQUIRE(mx::variant_scale_of(preset("te.mxfp8"), f, amax).code ==
                mx::variant_scale_of(divides, f, amax).code);
      }
    }
  }
}

TEST_CASE("thresholds_of_even_follow_the_fraction_bits_of_the_element") {
  const auto takes_next = [](const mx::format& f, std::uint32_t fraction) {
    const int lower = scale_of("torchao.even", 0x3F800000, f);
    return scale_of("torchao.even", 0x3F800000 | fraction, f) == lower + 1;
  };
  for (const mx::format f : {mx::formats::e4m3, mx::formats::e2m3}) {
    REQUIRE_FALSE(takes_next(f, 0x77FFFF));
    REQUIRE(takes_next(f, 0x780000));  // 1.9375
  }
  for (const mx::format f : {mx::formats::e5m2, mx::formats::e3m2}) {
    REQUIRE_FALSE(takes_next(f, 0x6FFFFF));
    REQUIRE(takes_next(f, 0x700000));  // 1.875
  }
}

TEST_CASE("the_released_torchao_has_no_case_for_inf_and_takes_a_logarithm_for_rceil") {
  REQUIRE(scale_of("torchao-0.18.floor", 0x7F800000) == 253);
  REQUIRE(scale_of("torchao-0.18.ceil", 0x7F800000) == 253);
  REQUIRE(scale_of("torchao-0.18.even", 0x7F600000) == 253);
  REQUIRE(scale_of("torchao-0.18.even", 0x7FC00000) == 255);
  REQUIRE(scale_of("torchao-0.18.rceil", 0x7F800000) == 254);
  REQUIRE(scale_of("torchao-0.18.rceil", 0x40C00001) == 128);
  const std::uint32_t just_above = 0x60400001;  // 6 * 2^63 and one ULP
  REQUIRE(scale_of("torchao.rceil", just_above) == 127 + 64);
  REQUIRE(scale_of("torchao-0.18.rceil", just_above) == 127 + 63);
}

TEST_CASE("an_exponent_above_the_scale_s_is_nan_where_the_simulator_makes_it_so") {
  REQUIRE(scale_of("microxcaling.even", 0x7F7FFFFF, mx::formats::int8) == 255);
  REQUIRE(scale_of("microxcaling.even", 0x7F000000, mx::formats::int8) == 254);
  REQUIRE(scale_of("gfloat", 0x7F7FFFFF) == 253);
  REQUIRE(scale_of("gfloat", 0x7F800000) == 254);
  REQUIRE(scale_of("gfloat", 0x7FC00000) == 255);
}

TEST_CASE("the_square_root_of_two_and_up_takes_the_next_scale_in_the_cache_s_rule") {
  REQUIRE(scale_of("llama-kv.mxfp4", 0x3FB504F2) == 125);
  REQUIRE(scale_of("llama-kv.mxfp4", 0x3FB504F3) == 126);
  REQUIRE(scale_of("llama-kv.mxfp4", 0x7F7FFFFF) == 253);
}

TEST_CASE("qutlass_adds_a_hundred_millionth_and_subtracts_no_emax") {
  REQUIRE(scale_of("qutlass.absmax", 0) == 100);
  REQUIRE(scale_of("qutlass.absmax", 0x3F800000) == 127);
  REQUIRE(scale_of("qutlass.absmax", 0x3F7FFFFF) == 126);
  REQUIRE(scale_of("qutlass.absmax", 0x397FFFFF) == 115);  // 2^-12 - 2^-37: the sum passes 2^-12
  const float alike[2] = {0.75F, 0.75F}, apart[2] = {-6.0F, 6.0F};
  const mx::block_format f = mx::block_formats::mxfp4;
  REQUIRE(mx::variant_scale_of(preset("qutlass.quest"), f, alike, 2).code == 100);
  REQUIRE(mx::variant_scale_of(preset("qutlass.quest"), f, apart, 2).code == 128);
}

TEST_CASE("a_nan_is_seen_by_amax_as_the_preset_tells") {
  const float nan = mx::float_of(0xFFC00000);
  const float mixed[3] = {nan, -3.0F, 1.0F}, only[2] = {nan, nan};
  const auto amax = [](std::string_view name, const float* x, int count) {
    return mx::bits_of(mx::variant_amax(preset(name).amax, x, count));
  };
  REQUIRE(amax("torchao.floor", mixed, 3) == 0x7FC00000);
  REQUIRE(amax("te.mxfp8", mixed, 3) == mx::bits_of(3.0F));
  REQUIRE(amax("te.mxfp8", only, 2) == 0);
  const float infinite[2] = {mx::float_of(0xFF800000), nan};
  REQUIRE(amax("te.mxfp8", infinite, 2) == 0x7F800000);
  REQUIRE(amax("torchao.floor", infinite, 2) == 0x7FC00000);
  REQUIRE(amax("flashinfer.ue8m0", mixed, 3) == mx::bits_of(3.0F));
  REQUIRE(amax("flashinfer.ue8m0", only, 2) == 0x7FC00000);
}

}  // namespace
