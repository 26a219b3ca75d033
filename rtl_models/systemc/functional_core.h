// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/functional_core.h: the arithmetic of a tensor core, independent of timing:
// calls of mx::, nothing else.
#pragma once
#include <span>
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "rtl_models/systemc/tile.h"

namespace hardware {

/// Lines of a tile: rows of A or columns of B, a code a byte, with their scales.
struct tile_lines {
  std::span<const std::uint8_t> codes, scales;
};

/// One tensor core's arithmetic. Instances share nothing.
class functional_core {
 public:
  explicit functional_core(const mx::dot_model& model) : model_(model) {}

  /// D = A * B + C of some rows of a tile.
  ///   a     rows of 64 codes     b  eight columns of 64     c, d  (rows, 8), row by row
  void multiply_rows(const tile_lines& a, const tile_lines& b, std::span<const std::uint32_t> c,
                     std::span<std::uint32_t> d);

  /// A whole product; k in steps of the model, C first. Errors are mx::gemm's.
  ///   c  null: +0 everywhere
  void multiply(const mx::gemm_shape& shape, const mx::gemm_operand& a, const mx::gemm_operand& b,
                const std::uint32_t* c, std::uint32_t* d) const;

 private:
  mx::dot_model model_;
  // Operands of every element of the rows, concatenated.
  std::vector<std::uint8_t> a_, b_, scale_a_, scale_b_;
};

}  // namespace hardware
