// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_product.h: elements of D = A B + C as chains of steps, a lane an element;
// those that the kernels do not support by the core. Equals core_product on every element.
#pragma once
#include "dot/gemm_product.h"
#include "dot/step_lines.h"

namespace mx {

/// B for the kernels.
struct step_right {
  const step_kernels& kernels;
  step_rule rule;
  step_lines lines;

  step_right(const step_kernels& of, const step_rule& by, const dot_model& model,
             const gemm_operand& b, std::int64_t n, std::int64_t k);
  step_right(const step_right&) = delete;
  step_right& operator=(const step_right&) = delete;
};

class step_product {
 public:
  static constexpr gemm_task task{64, 256};

  step_product(const core_product& by_core, const step_right& right, gemm_threads threads);

  /// As core_product::add.
  void add(const gemm_region& region, std::int64_t first, std::int64_t count,
           std::uint32_t* sums) const;

 private:
  class core_steps;
  /// Rows and columns of a region, which a strip and a panel share.
  void add_tile(const gemm_region& tile, std::int64_t first, std::int64_t count,
                std::uint32_t* sums, std::int64_t stride) const;

  const core_product& by_core_;
  const step_right& right_;
  step_lines left_;
};

}  // namespace mx
