// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_presets_torch.h: presets of quantizers written in Python: torchao, microxcaling,
// fouroversix, gfloat.
// Source: of each preset in its `source`; torchao 0.18.0 and microxcaling's functions were run.
#pragma once
#include "mx/presets/mx_variant.h"

namespace mx {

namespace covered {

inline constexpr block_format fp4[] = {block_formats::mxfp4};
inline constexpr block_format fp8[] = {block_formats::mxfp8_e4m3, block_formats::mxfp8_e5m2};
inline constexpr block_format fp4_and_fp6[] = {block_formats::mxfp4, block_formats::mxfp6_e2m3,
                                               block_formats::mxfp6_e3m2};
inline constexpr block_format fp4_and_fp8[] = {block_formats::mxfp4, block_formats::mxfp8_e4m3,
                                               block_formats::mxfp8_e5m2};
inline constexpr block_format floats[] = {block_formats::mxfp4, block_formats::mxfp6_e2m3,
                                          block_formats::mxfp6_e3m2, block_formats::mxfp8_e4m3,
                                          block_formats::mxfp8_e5m2};
inline constexpr block_format all[] = {block_formats::mxfp4,      block_formats::mxfp6_e2m3,
                                       block_formats::mxfp6_e3m2, block_formats::mxfp8_e4m3,
                                       block_formats::mxfp8_e5m2, block_formats::mxint8};

}  // namespace covered

namespace mx_presets {

inline constexpr element_conversion torchao_element{.nan = nan_element::fraction};

/// The development version: every special block takes 255, byte 0 is 2^-127.
[[nodiscard]] constexpr mx_variant torchao(std::string_view name, scale_operand operand,
                                           exponent_rule exponent) {
  return {.about = {name,
                    "pytorch/ao 36027d8: torchao/prototype/mx_formats/mx_tensor.py (to_mx); "
                    "torchao/testing/_mxfp8_test_utils.py",
                    "compiled code on sm_100 converts by PTX instead, and gives 254 for Inf",
                    evidence::run, covered::floats},
          .operand = operand,
          .exponent = exponent,
          .element = torchao_element};
}

/// Release 0.18: scales below 2^-126 divide as 2^-126, Inf has no special case.
[[nodiscard]] constexpr mx_variant torchao_release(std::string_view name, scale_operand operand,
                                                   exponent_rule exponent) {
  return {.about =
              {name, "pytorch/ao 0.18.0: torchao/prototype/mx_formats/mx_tensor.py (to_mx)",
               "eager mode; the result is halved where the scale is 2^-127; the sign of a NaN that "
               "a quotient makes is the processor's",
               evidence::run, covered::floats},
          .operand = operand,
          .exponent = exponent,
          .infinite = special_scale::exponent,
          .factor = element_factor::normal,
          .element = torchao_element};
}

/// Release 0.18, RCEIL: the ceiling of a rounded logarithm; byte 0 multiplies by 1.
[[nodiscard]] constexpr mx_variant torchao_release_rceil() {
  return {.about =
              {"torchao-0.18.rceil",
               "pytorch/ao 0.18.0: torchao/prototype/mx_formats/mx_tensor.py (_to_mx_rceil)",
               "eager mode on a CPU; CUDA's log2f need not be rounded correctly; the sign of a NaN "
               "that a product makes is the processor's",
               evidence::run, covered::floats},
          .operand = scale_operand::over_max,
          .exponent = exponent_rule::log2_ceil,
          .infinite = special_scale::largest,
          .factor = element_factor::one,
          .element = torchao_element};
}

/// Python functions: logarithms and sums of FP32.
[[nodiscard]] constexpr mx_variant microxcaling(std::string_view name, rounding how,
                                                cleared_blocks cleared) {
  return {.about = {name, "microsoft/microxcaling: mx/mx_ops.py, mx/elemwise_ops.py",
                    "gives values, not codes: a block with NaN or Inf is NaN whatever its codes; "
                    "CUDA's log2f need not be rounded correctly",
                    evidence::run, covered::all},
          .exponent = exponent_rule::log2_floor,
          .range = scale_range::nan_above,
          .element = {.rounding = how,
                      .zero = zero_sign::of_nonzero,
                      .method = element_method::fp32_sums},
          .cleared = cleared};
}

/// The C++ and CUDA extension: exponent fields.
[[nodiscard]] constexpr mx_variant microxcaling_extension(std::string_view name, rounding how) {
  return {.about = {name, "microsoft/microxcaling: mx/cpp/shared_exp.cuh, mx/cpp/quantize.cuh",
                    "gives values, not codes; shifts by 32 and more in its tie test are undefined, "
                    "and decide nothing",
                    evidence::read, covered::floats},
          .element = {.rounding = how, .zero = zero_sign::positive}};
}

/// The scale is a field plus one in 8 bits: a NaN wraps around to 0, and x is divided by zero.
[[nodiscard]] constexpr mx_variant fouroversix(std::string_view name, scale_operand operand) {
  return {.about = {name,
                    "mit-han-lab/fouroversix: src/fouroversix/quantize/reference.py "
                    "(quantize_to_mxfp4)",
                    "a NaN or Inf element passes through bfloat16: 3 where that conversion gives a "
                    "positive NaN, as on a GPU; PyTorch 2.15 on x86-64 gives a negative one: 11",
                    evidence::run, covered::fp4},
          .operand = operand,
          .exponent = exponent_rule::field_up,
          .nan = special_scale::smallest,
          .factor = element_factor::field,
          .element = {.nan = nan_element::one_and_a_half,
                      .infinite = infinite_element::as_nan,
                      .zero = zero_sign::of_nonzero}};
}

[[nodiscard]] constexpr mx_variant gfloat() {
  return {.about = {"gfloat", "graphcore-research/gfloat: gfloat/block.py (compute_scale_amax)",
                    "on FP32 arrays; a NaN element of a format without NaN raises an exception",
                    evidence::run, covered::floats},
          .exponent = exponent_rule::log2_floor,
          .infinite = special_scale::largest};
}

inline constexpr mx_variant torch_table[] = {
    torchao("torchao.floor", scale_operand::amax, exponent_rule::field),
    torchao("torchao.ceil", scale_operand::amax, exponent_rule::field_up),
    torchao("torchao.even", scale_operand::amax_rounded, exponent_rule::field),
    torchao("torchao.rceil", scale_operand::over_max, exponent_rule::convert_up),
    torchao_release("torchao-0.18.floor", scale_operand::amax, exponent_rule::field),
    torchao_release("torchao-0.18.ceil", scale_operand::amax, exponent_rule::field_up),
    torchao_release("torchao-0.18.even", scale_operand::amax_rounded, exponent_rule::field),
    torchao_release_rceil(),
    microxcaling("microxcaling.nearest", rounding::ties_away, cleared_blocks::none),
    microxcaling("microxcaling.even", rounding::ties_to_even, cleared_blocks::none),
    microxcaling("microxcaling.floor", rounding::toward_zero, cleared_blocks::none),
    microxcaling("microxcaling.nearest-flush", rounding::ties_away, cleared_blocks::subnormal),
    microxcaling_extension("microxcaling-extension.nearest", rounding::ties_away),
    microxcaling_extension("microxcaling-extension.even", rounding::ties_to_even),
    microxcaling_extension("microxcaling-extension.floor", rounding::toward_zero),
    fouroversix("fouroversix.static-6", scale_operand::over_max),
    fouroversix("fouroversix.static-4", scale_operand::over_power),
    gfloat()};

}  // namespace mx_presets
}  // namespace mx
