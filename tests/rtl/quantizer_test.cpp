// SPDX-License-Identifier: Apache-2.0
// tests/rtl/quantizer_test.cpp: the Verilated modules mx_quantizer_* against the core, block by
// block, under random stalls on both sides.
#include "catch.h"
#include "mx/block/components.h"
#include "verilated_quantizers.h"

namespace {

using rtl::quantized_block, rtl::quantizer_word;

std::string text_of(const char* format, std::size_t i, std::uint32_t x, std::uint32_t got,
                    std::uint32_t wanted) {
  char text[120];
  std::snprintf(text, sizeof text, format, i, x, got, wanted);
  return text;
}

/// The first difference, and the word that led to it.
std::string difference(const quantizer_word& word, const quantized_block& got,
                       const quantized_block& wanted) {
  std::string text = std::string(word.kind) + ", rule " +
                     std::to_string(static_cast<int>(hardware::rule_pins(word.rule))) +
                     ", rounding " + std::to_string(static_cast<int>(word.rounding)) +
                     ", factor fraction " + std::to_string(word.fraction);
  if (got.scale != wanted.scale) {
    text += text_of(" (%zu elements, special %u): scale RTL %03x, core %03x", rtl::block_size,
                    wanted.special ? 1 : 0, got.scale, wanted.scale);
  }
  text += text_of(", elements kept of %zu (special %u) RTL %08x, core %08x", rtl::block_size,
                  wanted.special ? 1 : 0, got.kept, wanted.kept);
  for (std::size_t i = 0; i < rtl::block_size; ++i) {
    if (got.codes[i] == wanted.codes[i]) continue;
    text += text_of(", element %zu of bits %08x: RTL %x, core %x", i, mx::bits_of(word.x[i]),
                    got.codes[i], wanted.codes[i]);
    break;
  }
  return text;
}

/// Text of the first difference of a module under stalls, or empty.
std::string reports_of(const rtl::quantizer_entry& module, rtl::quantizer_module& dut,
                       const std::vector<quantizer_word>& words) {
  rtl::lockstep<quantizer_word, quantized_block> run(dut, rtl::stalls::sometimes);
  return run.run(
      words, [&](const quantizer_word& word) { return quantized(module.made, word); }, difference);
}

/// Words of all kinds for each module, at least `total` of them.
void expect_equality(int total) {
  constexpr int kinds = 11;
  const auto& modules = rtl::quantizers();
  const int count = total / (kinds * static_cast<int>(modules.size())) + 1;
  std::size_t words_in_all = 0;
  for (const rtl::quantizer_entry& module : modules) {
    const std::vector<quantizer_word> words = rtl::quantizer_words(module.made, count);
    words_in_all += words.size();
    const auto dut = module.make();
    const std::string message = reports_of(module, *dut, words);
    INFO(module.name << ": " << message);
    CHECK(message.empty());
  }
  CHECK(words_in_all >= static_cast<std::size_t>(total));
}

TEST_CASE("every_quantizer_gives_the_blocks_of_the_core") { expect_equality(100000); }
TEST_CASE("a_million_blocks_are_those_of_the_core", "[.][nightly]") { expect_equality(1000000); }

TEST_CASE("elements_that_are_kept_are_those_that_pass_where_the_deadzone_is_off") {
  using mx::component;
  const rtl::quantizer_entry& module = rtl::quantizers()[2];
  std::vector<quantizer_word> words = rtl::quantizer_words(module.made, 200);
  for (quantizer_word& word : words) {
    word.fraction = 0;
    word.rounding = mx::rounding::ties_to_even;
    word.deadzone = rtl::deadzone::keep;
  }
  const auto dut = module.make();
  rtl::lockstep<quantizer_word, quantized_block> run(*dut, rtl::stalls::never);
  std::size_t kept = 0;
  const auto operated = [&](const quantizer_word& word) {
    quantized_block block = quantized(module.made, word);
    const mx::unpacked amax = mx::extent_of(word.x.data(), rtl::block_size).amax;
    if (block.special || amax.is_zero()) return block;
    const mx::e8m0 scale{static_cast<std::uint8_t>(block.scale)};
    block.kept = 0;
    for (std::size_t i = 0; i < rtl::block_size; ++i) {
      const float value =
          mx::operate(mx::unpack(word.x[i]), amax, scale, component::scale | component::grid);
      const float flushed = mx::dequantize(mx::e2m1{block.codes[i]}, scale);
      const bool passes = value != flushed;
      block.kept |= static_cast<std::uint32_t>(passes ? 1 : 0) << i;
      kept += passes ? 1 : 0;
    }
    return block;
  };
  const std::string message = run.run(words, operated, difference);
  INFO(message);
  CHECK(message.empty());
  CHECK(kept > 1000);
}

TEST_CASE("one_block_a_cycle_where_nobody_waits") {
  const rtl::quantizer_entry& module = rtl::quantizers().front();
  const auto dut = module.make();
  const quantizer_word word = rtl::quantizer_words(module.made, 1).front();
  CHECK(rtl::results_without_stalls(*dut, word, 100) == 97);  // three stages
}

TEST_CASE("a_reset_in_the_middle_of_a_burst_forgets_its_blocks_and_nothing_else") {
  for (const rtl::quantizer_entry& module : rtl::quantizers()) {
    const std::vector<quantizer_word> words = rtl::quantizer_words(module.made, 2);
    const auto dut = module.make();
    for (int cycles = 1; cycles <= 8; ++cycles) {
      INFO(module.name << " after " << cycles << " cycles");
      CHECK(rtl::results_after_reset(*dut, words.front(), cycles) == 0);
      rtl::fill(*dut, words.front(), cycles);
      const std::string message = reports_of(module, *dut, words);
      INFO(message);
      CHECK(message.empty());
    }
  }
}

}  // namespace
