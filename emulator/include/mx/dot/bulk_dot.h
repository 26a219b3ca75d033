// SPDX-License-Identifier: Apache-2.0
// mx/dot/bulk_dot.h: many dot products under one model; threaded, and equal to mx::dot bit for bit.
// `blackwell.mxf4` and `blackwell.mxf4nvf4` have a kernel; so have the models whose steps have one
// in mx/dot/bulk_gemm.h.
#pragma once
#include <cstdint>
#include <functional>

#include "mx/dot/models.h"

namespace mx {

/// Most products of a sum, so that their number fits an int with room to spare.
inline constexpr std::uint64_t longest_k = std::uint64_t{1} << 30;

/// Words of a dot product, one after another:
/// d[v] = c[v] + sum over i of a[v * k + i] * b[v * k + i].
///   codes, scales  one a byte; scales ceil(k / block) a word, null where the model has none
///   c, d           bits of format_of_c(model.sum), and of model.sum.result
template <class Code>
struct dot_words {
  std::int64_t count = 0;
  int k = 0;
  const Code* a = nullptr;
  const Code* b = nullptr;
  const std::uint8_t* scale_a = nullptr;
  const std::uint8_t* scale_b = nullptr;
  const std::uint32_t* c = nullptr;
  std::uint32_t* d = nullptr;
};

/// Called repeatedly with the number of words finished since the last call, from any thread.
using words_done = std::function<void(std::uint64_t)>;

/// Computes all words.
///   codes   no bits set above the elements' widths
void dot_all(const dot_model& model, const dot_words<std::uint8_t>& words,
             const words_done& done = {});
void dot_all(const dot_model& model, const dot_words<std::uint16_t>& words,
             const words_done& done = {});
void dot_all(const dot_model& model, const dot_words<std::uint32_t>& words,
             const words_done& done = {});

}  // namespace mx
