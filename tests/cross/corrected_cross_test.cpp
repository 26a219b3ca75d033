// SPDX-License-Identifier: Apache-2.0
// tests/cross/corrected_cross_test.cpp: mx/block/corrected_quantizer.h against the reference's
// macro blocks and fallback, against mx/tensor/operand.h, and against its formulas in rationals.
#include "blocks.h"
#include "catch.h"
#include "critical.h"
#include "golden/reference/corrections.h"
#include "mx/block/corrected_quantizer.h"
#include "mx/tensor/operand.h"

namespace {

using cross::quantization_twins;
using golden::rational;
using floats = std::vector<float>;

/// A vector's codes, scales, factors and values, and the memory for them.
struct coded_vector {
  std::vector<std::uint8_t> codes;
  std::vector<std::uint32_t> scales;
  std::vector<std::uint16_t> fractions;
  floats values;

  explicit coded_vector(std::size_t count)
      : codes(count), scales(count), fractions(count), values(count) {}
  [[nodiscard]] mx::coded_line line() { return {codes.data(), scales.data(), fractions.data()}; }
};

std::vector<std::uint32_t> bits_of(const floats& values) {
  std::vector<std::uint32_t> bits;
  for (const float x : values) bits.push_back(mx::bits_of(x));
  return bits;
}

coded_vector quantized(const mx::quantization& q, const mx::corrections& c, floats x,
                       std::uint64_t first = 0) {
  REQUIRE(mx::refusal_of(q) == mx::refusal::none);
  REQUIRE(mx::refusal_of(q, c) == mx::correction_refusal::none);
  coded_vector line(x.size()), residual(x.size());
  const mx::coded_passes passes{line.line(), residual.line()};
  const mx::line_place place{static_cast<int>(x.size()), mx::no_tensor_scale, {first, 1}};
  mx::quantize_line(q, c, x.data(), place, passes, line.values.data(), residual.values.data());
  floats again(x.size()), scratch(x.size());
  mx::dequantize_line(q.format, c, passes, place, again.data(), scratch.data());
  if (q.format.precision == mx::scale_precision::stored) {
    REQUIRE(bits_of(again) == bits_of(line.values));
  }
  return line;
}

std::vector<cross::named_block> vectors() {
  std::vector<cross::named_block> blocks = cross::special_blocks();
  for (const auto& block : cross::random_blocks(60)) blocks.push_back(block);
  const std::vector<cross::named_block> edges = cross::edge_blocks();
  for (std::size_t i = 0; i < edges.size(); i += 9) blocks.push_back(edges[i]);
  return cross::vectors_of(blocks);
}

struct corrected_case {
  int macro_block;
  int macro_bits;
  float alpha;
};

mx::corrections corrections_of(const corrected_case& c) {
  mx::corrections result;
  result.macro_block = c.macro_block;
  result.macro_bits = c.macro_bits;
  result.fallback = c.alpha != 0.0F ? mx::fallback_mode::all : mx::fallback_mode::none;
  result.alpha = c.alpha;
  return result;
}

floats reference_values(const corrected_case& c, golden::scale_rule rule, const floats& x) {
  const golden::macro_block_shape shape{c.macro_block, c.macro_bits};
  if (c.alpha == 0.0F) return golden::macro_block_quantize(x, rule, shape);
  return golden::outlier_fallback(x, rule, c.alpha,
                                  c.macro_block > 0 ? std::optional(shape) : std::nullopt);
}

floats operand_values(const corrected_case& c, mx::scale_rule rule, const floats& x) {
  mx::operand f{mx::operand_numbers::coded};
  f.recipe.rules = {{}, rule};
  f.recipe.corrections = corrections_of(c);
  floats out(x.size());
  const int count = static_cast<int>(x.size());
  mx::fake_quantize(f, mx::operand_rows{1, count, x.data(), count}, {out.data(), count});
  return out;
}

TEST_CASE("macro_blocks_and_fallback_on_everything_agree_with_the_reference_and_the_operand") {
  const std::vector<cross::named_block> all = vectors();
  std::size_t step = 0;
  for (const auto& rule : cross::rules()) {
    if (!mx::is_power_of_two_rule(rule.core)) continue;
    for (const corrected_case c : {corrected_case{128, 8, 0.0F},
                                   {32, 3, 0.0F},
                                   {160, 1, 0.0F},
                                   {0, 8, 0.5F},
                                   {0, 8, -1.25F},
                                   {64, 8, 0.5F},
                                   {96, 16, 1.0F}}) {
      for (std::size_t i = step++ % 17; i < all.size(); i += 17) {
        const floats& x = all[i].values;
        INFO(rule.name << ", macro block " << c.macro_block << ", alpha " << c.alpha << ", "
                       << all[i].name);
        const mx::quantization q{{}, rule.core};
        const auto found = bits_of(quantized(q, corrections_of(c), x).values);
        REQUIRE(found == bits_of(operand_values(c, rule.core, x)));
        REQUIRE(found == bits_of(reference_values(c, rule.reference, x)));
      }
    }
  }
}

// Largest fraction of f with f * amax <= max * 2^k, where max * 2^k / amax lies in [1, 2).
std::uint32_t reference_fraction(const golden::number_format& element, const rational& amax,
                                 int bits) {
  if (amax == 0) return 0;
  const rational ratio = element.largest() / amax;
  const rational bound = ratio * golden::power_of_two(bits - golden::floor_log2(ratio));
  return golden::floor_of(bound).convert_to<std::uint32_t>() - (1U << bits);
}

rational gain_of(mx::pre_gain gain) {
  if (gain == mx::pre_gain::one) return 1;
  return gain == mx::pre_gain::three_quarters ? rational(3, 4) : rational(16, 17);
}

// One block: the scale from f x, codes of f g x / s, values RNE32(code s / (f g)).
void expect_block(const quantization_twins& q, const mx::corrections& c, const floats& x,
                  const rational& factor, std::uint64_t first, const coded_vector& found,
                  std::size_t at) {
  golden::exact_block scaled = golden::values_of(x);
  for (auto& value : scaled) value.magnitude *= factor;
  const golden::block_scale scale =
      golden::choose_scale(scaled, *q.element.reference, q.reference().scale, q.rule.reference);
  REQUIRE(found.scales[at / x.size()] == scale.code);
  const rational seen = scale.value.value.magnitude;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const golden::signed_value value{
        scaled[i].negative,
        seen == 0 ? rational(0) : rational(scaled[i].magnitude * gain_of(c.gain) / seen)};
    const golden::random_draw draw = golden::draw_for(
        {q.random.seed, q.random.bits, golden::byte_map::ptx}, first * x.size() + at + i);
    const std::uint32_t code =
        golden::rounded_element(*q.element.reference, value, q.rounding.reference, draw);
    REQUIRE(found.codes[at + i] == code);
    const golden::number stood{golden::number_kind::finite,
                               {false, seen / (factor * gain_of(c.gain))}};
    REQUIRE(mx::bits_of(found.values[at + i]) ==
            golden::bits_of(golden::dequantized(q.element.reference->decode(code), stood, 1)));
  }
}

