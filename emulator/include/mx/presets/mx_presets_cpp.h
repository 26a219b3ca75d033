// SPDX-License-Identifier: Apache-2.0
// mx/presets/mx_presets_cpp.h: presets of quantizers written in C and C++.
// Source: of each preset in its `source`.
#pragma once
#include "mx/presets/mx_presets_torch.h"

namespace mx::mx_presets {

inline constexpr element_conversion ggml_element{.method = element_method::search};

/// A negative float is cast to uint8_t below 2^-125. Both decoders take elements from ggml's table
/// of integers (kvalues_mxfp4), which has no -0.
[[nodiscard]] constexpr mx_variant ggml() {
  return {
      .about = {"ggml.mxfp4", "ggml-org/llama.cpp: ggml/src/ggml-quants.c (quantize_row_mxfp4_ref)",
                "undefined: amax below 2^-125 casts a negative float to uint8_t (here as x86-64 "
                "gcc does, modulo 256; ARM gives 0), Inf casts Inf (here 0)",
                evidence::run, covered::fp4, nibble_order::split_half},
      .exponent = exponent_rule::log2_floor,
      .amax = amax_nan::ignored,
      .infinite = special_scale::smallest,
      .range = scale_range::wrapped,
      .element = ggml_element,
      .decoding = e8m0_decoding::unlimited,
      .decoded_zero = minus_zero::positive};
}

[[nodiscard]] constexpr mx_variant llama_kv() {
  return {.about = {"llama-kv.mxfp4",
                    "a fork of llama.cpp with MXFP caches: ggml/src/ggml-mxfp.h "
                    "(ggml_mxfp_compute_e8m0, round_log2)",
                    "not in the main line", evidence::run, covered::fp4, nibble_order::split_half},
          .exponent = exponent_rule::field_sqrt2,
          .amax = amax_nan::ignored,
          .infinite = special_scale::exponent,
          .element = ggml_element,
          .decoding = e8m0_decoding::unlimited,
          .decoded_zero = minus_zero::positive};
}

[[nodiscard]] constexpr mx_variant universal() {
  return {
      .about = {"universal",
                "stillwater-sc/universal: include/sw/universal/number/mxfloat/mxblock_impl.hpp",
                "undefined: Inf is cast to int (here byte 0); its elements' NaN and -0 were not "
                "looked at; constant evaluation takes the exponent field instead of log2",
                evidence::run, covered::floats},
      .exponent = exponent_rule::log2_floor,
      .amax = amax_nan::ignored,
      .infinite = special_scale::smallest,
      .range = scale_range::clamped_early,
      .zero = zero_scale::one_over_power,
      .factor = element_factor::early,
      .cleared = cleared_blocks::zero};
}

inline constexpr mx_variant cpp_table[] = {ggml(), llama_kv(), universal()};

}  // namespace mx::mx_presets
