// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/functional_core.cpp: the arithmetic of a tensor core.
#include "rtl_models/systemc/functional_core.h"

#include <algorithm>

#include "mx/dot/bulk_dot.h"

namespace hardware {
namespace {

/// Repeats every line of `lines` `times` times, each line's copies adjacent.
void repeat_lines(std::span<const std::uint8_t> lines, std::size_t line, int times,
                  std::vector<std::uint8_t>& out) {
  out.clear();
  for (std::size_t first = 0; first < lines.size(); first += line) {
    for (int i = 0; i < times; ++i) {
      const auto from = lines.subspan(first, line);
      out.insert(out.end(), from.begin(), from.end());
    }
  }
}

}  // namespace

void functional_core::multiply_rows(const tile_lines& a, const tile_lines& b,
                                    std::span<const std::uint32_t> c, std::span<std::uint32_t> d) {
  const int rows = static_cast<int>(d.size()) / tile_shape::n;
  repeat_lines(a.codes, tile_shape::k, tile_shape::n, a_);
  repeat_lines(a.scales, tile_shape::blocks, tile_shape::n, scale_a_);
  repeat_lines(b.codes, b.codes.size(), rows, b_);
  repeat_lines(b.scales, b.scales.size(), rows, scale_b_);
  mx::dot_words<std::uint8_t> words;
  words.count = static_cast<std::int64_t>(d.size());
  words.k = tile_shape::k;
  words.a = a_.data();
  words.b = b_.data();
  words.scale_a = scale_a_.data();
  words.scale_b = scale_b_.data();
  words.c = c.data();
  words.d = d.data();
  mx::dot_all(model_, words);
}

void functional_core::multiply(const mx::gemm_shape& shape, const mx::gemm_operand& a,
                               const mx::gemm_operand& b, const std::uint32_t* c,
                               std::uint32_t* d) const {
  mx::gemm_plan plan;
  plan.model = model_;
  mx::gemm(plan, shape, a, b, c, d);
}

}  // namespace hardware
