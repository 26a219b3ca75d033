// SPDX-License-Identifier: Apache-2.0
// tests/dpi/dpi_quantizer_test.cpp: blocks through the DPI package against the core's.
#include <thread>

#include "catch.h"
#include "packed.h"
#include "rtl/quantizer_words.h"
#include "unit/host_arithmetic.h"

namespace {

using hardware::quantized_block, hardware::quantizer_kind, rtl::quantizer_word;

quantized_block through(const dpi::context& context, const quantizer_kind& made,
                        const quantizer_word& word) {
  std::vector<std::uint32_t> x;
  for (const float value : word.x) x.push_back(mx::bits_of(value) >> (32 - made.in.width()));
  const auto drawn = hardware::random_pins(word);
  const std::vector<std::uint32_t> random(drawn.begin(), drawn.end());
  const auto x_bits = dpi::packed<mx_dpi_input_bits>(x, made.in.width(), ~0U);
  const auto random_bits = dpi::packed<mx_dpi_random_bits>(random, made.random_bits, ~0U);
  dpi::bit_vector<128> codes{};
  quantized_block block;
  svBit special = 0;
  const bool keeps = word.deadzone == rtl::deadzone::keep;
  REQUIRE(mx_dpi_quantize(context.get(), x_bits.data(), hardware::rule_pins(word.rule),
                          hardware::rounding_pins(word.rounding), random_bits.data(), word.fraction,
                          keeps ? mx_dpi_deadzone_keep : mx_dpi_deadzone_flush, codes.data(),
                          &block.scale, &special, &block.kept) == mx_dpi_ok);
  for (std::size_t i = 0; i < rtl::block_size; ++i) {
    block.codes[i] = static_cast<std::uint8_t>(codes[i / 8] >> i % 8 * 4 & 15);
  }
  block.special = special != 0;
  return block;
}

struct quantizer_case {
  const char *format_in, *format_scale;
  quantizer_kind made;
};

TEST_CASE("a_rule_or_rounding_that_is_not_generated_has_no_number") {
  CHECK(hardware::rule_pins(mx::scale_rule::overflow_aware) == 6);
  CHECK(hardware::rounding_pins(mx::rounding::toward_zero) == 0);
  CHECK_THROWS_AS(hardware::rule_pins(mx::scale_rule::mse), std::invalid_argument);
  CHECK_THROWS_AS(hardware::rounding_pins(mx::rounding::ties_away), std::invalid_argument);
  for (const verilog::quantizer_model& made : verilog::quantizer_models) {
    CHECK(verilog::is_generated({.rules = {{.scale = made.scale}}}));
  }
}

TEST_CASE("every_quantizer_gives_the_blocks_of_the_core") {
  namespace formats = mx::formats;
  const quantizer_case cases[] = {{"f32", "e8m0", {formats::binary32, formats::e8m0, 8}},
                                  {"", "e8m3", {formats::binary32, formats::e8m(3), 24}},
                                  {"bf16", "", {formats::bfloat16, formats::e8m0, 1}},
                                  {"bf16", "e8m3", {formats::bfloat16, formats::e8m(3), 13}}};
  const dpi::context context = dpi::made();
  for (const quantizer_case& one : cases) {
    REQUIRE(mx_dpi_quantizer_select(context.get(), one.format_in, one.format_scale,
                                    static_cast<unsigned>(one.made.random_bits)) == mx_dpi_ok);
    int wrong = 0, kept = 0;
    for (const quantizer_word& word : rtl::quantizer_words(one.made, 500)) {
      const quantized_block expected = hardware::quantized(one.made, word);
      wrong += through(context, one.made, word) == expected ? 0 : 1;
      kept += expected.kept != 0 ? 1 : 0;
    }
    INFO(one.format_in << ' ' << one.format_scale);
    CHECK(wrong == 0);
    CHECK(kept > 100);
  }
}

TEST_CASE("a_simulator_that_takes_subnormals_for_zero_keeps_the_same_elements") {
  quantizer_word word = rtl::quantizer_words({}, 1).front();
  word.x.fill(0x1p-140F);
  word.x[0] = 1;
  word.deadzone = rtl::deadzone::keep;
  const dpi::context context = dpi::made();
  quantized_block flushed;
  std::thread([&] {
    tests::flush_subnormals();
    flushed = through(context, {}, word);
  }).join();
  CHECK(flushed == through(context, {}, word));
  CHECK(flushed.kept == 0xFFFFFFFE);
}

TEST_CASE("a_new_context_quantizes_fp32_to_mxfp4_with_8_random_bits") {
  const quantizer_kind made;
  const dpi::context context = dpi::made();
  for (const quantizer_word& word : rtl::quantizer_words(made, 20)) {
    CHECK(through(context, made, word) == hardware::quantized(made, word));
  }
}

}  // namespace
