// SPDX-License-Identifier: Apache-2.0
// sim/train/step_products.h: the products of one layer in one GRPO step in the form of a tensor
// core: codes of MXFP4 and their scales, as input for models of hardware.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Lines of codes along k, two a byte, the first in the low bits, and a scale for each 32.
struct coded_lines {
  std::vector<std::uint8_t> codes, scales;
};

/// `count` products D = A * B, one after another, of (m, k) and (n, k).
///   name                  pass.linear
///   k                     a multiple of 64, padded with zeros
///   a_numbers, b_numbers  that the codes are of
///   d                     as the step computes it, (m, n)
struct coded_products {
  std::string name;
  std::uint64_t count = 1, m = 0, n = 0, k = 0;
  coded_lines a, b;
  std::vector<float> a_numbers{}, b_numbers{}, d{};
};

/// Of the linears, those of experts that have tokens: forward (tokens, out) of X and W, dgrad
/// (tokens, in) of dY and W, wgrad (out, in) of dY and X, one product a sequence, or more sequences
/// (pass_format).
///   a      plain MXFP4 in all passes, under any model
///   state  before the step
///   errors  std::invalid_argument for any other arm, and for several updates a batch
[[nodiscard]] std::vector<coded_products> step_products(const setting& s, const arm& a,
                                                        training_state state, int layer);

/// As safetensors: NAME.a, NAME.b of (count, lines, k / 2), NAME.scale_a, NAME.scale_b of
/// (count, lines, k / 32), bytes.
void save_products(const std::filesystem::path& file, const std::vector<coded_products>& products);

/// As safetensors: NAME.a of (count, m, k), NAME.b of (count, n, k), NAME.d of (count, m, n), FP32.
void save_results(const std::filesystem::path& file, const std::vector<coded_products>& products);

}  // namespace sim
