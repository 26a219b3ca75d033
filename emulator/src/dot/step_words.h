// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_words.h: many dot products by the kernels of dot/step_kernels.h, a lane a
// word.
#pragma once
#include <functional>

#include "dot/gemm_lines.h"
#include "dot/step_kernels.h"
#include "dot/step_tile.h"
#include "mx/dot/bulk_dot.h"

namespace mx {

/// Words first to first + columns of the kernels at most.
///   Code  of dot_words
template <class Code>
class step_words {
 public:
  using by_core = std::function<void(std::int64_t word)>;

  step_words(const step_kernels& kernels, const step_rule& rule, const dot_model& model,
             const dot_words<Code>& words)
      : kernels_(kernels), rule_(rule), model_(model), words_(words) {
    const auto places = static_cast<std::size_t>(kernels.columns * elements_at_once);
    for (side& one : sides_) {
      one.values = line_aligned<float>(places);
      one.exponents = line_aligned<std::int32_t>(places);
      one.scales = line_aligned<std::int32_t>(places / static_cast<std::size_t>(rule.unit));
    }
  }

  /// Computes a few words; `core` computes those that the kernels do not support.
  void compute(std::int64_t first, int count, const by_core& core);

 private:
  static constexpr std::int64_t elements_at_once = 256;
  static_assert(elements_at_once % step_chunk == 0);

  struct side {
    line_aligned<float> values;
    line_aligned<std::int32_t> exponents, scales;

    [[nodiscard]] step_slice slice() const { return {values.at(0), exponents.at(0), scales.at(0)}; }
  };
  /// Odd steps leave their words to the core.
  class marked_words;

  [[nodiscard]] std::uint32_t place(side& to, const code_rule& rule, const Code* codes,
                                    const std::uint8_t* scales, std::int64_t word, int count,
                                    std::int64_t k);
  [[nodiscard]] std::uint32_t place_scales(side& to, const std::uint8_t* scales, std::int64_t word,
                                           int count, std::int64_t k, std::int64_t elements);

  const step_kernels& kernels_;
  const step_rule& rule_;
  const dot_model& model_;
  const dot_words<Code>& words_;
  side sides_[2];
};

}  // namespace mx