void expect_line(const quantization_twins& q, const mx::corrections& c, const floats& x) {
  constexpr std::uint64_t first = 12345;
  const mx::quantization core = q.core(mx::tensor_scaling::none, 1, 16);
  const coded_vector found = quantized(core, c, x, first);
  const std::size_t span = c.macro_block > 0 ? static_cast<std::size_t>(c.macro_block) : x.size();
  for (std::size_t begin = 0; begin < x.size(); begin += span) {
    const std::size_t end = std::min(begin + span, x.size());
    const auto place = [&](std::size_t i) { return x.begin() + static_cast<std::ptrdiff_t>(i); };
    rational factor = 1;
    if (c.macro_block > 0) {
      const rational amax = golden::amax_of(golden::values_of(floats(place(begin), place(end))));
      const std::uint32_t fraction = reference_fraction(*q.element.reference, amax, c.macro_bits);
      REQUIRE(found.fractions[begin / span] == fraction);
      factor += fraction * golden::power_of_two(-c.macro_bits);
    }
    for (std::size_t at = begin; at < end; at += 16) {
      expect_block(q, c, floats(place(at), place(at + 16)), factor, first, found, at);
    }
  }
}

TEST_CASE("macro_factors_and_gains_follow_their_formulas_under_every_format_and_rule") {
  std::mt19937 random(31);
  std::size_t step = 0;
  for (const auto& element : cross::element_formats()) {
    for (const auto& scale : cross::scale_formats()) {
      for (const auto& rule : cross::rules()) {
        if (!mx::follows_from_amax(rule.core) || ++step % 2 != 0) continue;
        quantization_twins q{element, scale, rule};
        if (mx::refusal_of(q.core(mx::tensor_scaling::none, 1, 16)) != mx::refusal::none) continue;
        q.rounding = cross::roundings()[random() % 5];
        q.random = {random(), 1 + static_cast<int>(random() % 16)};
        mx::corrections c;
        c.gain = static_cast<mx::pre_gain>(random() % 3);
        c.macro_block = static_cast<int>(random() % 4) * 16;
        c.macro_bits = 1 + static_cast<int>(random() % 16);
        INFO(q.text() << ", gain " << static_cast<int>(c.gain) << ", macro block " << c.macro_block
                      << ", bits " << c.macro_bits);
        expect_line(q, c, cross::critical_block(q, 80, 1.0F, random));
      }
    }
  }
}

TEST_CASE("gains_apply_to_searched_and_unrounded_scales_too") {
  std::mt19937 random(32);
  for (const auto& element : cross::element_formats()) {
    for (const mx::pre_gain gain :
         {mx::pre_gain::three_quarters, mx::pre_gain::sixteen_seventeenths}) {
      for (const auto& rounding : cross::roundings()) {
        mx::corrections c;
        c.gain = gain;
        quantization_twins q{element, cross::scale_formats()[0], cross::rules()[9], rounding};
        REQUIRE(q.rule.name == "mse");
        INFO(q.text());
        expect_line(q, c, cross::critical_block(q, 48, 1.0F, random));
        q.rule = cross::rules()[8];
        q.precision = mx::scale_precision::exact;
        expect_line(q, c, cross::critical_block(q, 48, 1.0F, random));
      }
    }
  }
}

}  // namespace
