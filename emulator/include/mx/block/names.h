// SPDX-License-Identifier: Apache-2.0
// mx/block/names.h: names of formats, rules and roundings, each with one sentence.
// The names of packings, layouts and variants are defined with them.
#pragma once
#include <array>
#include <string_view>

#include "mx/block/block_quantizer.h"
#include "mx/block/corrected_quantizer.h"

namespace mx {

/// A value, its name on the command line, and what it means.
template <class T>
struct named {
  T value;
  std::string_view name, sentence;
};

inline constexpr std::array element_format_table{
    named<format>{formats::e2m1, "e2m1", "4 bits, up to 6 (OCP)"},
    named<format>{formats::e2m3, "e2m3", "6 bits, up to 7.5 (OCP)"},
    named<format>{formats::e3m2, "e3m2", "6 bits, up to 28 (OCP)"},
    named<format>{formats::e4m3, "e4m3", "8 bits, up to 448, NaN and no Inf (OCP)"},
    named<format>{formats::e5m2, "e5m2", "8 bits, up to 57344, Inf and NaN (OCP)"},
    named<format>{formats::int8, "int8", "two's complement in units of 2^-6, up to 127/64 (OCP)"},
    named<format>{formats::e4m3fnuz, "e4m3fnuz", "8 bits, bias 8, up to 240, one NaN, no -0"},
    named<format>{formats::e5m2fnuz, "e5m2fnuz", "8 bits, bias 16, up to 57344, one NaN, no -0"}};

/// Formats too wide to be elements of a block: of inputs, operands, sums and results.
inline constexpr std::array wide_format_table{
    named<format>{formats::binary16, "f16", "FP16, IEEE 754's binary16"},
    named<format>{formats::bfloat16, "bf16", "BF16, the upper half of FP32"},
    named<format>{formats::tf32, "tf32", "TF32: FP32 with 10 fraction bits"},
    named<format>{formats::binary32, "f32", "FP32, IEEE 754's binary32"}};

/// A format of scales; `exact` is binary32 in name only. In a format's spelling, which files and
/// hashes of studies have, FP32 is `fp32`; f32 is read too.
struct scale_name {
  format value;
  scale_precision precision;
  std::string_view name, sentence;
};

/// In addition e8m1 to e8m16: a power of two with that many fraction bits.
inline constexpr std::array scale_format_table{
    scale_name{formats::e8m0, scale_precision::stored, "e8m0",
               "powers of two from 2^-127 to 2^127, NaN (OCP)"},
    scale_name{formats::ue4m3, scale_precision::stored, "ue4m3",
               "E4M3 without the sign, up to 448 (NVFP4)"},
    scale_name{formats::ue5m3, scale_precision::stored, "ue5m3",
               "5 exponent and 3 fraction bits, up to 114688"},
    scale_name{formats::binary32, scale_precision::stored, "fp32", "a binary32 number"},
    scale_name{formats::binary32, scale_precision::exact, "exact",
               "amax / max as it is; not for quantize, which could not store it"}};

inline constexpr std::array scale_rule_table{
    named<scale_rule>{scale_rule::floor, "floor",
                      "e = floor(log2 amax) - emax; the largest elements may saturate (OCP)"},
    named<scale_rule>{scale_rule::ceil, "ceil", "e = ceil(log2 amax) - emax (torchao)"},
    named<scale_rule>{scale_rule::even, "even",
                      "floor, plus one where amax / 2^floor(log2 amax) >= 2 - 2^-(m+1)"},
    named<scale_rule>{scale_rule::rceil, "rceil",
                      "the smallest scale with max * scale >= amax; nothing saturates"},
    named<scale_rule>{scale_rule::floor6, "floor6", "the largest scale with max * scale <= amax"},
    named<scale_rule>{scale_rule::midmax, "midmax",
                      "the smallest e with (max + 2^(emax+1)) / 2 * 2^e >= amax (Brevitas)"},
    named<scale_rule>{scale_rule::overflow_aware, "overflow-aware",
                      "the smallest e whose largest element rounds to max at most"},
    named<scale_rule>{scale_rule::static_four, "static-4",
                      "the largest element becomes 4 instead of 6 (E2M1; static 6 is rceil)"},
    named<scale_rule>{scale_rule::ideal, "ideal",
                      "amax / max to the nearest scale; NVFP4's own rule"},
    named<scale_rule>{scale_rule::mse, "mse",
                      "of rceil's scale, or ideal's where scales have fraction bits, and its two "
                      "neighbours the one with the least squared error under nearest-even"},
    named<scale_rule>{scale_rule::quest, "quest",
                      "from the standard deviation: 2^e <= 2.92247856 * std / max (Quartet)"},
    named<scale_rule>{scale_rule::four_over_six_mse, "4over6-mse",
                      "amax to 6 or to 4, what has the smaller sum of squares under nearest-even"},
    named<scale_rule>{
        scale_rule::four_over_six_mae, "4over6-mae",
        "amax to 6 or to 4, what has the smaller sum of magnitudes under nearest-even"},
    named<scale_rule>{scale_rule::four_over_six_abs_max, "4over6-abs-max",
                      "amax to 6 or to 4, what has the smaller largest error under nearest-even"}};

/// How many entries of a table have a value.
template <class Table, class Value>
[[nodiscard]] constexpr int entries_of(const Table& table, const Value& value) noexcept {
  int count = 0;
  for (const auto& entry : table) count += entry.value == value ? 1 : 0;
  return count;
}

// Each rule is listed once: a rule is a value that has a basis.
static_assert([] {
  for (int value = 0; value < 256; ++value) {
    const auto rule = static_cast<scale_rule>(value);
    const int expected = basis_of(rule) == scale_basis::none ? 0 : 1;
    if (entries_of(scale_rule_table, rule) != expected) return false;
  }
  return true;
}());

inline constexpr std::array rounding_table{
    named<rounding>{rounding::ties_to_even, "nearest-even", "to nearest, a tie to the even code"},
    named<rounding>{rounding::ties_away, "nearest-away", "to nearest, a tie away from zero"},
    named<rounding>{rounding::ties_toward_zero, "nearest-zero", "to nearest, a tie toward zero"},
    named<rounding>{rounding::toward_zero, "toward-zero", "what the grid lacks is cut off"},
    named<rounding>{rounding::stochastic, "stochastic",
                    "up with the probability of what is cut off, from --seed"}};

inline constexpr std::array byte_map_table{
    named<byte_map>{byte_map::ptx, "ptx", "bits 7:0, 23:16, 15:8, 31:24 for elements 0 to 3"},
    named<byte_map>{byte_map::te_soft, "te-soft", "bits 7:0, 15:8, 23:16, 31:24"}};

inline constexpr std::array block_format_table{
    named<block_format>{block_formats::mxfp4, "mxfp4", "E2M1, an E8M0 scale for every 32 (OCP)"},
    named<block_format>{block_formats::mxfp6_e2m3, "mxfp6-e2m3", "E2M3, E8M0 for every 32 (OCP)"},
    named<block_format>{block_formats::mxfp6_e3m2, "mxfp6-e3m2", "E3M2, E8M0 for every 32 (OCP)"},
    named<block_format>{block_formats::mxfp8_e4m3, "mxfp8-e4m3", "E4M3, E8M0 for every 32 (OCP)"},
    named<block_format>{block_formats::mxfp8_e5m2, "mxfp8-e5m2", "E5M2, E8M0 for every 32 (OCP)"},
    named<block_format>{block_formats::mxint8, "mxint8", "INT8, E8M0 for every 32 (OCP)"},
    named<block_format>{block_formats::nvfp4, "nvfp4",
                        "E2M1, UE4M3 for every 16, an FP32 scale for the tensor"},
    named<block_format>{block_formats::nvfp4_2d, "nvfp4-2d", "the same with tiles of 16x16"},
    named<block_format>{block_formats::fp8_1x128, "fp8-1x128", "E4M3, FP32 for every 128"},
    named<block_format>{block_formats::fp8_128x128, "fp8-128x128",
                        "E4M3, FP32 for every tile of 128x128"}};

inline constexpr std::array fallback_score_table{
    named<fallback_score>{fallback_score::dead_energy, "dead", "share of energy that becomes zero"},
    named<fallback_score>{fallback_score::amax, "amax", "largest magnitude"},
    named<fallback_score>{fallback_score::crest, "crest", "amax over the root mean square"}};

/// The default rule of a format: `floor` with power-of-two scales, else `ideal`.
[[nodiscard]] MX_HD constexpr scale_rule default_rule(const block_format& f) noexcept {
  return f.scale.fraction_bits == 0 ? scale_rule::floor : scale_rule::ideal;
}

}  // namespace mx
