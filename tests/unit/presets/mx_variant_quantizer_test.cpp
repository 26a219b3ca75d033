// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/mx_variant_quantizer_test.cpp: mx/presets/mx_variant_quantizer.h: whole blocks
// of presets. The blocks named semantic are those of pytorch/ao,
// torchao/testing/_mxfp8_test_utils.py.
#include <array>
#include <limits>

#include "catch.h"
#include "mx/presets/mx_variants.h"

namespace {

using mx::block_format;
using mx::mx_variant;
namespace formats = mx::block_formats;

const float inf = std::numeric_limits<float>::infinity();
const float nan = mx::float_of(0x7FC00000);

struct quantized {
  int scale;
  std::array<std::uint8_t, 32> codes;
};

quantized quantize(std::string_view name, const block_format& f, std::array<float, 32> x) {
  const mx_variant* v = mx::preset_named(mx::mx_variant_table, name);
  REQUIRE(v != nullptr);
  quantized result{};
  result.scale = mx::quantize_block(*v, f, x.data(), 32, result.codes.data());
  return result;
}

/// A block of one value except for its first element.
std::array<float, 32> block(float first, float rest) {
  std::array<float, 32> x;
  x.fill(rest);
  x[0] = first;
  return x;
}

struct semantic {
  const char* name;
  float first, rest;
  int floor_scale, floor_first, floor_rest;
  int rceil_scale, rceil_first, rceil_rest;
};

const float largest = mx::float_of(0x7F7FFFFF), smallest = 0x1p-149F;
const semantic semantics[] = {
    {"zero", 0, 0, 0, 0, 0, 0, 0, 0},
    {"smallest normal", 0x1p-126F, 0x1p-126F, 0, 0x40, 0x40, 0, 0x40, 0x40},
    {"mixed inf", inf, 1, 255, 0x7F, 0x7F, 255, 0x7F, 0x7F},
    {"mixed nan", nan, 1, 255, 0x7F, 0x7F, 255, 0x7F, 0x7F},
    {"448", 448, 448, 127, 0x7E, 0x7E, 127, 0x7E, 0x7E},
    {"-448", -448, -448, 127, 0xFE, 0xFE, 127, 0xFE, 0xFE},
    {"largest", largest, largest, 246, 0x7E, 0x7E, 247, 0x78, 0x78},
    {"-largest", -largest, -largest, 246, 0xFE, 0xFE, 247, 0xF8, 0xF8},
    {"smallest", smallest, smallest, 0, 0, 0, 0, 0, 0},
    {"-smallest", -smallest, -smallest, 0, 0x80, 0x80, 0, 0x80, 0x80},
    {"underflow", smallest, 1, 119, 0, 0x78, 119, 0, 0x78},
    {"-underflow", -smallest, 1, 119, 0x80, 0x78, 119, 0x80, 0x78},
    {"saturation and underflow", largest, 1, 246, 0x7E, 0, 247, 0x78, 0},
    {"3.5 and an ULP", 0x1.c00002p1F, 0x1.c00002p1F, 120, 0x7E, 0x7E, 121, 0x76, 0x76},
    {"512 less an ULP", 0x1.fffffep8F, 0x1.fffffep8F, 127, 0x7E, 0x7E, 128, 0x78, 0x78},
    {"all nan", nan, nan, 255, 0x7F, 0x7F, 255, 0x7F, 0x7F},
    {"480", 480, 480, 127, 0x7E, 0x7E, 128, 0x77, 0x77},
    {"-480", -480, -480, 127, 0xFE, 0xFE, 128, 0xF7, 0xF7}};

void require_block(std::string_view preset, const semantic& c, int scale, int first, int rest) {
  CAPTURE(preset, c.name);
  const quantized q = quantize(preset, formats::mxfp8_e4m3, block(c.first, c.rest));
  REQUIRE(q.scale == scale);
  REQUIRE(q.codes[0] == first);
  for (std::size_t i = 1; i < 32; ++i) REQUIRE(q.codes[i] == rest);
}

TEST_CASE("semantic_blocks_of_torchao_have_the_bytes_of_its_own_test") {
  for (const semantic& c : semantics) {
    require_block("torchao.floor", c, c.floor_scale, c.floor_first, c.floor_rest);
    require_block("torchao.rceil", c, c.rceil_scale, c.rceil_first, c.rceil_rest);
  }
}

TEST_CASE("round_down_of_triton_s_last_generation_is_torchao_s_floor_where_the_byte_is_not_0") {
  std::uint32_t state = 1;
  for (int i = 0; i < 4000; ++i) {
    std::array<float, 32> x;
    for (float& value : x) {
      state = state * 1664525 + 1013904223;
      // Exponents at most 15 apart within a block, all blocks over the whole range.
      const std::uint32_t field = static_cast<std::uint32_t>(i % 238) + 1 + (state >> 28);
      value = mx::float_of((state & 0x80000000) | field << 23 | (state >> 5 & 0x7FFFFF));
    }
    const quantized ours = quantize("torchao.floor", formats::mxfp4, x);
    const quantized theirs = quantize("triton.v2.down", formats::mxfp4, x);
    REQUIRE(ours.scale == theirs.scale);
    if (ours.scale != 0) REQUIRE(ours.codes == theirs.codes);
    const quantized third = quantize("aiter.floor", formats::mxfp4, x);
    REQUIRE(third.scale == ours.scale);
    REQUIRE(third.codes == ours.codes);
  }
}

struct factor_witness {
  std::string_view preset;
  float first, second;  // the first sets amax
  int scale, code;      // of the second
};

TEST_CASE("what_elements_are_multiplied_with_under_the_first_and_last_scales") {
  const float tiny = 0x1p-126F, below = 0x1p-127F;
  const factor_witness cases[] = {
      {"torchao.floor", tiny, below, 0, 2},            // 2^127 * 2^-127 = 1
      {"torchao-0.18.floor", tiny, below, 0, 1},       // divided by 2^-126
      {"torchao-0.18.rceil", 3 * below, below, 0, 0},  // multiplied by 1
      {"flashinfer.ue8m0", tiny, below, 0, 0},         // multiplied by 1
      {"triton.v2.down", tiny, below, 0, 0},           // multiplied by 0
      {"vllm.ue8m0", tiny, below, 0, 0},
      {"microxcaling.nearest", tiny, below, 0, 2},
      {"universal", tiny, below, 0, 7},                      // 1 / 2^-128 is Inf
      {"fouroversix.static-6", 0x1p-149F, 0x1p-149F, 0, 3},  // divided by 0, Inf is NaN there
      {"ggml.mxfp4", tiny, below, 255, 0},                   // the scale 2^-128 became 255
      {"torchao.floor", inf, 1, 255, 3},                     // NaN
      {"torchao-0.18.floor", inf, 0x1p126F, 253, 2},
      {"triton.v2.up", inf, 1, 255, 0},  // 1 / Inf
      {"triton.v2.up", nan, 1, 0, 0},
      {"te.mxfp8", inf, 1, 254, 0},
      {"flashinfer.ue8m0", inf, 0x1p127F, 254, 2},
      {"qutlass.absmax", inf, 1, 255, 0}};
  for (const factor_witness& c : cases) {
    CAPTURE(c.preset, c.first, c.second);
    std::array<float, 32> x{};
    x[0] = c.first;
    x[1] = c.second;
    const quantized q = quantize(c.preset, formats::mxfp4, x);
    REQUIRE(q.scale == c.scale);
    REQUIRE(q.codes[1] == c.code);
  }
}

TEST_CASE("qutlass_rounds_three_times_the_quotient") {
  const quantized q = quantize("qutlass.absmax", formats::mxfp4, block(1.5F, -1.0F));
  REQUIRE(q.scale == 127);
  REQUIRE(q.codes[0] == 6);   // 4.5 lies between 4 and 6
  REQUIRE(q.codes[1] == 13);  // -3
}

TEST_CASE("flushing_zeroes_the_block_whose_logarithm_is_below_2_to_the_minus_126") {
  const float below = mx::float_of(0x00800000 - 23), in_band = mx::float_of(0x00800000 - 22);
  REQUIRE(quantize("microxcaling.nearest", formats::mxfp4, block(below, below)).codes[0] == 4);
  REQUIRE(quantize("microxcaling.nearest-flush", formats::mxfp4, block(below, below)).codes[0] ==
          0);
  REQUIRE(
      quantize("microxcaling.nearest-flush", formats::mxfp4, block(in_band, -1e-40F)).codes[0] ==
      4);
}

TEST_CASE("a_block_of_zeros_keeps_the_signs_unless_the_preset_clears_it") {
  REQUIRE(quantize("torchao.floor", formats::mxfp4, block(0.0F, -0.0F)).codes[1] == 8);
  REQUIRE(quantize("universal", formats::mxfp4, block(0.0F, -0.0F)).codes[1] == 0);
  REQUIRE(quantize("universal", formats::mxfp4, block(0.0F, -0.0F)).scale == 125);
}

TEST_CASE("every_preset_takes_blocks_of_its_formats_whatever_they_hold") {
  const float odd[] = {0.0F, -0.0F, inf, -inf, nan, smallest, -largest, 1.0F};
  for (const mx_variant& v : mx::mx_variant_table) {
    for (const block_format& f : v.about.formats) {
      for (std::size_t first = 0; first < 8; ++first) {
        std::array<float, 32> x;
        for (std::size_t i = 0; i < 32; ++i) x[i] = odd[(first + i * (first + 1)) % 8];
        std::array<std::uint8_t, 32> codes{};
        mx::quantize_block(v, f, x.data(), 32, codes.data());
        for (const std::uint8_t code : codes) {
          CAPTURE(v.about.name);
          REQUIRE(code <= (f.element.sign_mask() | f.element.magnitude_mask()));
        }
      }
    }
  }
}

TEST_CASE("ordinary_blocks_are_decoded_alike_by_every_preset") {
  for (const mx_variant& v : mx::mx_variant_table) {
    for (std::uint32_t code = 0; code < 16; ++code) {
      const float value = mx::to_binary32(mx::decode(mx::formats::e2m1, code));
      for (const int scale : {1, 100, 127, 200}) {
        const float decoded =
            mx::dequantize_element(v, mx::formats::e2m1, static_cast<std::uint8_t>(scale), code);
        REQUIRE(decoded == mx::times_power(value, scale - 127));
      }
    }
  }
  const auto at = [](std::string_view name, int scale, std::uint32_t code) {
    return mx::dequantize_element(*mx::preset_named(mx::mx_variant_table, name), mx::formats::e2m1,
                                  static_cast<std::uint8_t>(scale), code);
  };
  REQUIRE(at("triton.v1.up", 0, 2) == 0.0F);
  REQUIRE(at("triton.v2.up", 0, 2) == 0x1p-127F);
  REQUIRE(at("ggml.mxfp4", 255, 1) == 0x1p127F);
  REQUIRE(at("torchao.floor", 255, 1) != at("torchao.floor", 255, 1));
}

TEST_CASE("ggml_and_its_fork_decode_the_code_of_minus_zero_to_plus_zero_and_no_other_preset_does") {
  for (const mx_variant& v : mx::mx_variant_table) {
    const bool of_integers = v.about.name == "ggml.mxfp4" || v.about.name == "llama-kv.mxfp4";
    CAPTURE(v.about.name);
    for (const int scale : {1, 100, 127, 254}) {
      const auto at = [&](std::uint32_t code) {
        return mx::bits_of(
            mx::dequantize_element(v, mx::formats::e2m1, static_cast<std::uint8_t>(scale), code));
      };
      CHECK(at(0) == 0);
      CHECK(at(8) == (of_integers ? 0U : 0x80000000U));
    }
  }
}

}  // namespace
