// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/golden_quantizer.cpp: blocks of MXFP4 from packed vectors.
#include "rtl_models/dpi/golden_quantizer.h"

#include "emulator/tools/generated_recipes.h"
#include "mx/spelling.h"
#include "rtl_models/dpi/dpi_refusal.h"
#include "rtl_models/dpi/packed_vector.h"

namespace hardware {
namespace {

constexpr int factor_bits = mx::corrections{}.macro_bits;

static_assert(mx_dpi_scale_floor == 0 && mx_dpi_scale_rceil == 1 && mx_dpi_scale_ceil == 2 &&
              mx_dpi_scale_even == 3 && mx_dpi_scale_floor6 == 4 && mx_dpi_scale_midmax == 5 &&
              mx_dpi_scale_overflow_aware == 6);
static_assert(mx_dpi_round_toward_zero == 0 && mx_dpi_round_ties_to_even == 1 &&
              mx_dpi_round_stochastic == 2);

/// The value of a table of the hardware by its number on the pins.
template <class Table>
auto value_of(const Table& table, int number, const char* sentence) {
  for (const auto& known : table) {
    if (known.number == number) return known.value;
  }
  throw dpi_refusal(mx_dpi_bad_argument, sentence);
}

mx::scale_rule rule_of(int number) {
  return value_of(verilog::generated_rules, number, "there is no such scale rule");
}
mx::rounding rounding_of(int number) {
  return value_of(verilog::generated_roundings, number, "there is no such rounding");
}

void expect_numbers(const quantizer_input& given) {
  static_cast<void>(rounding_of(given.rounding));
  require(given.factor >> factor_bits == 0, "the factor has at most 8 bits");
  require(given.deadzone == mx_dpi_deadzone_flush || given.deadzone == mx_dpi_deadzone_keep,
          "the deadzone flushes or keeps");
}

}  // namespace

void golden_quantizer::select(const std::string& format_in, const std::string& format_scale,
                              unsigned random_bits) {
  require(random_bits >= 1 && random_bits <= 24, "random_bits is 1 to 24");
  mx::format in = mx::formats::binary32, scale = mx::formats::e8m0;
  try {
    if (!format_in.empty()) in = mx::number_format_spelled(format_in);
    if (!format_scale.empty()) scale = mx::scale_format_spelled(format_scale);
  } catch (const std::invalid_argument& wrong) {
    throw dpi_refusal(mx_dpi_bad_name, wrong.what());
  }
  if (in != mx::formats::binary32 && in != mx::formats::bfloat16) {
    throw dpi_refusal(mx_dpi_unsupported, "a quantizer takes bf16 or f32");
  }
  if (!verilog::is_generated({.rules = {{.scale = scale}}})) {
    throw dpi_refusal(mx_dpi_unsupported, "the scale is e8m0, or has fraction bits below e8");
  }
  in_ = in;
  scale_ = scale;
  random_bits_ = static_cast<int>(random_bits);
}

mx::rounder golden_quantizer::rounder_of(const quantizer_input& given, int element) const {
  const mx::rounding mode = rounding_of(given.rounding);
  if (mode != mx::rounding::stochastic) return mode;
  return {random_bits_, field_of(given.random, element * random_bits_, random_bits_)};
}

std::array<float, mx_dpi_block> golden_quantizer::numbers_of(const svBitVecVal* x) const noexcept {
  const int lacking = mx::formats::binary32.width() - in_.width();
  std::array<float, mx_dpi_block> made{};
  int lowest = 0;
  for (float& number : made) {
    number = mx::float_of(field_of(x, lowest, in_.width()) << lacking);
    lowest += in_.width();
  }
  return made;
}

quantizer_output golden_quantizer::quantize(const quantizer_input& given) const {
  expect_numbers(given);
  const std::array<float, mx_dpi_block> x = numbers_of(given.x);
  const mx::quantization q{{.scale = scale_}, rule_of(given.rule)};
  const mx::corrections c{.macro_block = given.factor == 0 ? 0 : mx_dpi_block};
  const mx::chosen_scale scale =
      mx::scale_under_factor(q, c, given.factor, x.data(), mx::no_tensor_scale);
  quantizer_output out{.scale = scale.code, .special = scale.special};
  if (scale.special) return out;
  const mx::scale_ratio seen = mx::seen_ratio(scale.ratio, c, given.factor);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const mx::format& element = q.format.element;
    const mx::rounder how = rounder_of(given, static_cast<int>(i));
    const mx::unpacked value = mx::unpack(x[i]);
    const std::uint32_t code = mx::element_code(element, value, seen, how);
    out.codes[i] = static_cast<std::uint8_t>(code);
    // Not by a comparison of numbers: a simulator may treat subnormals as zero.
    const bool dead = !value.is_zero() && (code & element.magnitude_mask()) == 0;
    if (dead && given.deadzone == mx_dpi_deadzone_keep) out.kept |= std::uint32_t{1} << i;
  }
  return out;
}

}  // namespace hardware
