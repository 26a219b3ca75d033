// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/right_factor.h: B of products under a model, laid out for every way to multiply
// by it when that is first used.
#pragma once
#include <tbb/task_arena.h>

#include <memory>
#include <mutex>
#include <optional>

#include "dot/exact_product.h"
#include "dot/matrix_product.h"
#include "dot/step_product.h"

namespace mx {

/// A value that the first of any threads to ask for it makes.
template <class T>
class made_once {
 public:
  template <class Make>
  const T& get(const Make& make) const {
    // Isolated: while it waits, the thread must not start work that asks for the same value.
    std::call_once(once_, [&] { tbb::this_task_arena::isolate([&] { value_ = make(); }); });
    return *value_;
  }

 private:
  mutable std::once_flag once_;
  mutable std::unique_ptr<const T> value_;
};

class right_factor {
 public:
  ///   dot  the best instruction that may be used
  right_factor(const dot_model& model, const gemm_operand& b, std::int64_t n, std::int64_t k,
               dot_instruction dot);

  [[nodiscard]] const gemm_operand& operand() const { return b_; }
  [[nodiscard]] std::int64_t n() const { return n_; }
  [[nodiscard]] std::int64_t k() const { return k_; }

  /// Null if there are no kernels.
  [[nodiscard]] const matrix_right* matrices() const;
  [[nodiscard]] const vector_right* vectors() const;
  [[nodiscard]] const step_right* steps() const;
  [[nodiscard]] const exact_right& exact() const;

 private:
  dot_model model_;
  gemm_operand b_;
  std::int64_t n_, k_;
  const matrix_kernels* matrix_kernels_ = nullptr;
  const gemm_kernels* vector_kernels_ = nullptr;
  std::optional<step_rule> step_rule_;
  const step_kernels* step_kernels_ = nullptr;
  made_once<matrix_right> matrices_;
  made_once<vector_right> vectors_;
  made_once<step_right> steps_;
  made_once<exact_right> exact_;
};

/// Stores D of a plan's product.
///   done  as in gemm
void multiply(const gemm_plan& plan, std::int64_t m, const gemm_operand& a, const right_factor& b,
              const gemm_output& output, gemm_threads threads, const elements_done& done = {});

/// Whether D's sums run over all of k at once.
[[nodiscard]] inline bool is_one_sum(const gemm_plan& plan, std::int64_t k) {
  return plan.promote == 0 && part_size(plan, k) >= k;
}

/// The best instruction that the user has not excluded.
[[nodiscard]] dot_instruction permitted_dot();

/// Throws std::invalid_argument for a plan, a negative or too large size.
void check_plan(const gemm_plan& plan, const gemm_shape& shape);

/// Throws std::invalid_argument for a null pointer, codes or scales wider than their storage.
///   f  model.a or model.b
void check_operand(const dot_model& model, const format& f, const gemm_operand& operand);

}  // namespace mx
