// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/bulk_gemm.cpp: whole products, and the choice of the dot instruction. Equals
// mx::dot for every element, checked by tests/unit/dot/bulk_gemm_test.cpp.
// Floor: M N K products over those of the machine's dot instruction.
#include "mx/dot/bulk_gemm.h"

#include <algorithm>
#include <stdexcept>

#include "dot/right_factor.h"
#include "mx/dot/bulk_dot.h"
#include "mx/tensor/ieee_arithmetic.h"

namespace mx {
namespace {

/// The best instruction that the user has not excluded.
dot_instruction& restricted() {
  static dot_instruction chosen = dot_instruction::matrix;
  return chosen;
}

void refuse_unless(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

/// Whether a container can store codes of a format.
bool holds(code_storage storage, const format& f, int unread_bits) {
  constexpr int bits[] = {4, 8, 16, 32};
  return f.width() + unread_bits <= bits[static_cast<int>(storage)];
}

}  // namespace

void check_plan(const gemm_plan& plan, const gemm_shape& shape) {
  refuse_unless(refusal_of(plan) == gemm_refusal::none,
                "mx: a plan of a product that makes no sense");
  refuse_unless(shape.m >= 0 && shape.n >= 0 && shape.k >= 0, "mx: a product of a negative size");
  refuse_unless(shape.k <= std::int64_t{longest_k}, "mx: a product of more than 2^30 in k");
}

void check_operand(const dot_model& m, const format& f, const gemm_operand& operand) {
  refuse_unless(operand.codes != nullptr, "mx: a missing operand");
  refuse_unless(holds(operand.storage, f, m.unread_bits),
                "mx: codes wider than what they are stored in");
  refuse_unless(m.block == 0 || m.scale.width() <= 8, "mx: scales wider than a byte");
  refuse_unless(m.block == 0 || operand.scales != nullptr, "mx: missing scales");
}

dot_instruction permitted_dot() { return restricted(); }

dot_instruction best_dot() {
  return has_dot_of_four() ? std::max(restricted(), dot_instruction::four) : dot_instruction::pairs;
}

void gemm(const gemm_plan& plan, const gemm_shape& shape, const gemm_operand& a,
          const gemm_operand& b, const std::uint32_t* c, std::uint32_t* d,
          const elements_done& done) {
  check_plan(plan, shape);
  if (shape.m == 0 || shape.n == 0) return;
  if (shape.k > 0) {
    check_operand(plan.model, plan.model.a, a);
    check_operand(plan.model, plan.model.b, b);
  }
  refuse_unless(d != nullptr, "mx: no place for a product");
  const ieee_arithmetic arithmetic;
  const right_factor right(plan.model, b, shape.n, shape.k, restricted());
  multiply(plan, shape.m, a, right, gemm_output(plan, shape.n, nullptr, nullptr, c, d),
           gemm_threads::all, done);
}

std::vector<std::string> dot_instructions() {
  std::vector<std::string> names;
  if (gemm_kernels_for(gemm_rounding::fused, 32, dot_instruction::pairs) == nullptr) return names;
  if (matrix_kernels_for(gemm_rounding::sequential, 32) != nullptr) names.emplace_back("AMX");
  if (has_dot_of_four()) names.emplace_back("VNNI");
  names.emplace_back("pairs");
  return names;
}

void use_dot_instruction(const std::string& name) {
  const std::vector<std::string> offered = dot_instructions();
  if (!name.empty() && std::find(offered.begin(), offered.end(), name) == offered.end()) {
    throw std::invalid_argument("this machine does not offer " + name);
  }
  restricted() = name == "pairs"  ? dot_instruction::pairs
                 : name == "VNNI" ? dot_instruction::four
                                  : dot_instruction::matrix;
}

}  // namespace mx
