// SPDX-License-Identifier: Apache-2.0
// sim/policy/products_of_codes.cpp: products by the CPU's bulk functions.
#include "sim/policy/products_of_codes.h"

#include "mx/dot/prepared_gemm.h"

namespace sim {
namespace {

class prepared_on_cpu : public coded_factor {
 public:
  prepared_on_cpu(const mx::gemm_plan& plan, const operand_lines& b)
      : prepared_(plan, b.count, b.k, b.operand()), tensor_scales_(b.tensor_scales) {}

  void multiply_quantized(const mx::operand& f, const mx::operand_rows& rows,
                          float* d) const override {
    const operand_lines a = coded_rows(f, rows);
    const auto of = [](const std::vector<float>& scales) {
      return scales.empty() ? nullptr : scales.data();
    };
    mx::gemm(a.count, a.operand(), prepared_, {of(a.tensor_scales), of(tensor_scales_)}, nullptr,
             reinterpret_cast<std::uint32_t*>(d));
  }

 private:
  mx::prepared_factor prepared_;
  std::vector<float> tensor_scales_;
};

class leaves_on_cpu : public leaves_of_codes {
 public:
  leaves_on_cpu(const mx::gemm_plan& plan, int m, int n,
                std::span<const mx::coded_outer_product> leaves)
      : leaves_(plan, m, n, leaves) {}

  void add(int first_leaf, int row_begin, int row_end, float* const* levels) const override {
    leaves_.add(first_leaf, row_begin, row_end, levels);
  }

 private:
  mx::coded_leaves leaves_;
};

class coded_on_cpu : public products_of_codes {
 public:
  [[nodiscard]] std::unique_ptr<const coded_factor> factor(const mx::gemm_plan& plan,
                                                           const operand_lines& b) const override {
    return std::make_unique<prepared_on_cpu>(plan, b);
  }
  [[nodiscard]] std::unique_ptr<const leaves_of_codes> leaves(
      const mx::gemm_plan& plan, int m, int n,
      std::span<const mx::coded_outer_product> leaves) const override {
    return std::make_unique<leaves_on_cpu>(plan, m, n, leaves);
  }
};

}  // namespace

const products_of_codes& bulk_products_of_codes() noexcept {
  static const coded_on_cpu products;
  return products;
}

}  // namespace sim
