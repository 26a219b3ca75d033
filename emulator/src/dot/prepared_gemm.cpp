// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/prepared_gemm.cpp: products with a B that is laid out once. Equals mx::gemm,
// checked by tests/unit/dot/prepared_gemm_test.cpp.
#include "mx/dot/prepared_gemm.h"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "dot/right_factor.h"
#include "mx/tensor/ieee_arithmetic.h"

namespace mx {
namespace {

const gemm_operand& checked(const gemm_plan& plan, std::int64_t n, std::int64_t k,
                            const gemm_operand& b) {
  check_plan(plan, {0, n, k});
  if (n > 0 && k > 0) check_operand(plan.model, plan.model.b, b);
  return b;
}

/// Multiplications below which threads cost more than they save.
constexpr std::int64_t worth_threads = std::int64_t{1} << 25;

}  // namespace

class prepared_factor::layout {
  /// Codes and scales of an operand's lines.
  struct operand_copy {
    std::vector<std::uint8_t> codes, scales;
    gemm_operand operand;

    operand_copy(const gemm_operand& from, const dot_model& model, std::int64_t lines,
                 std::int64_t k)
        : operand(from) {
      if (lines == 0 || k == 0) return;
      constexpr std::int64_t half_bytes[] = {1, 2, 4, 8};
      operand.line_bytes = (k * half_bytes[static_cast<int>(from.storage)] + 1) / 2;
      codes.resize(static_cast<std::size_t>(lines * operand.line_bytes));
      const auto* bytes = static_cast<const std::uint8_t*>(from.codes);
      for (std::int64_t i = 0; i < lines; ++i) {
        std::copy_n(bytes + i * from.line_bytes, operand.line_bytes,
                    codes.begin() + i * operand.line_bytes);
      }
      operand.codes = codes.data();
      if (model.block == 0) return;
      scales.assign(from.scales, from.scales + lines * ((k + model.block - 1) / model.block));
      operand.scales = scales.data();
    }
  };

 public:
  layout(const gemm_plan& of, std::int64_t n, std::int64_t k, const gemm_operand& b)
      : plan(of),
        codes(checked(of, n, k, b), of.model, n, k),
        factor(of.model, codes.operand, n, k, permitted_dot()) {
    if (n == 0 || k == 0) return;
    if (factor.matrices() != nullptr || factor.vectors() != nullptr) return;
    if (factor.steps() != nullptr) return;
    static_cast<void>(factor.exact());
  }

  gemm_plan plan;
  operand_copy codes;
  right_factor factor;
};

prepared_factor::prepared_factor(const gemm_plan& plan, std::int64_t n, std::int64_t k,
                                 const gemm_operand& b) {
  const ieee_arithmetic arithmetic;
  layout_ = std::make_unique<const layout>(plan, n, k, b);
}
prepared_factor::prepared_factor(prepared_factor&&) noexcept = default;
prepared_factor& prepared_factor::operator=(prepared_factor&&) noexcept = default;
prepared_factor::~prepared_factor() = default;

std::int64_t prepared_factor::n() const noexcept { return layout_->factor.n(); }
std::int64_t prepared_factor::k() const noexcept { return layout_->factor.k(); }

void gemm(std::int64_t m, const gemm_operand& a, const prepared_factor& b,
          const gemm_alphas& alphas, const std::uint32_t* c, std::uint32_t* d) {
  const gemm_plan& plan = b.layout_->plan;
  const right_factor& right = b.layout_->factor;
  check_plan(plan, {m, right.n(), right.k()});
  if ((alphas.rows != nullptr || alphas.columns != nullptr) && plan.alpha != 1) {
    throw std::invalid_argument("mx: alphas of rows or columns beside one of all elements");
  }
  if (m == 0 || right.n() == 0) return;
  if (right.k() > 0) check_operand(plan.model, plan.model.a, a);
  if (d == nullptr) throw std::invalid_argument("mx: no place for a product");
  const ieee_arithmetic arithmetic;
  const bool large = m * right.n() * std::max(right.k(), std::int64_t{1}) >= worth_threads;
  multiply(plan, m, a, right, gemm_output(plan, right.n(), alphas.rows, alphas.columns, c, d),
           large ? gemm_threads::all : gemm_threads::calling);
}

}  // namespace mx
