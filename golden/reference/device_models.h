// SPDX-License-Identifier: Apache-2.0
// golden/reference/device_models.h: dot products as named devices and named rules have them.
// Source: MMA-Sim, arXiv 2511.10909v2, tables of parameters by architecture and instruction
// (NVIDIA: L, F, rho, e_zero; AMD: L, P, F, F2); where a row has recorded words, they agree. e_zero
// of FP16 results: MMA-Sim 2.1, and min_exp_limit of north-numerical-computing/MATLAB-tensor-core.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "golden/reference/exact_dot.h"
#include "golden/reference/floored_dot.h"
#include "golden/reference/flushing_dot.h"
#include "golden/reference/sticky_dot.h"
#include "golden/reference/truncated_dot.h"

namespace golden {

using dot_rule =
    std::variant<truncated_fused, emulated_fp8, grouped_fused, floored_fused, flushing_pairwise,
                 exact_fused, dequantized_fma, pairwise_blocks, sticky_fused>;

///   name        `device.instruction.input.output`, or of a block-scaled kind
///   formats     of FP8 and narrower elements without scales, b may be set to another than a
///   block_size  of its scales; nothing where the model takes none, or any that divides a word
struct device_model {
  std::string name;
  word_formats formats;
  dot_rule rule;
  std::optional<std::size_t> block_size = std::nullopt;
};

/// Every model that has its formats in its name.
[[nodiscard]] const std::vector<device_model>& device_models();
[[nodiscard]] const device_model* find_device_model(std::string_view name);

/// Models of any element formats, any scale format or none, FP32 addend and result:
///   exact.rne, exact.rz      one rounding
///   fp32.fma                 one of each scaled element, and one after each product
///   fp32.sequential          one after each block, in order
///   fp32.pairwise            each block, then a tree, then the addend
///   mxdotp.l8, mxdotp.l16    one after 8 or 16 products: pulp-platform's `mxdotp` unit
///   vortex.tfr               8 products truncated with a sticky bit: Vortex's tensor core
[[nodiscard]] const std::vector<std::string>& generic_model_names();
[[nodiscard]] std::optional<device_model> generic_model(
    std::string_view name, const number_format& a, const number_format& b,
    const number_format* scale, std::optional<std::size_t> block_size = std::nullopt);

/// The bits of the result, in formats.result(); without elements, the addend.
///   errors  those of read_word
[[nodiscard]] std::uint32_t dot(const device_model& model, const word_codes& word);

}  // namespace golden
