// SPDX-License-Identifier: Apache-2.0
// tests/cross/quantizer_cross_test.cpp: mx/block/block_quantizer.h against the reference: every
// element format with every supported scale format, rule and rounding.
#include <cstdio>
#include <optional>

#include "catch.h"
#include "critical.h"

namespace {

using cross::quantization_twins;
using floats = std::vector<float>;

std::string hex(std::uint32_t bits) {
  char text[16];
  std::snprintf(text, sizeof text, "%08x", bits);
  return text;
}

std::string text_of(const quantization_twins& q, const floats& x, float tensor) {
  std::string text = q.text() + "\n  tensor scale " + hex(mx::bits_of(tensor)) + "\n  x";
  for (const float value : x) text += " " + hex(mx::bits_of(value));
  return text;
}

bool same_scale(const quantization_twins& q, const mx::chosen_scale& core,
                const golden::block_scale& reference) {
  const bool special = reference.value.kind == golden::number_kind::nan;
  if (core.special != special) return false;
  if (q.is_exact()) {
    return special || cross::magnitude_of(core.ratio.numerator) /
                              cross::magnitude_of(core.ratio.denominator) ==
                          reference.value.value.magnitude;
  }
  return core.code == reference.code;
}

/// Empty if both sides agree on the scale and on every code.
std::optional<std::string> difference(const quantization_twins& q, const floats& x, float tensor,
                                      std::uint64_t number) {
  const auto scaling = tensor == 1.0F ? mx::tensor_scaling::none : mx::tensor_scaling::per_tensor;
  const mx::quantization core = q.core(scaling, 1, static_cast<int>(x.size()));
  std::vector<std::uint8_t> codes(x.size());
  const mx::unpacked above = tensor == 1.0F ? mx::no_tensor_scale : mx::unpack(tensor);
  const mx::chosen_scale scale = mx::quantize_block(core, x.data(), above, number, codes.data());
  const golden::quantized_block expected = golden::quantize_block(
      x, q.reference(), golden::value_of(tensor).magnitude, number * x.size());
  if (!same_scale(q, scale, expected.scale)) {
    return "scale code " + std::to_string(scale.code) + ", golden has " +
           std::to_string(expected.scale.code) + "\n  " + text_of(q, x, tensor);
  }
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (codes[i] == expected.codes[i]) continue;
    return "element " + std::to_string(i) + " has code " + std::to_string(codes[i]) +
           ", golden has " + std::to_string(expected.codes[i]) + "\n  " + text_of(q, x, tensor);
  }
  return {};
}

bool is_in_the_reference(const quantization_twins& q) {
  return !mx::is_four_over_six(q.rule.core) || q.scale.name == "ue4m3";
}

/// The number of quantizations, and of blocks for each.
struct extent {
  int every_fraction;  ///< of E8M1 to E8M16 every one, or every fifth
  int blocks;
};

std::vector<quantization_twins> quantizations(extent how_many) {
  std::vector<quantization_twins> list;
  for (const auto& element : cross::element_formats()) {
    for (const auto& rule : cross::rules()) {
      for (const auto& scale : cross::scale_formats()) {
        const bool thinned =
            scale.name.starts_with("e8m") && scale.name != "e8m0" &&
            scale.core.fraction_bits % how_many.every_fraction != 1 % how_many.every_fraction;
        quantization_twins q{element, scale, rule};
        if (!thinned && is_in_the_reference(q)) list.push_back(q);
      }
      quantization_twins q{element, cross::scale_formats().front(), rule};
      q.precision = mx::scale_precision::exact;
      list.push_back(q);
    }
  }
  return list;
}

bool is_refused(const quantization_twins& q, mx::tensor_scaling tensor, std::size_t size) {
  return mx::refusal_of(q.core(tensor, 1, static_cast<int>(size))) != mx::refusal::none;
}

// One rounding after the other; the stochastic one with every number of bits and both maps.
void turn(quantization_twins& q, std::size_t step) {
  q.rounding = cross::roundings()[step % cross::roundings().size()];
  q.random = {0x1234567890ABCDEFU + step, 1 + static_cast<int>(step % 24),
              step % 2 == 0 ? mx::byte_map::ptx : mx::byte_map::te_soft};
}

constexpr std::size_t sizes[] = {32, 16, 7, 1};

void expect_agreement(extent how_many) {
  std::mt19937 random(3);
  std::size_t step = 0, allowed = 0;
  for (quantization_twins q : quantizations(how_many)) {
    if (is_refused(q, mx::tensor_scaling::none, 32)) continue;
    ++allowed;
    for (int i = 0; i < how_many.blocks; ++i) {
      turn(q, ++step);
      const floats x = cross::critical_block(q, sizes[step % 4], 1.0F, random);
      const auto message = difference(q, x, 1.0F, random());
      INFO(message.value_or(""));
      CHECK_FALSE(message.has_value());
      if (message) break;
    }
  }
  CHECK(allowed > 300);
}

TEST_CASE("critical_blocks_agree_under_every_format_rule_and_rounding") {
  expect_agreement({5, 16});
}

TEST_CASE("many_critical_blocks_agree_under_every_format_rule_and_rounding", "[.nightly]") {
  expect_agreement({1, 250});
}

TEST_CASE("critical_blocks_agree_in_elements_without_a_name") {
  std::mt19937 random(5);
  std::size_t step = 0, allowed = 0;
  for (const auto& element : cross::drawn_elements()) {
    for (int i = 0; i < 12; ++i) {
      quantization_twins q{element, cross::scale_formats()[random() % 20],
                           cross::rules()[random() % cross::rules().size()]};
      if (i % 4 == 0) q.precision = mx::scale_precision::exact;
      turn(q, ++step);
      const float tensor = i % 3 == 0 ? 0x1.8p-7F : 1.0F;
      const auto scaling = i % 3 == 0 ? mx::tensor_scaling::per_tensor : mx::tensor_scaling::none;
      const std::size_t size = sizes[step % 4];
      if (is_refused(q, scaling, size) || !is_in_the_reference(q)) continue;
      ++allowed;
      const floats x = cross::critical_block(q, size, tensor, random);
      const auto message = difference(q, x, tensor, random());
      INFO(message.value_or(""));
      CHECK_FALSE(message.has_value());
    }
  }
  CHECK(allowed > 2000);
}

TEST_CASE("critical_blocks_agree_under_a_tensor_scale") {
  std::mt19937 random(4);
  std::size_t step = 0;
  for (quantization_twins q : quantizations({5, 0})) {
    if (is_refused(q, mx::tensor_scaling::per_tensor, 16)) continue;
    for (const float tensor : {0x1.8p-7F, 0x1.c71c72p-12F, 0x1.fffffep+3F, 0x1.5p-140F}) {
      for (int i = 0; i < 4; ++i) {
        turn(q, ++step);
        const floats x = cross::critical_block(q, 16, tensor, random);
        const auto message = difference(q, x, tensor, random());
        INFO(message.value_or(""));
        CHECK_FALSE(message.has_value());
      }
    }
  }
}

TEST_CASE("odd_blocks_agree_under_every_format_and_rule") {
  std::size_t step = 0;
  for (quantization_twins q : quantizations({5, 0})) {
    if (is_refused(q, mx::tensor_scaling::none, 32)) continue;
    turn(q, ++step);
    for (const floats& x : cross::odd_blocks(step % 3 == 0 ? 32 : 9)) {
      const auto message = difference(q, x, 1.0F, 0);
      INFO(message.value_or(""));
      CHECK_FALSE(message.has_value());
    }
  }
}

}  // namespace
