// SPDX-License-Identifier: Apache-2.0
// sim/sweep/product_error.cpp: see product_error.h.
#include "sim/sweep/product_error.h"

#include <cstddef>
#include <cstdint>

#include "mx/dot/bulk_gemm.h"
#include "mx/number/element.h"

namespace sim {
namespace {

/// One operand: its codes as products read them, and their numbers.
struct coded_lines {
  std::vector<std::uint8_t> codes, scales;
  std::vector<float> values;
  float tensor_scale = 1;
  std::int64_t line_bytes = 0;

  [[nodiscard]] mx::gemm_operand factor() const {
    return {codes.data(), mx::code_storage::bytes, line_bytes, scales.data()};
  }
};

coded_lines coded(const mx::operand& f, const std::vector<float>& x, int rows, int k) {
  const int block = f.recipe.format().columns, blocks = (k + block - 1) / block;
  const auto lines = static_cast<std::size_t>(rows);
  coded_lines c;
  c.line_bytes = std::int64_t{blocks} * block;
  c.codes.resize(lines * static_cast<std::size_t>(c.line_bytes));
  c.scales.resize(lines * static_cast<std::size_t>(blocks));
  c.values.resize(x.size());
  std::vector<float> tensor_scales(lines, 1.0F);
  const mx::operand_matrix matrix{rows, k, 1, x.data()};
  mx::quantize(f, matrix, {c.codes.data(), c.scales.data(), tensor_scales.data()});
  mx::fake_quantize(f, matrix, {c.values.data(), k});
  if (f.recipe.format().has_tensor_scale()) c.tensor_scale = tensor_scales.front();
  return c;
}

/// Element (i, j) in binary64, k ascending.
double dot(const float* a, const float* b, int k) {
  double sum = 0;
  for (int i = 0; i < k; ++i) sum += static_cast<double>(a[i]) * static_cast<double>(b[i]);
  return sum;
}

double squared(double v) { return v * v; }

}  // namespace

product_sums product_error(const mx::operand& f, mx::gemm_plan plan, const product_operands& x) {
  const coded_lines a = coded(f, x.a, x.m, x.k), b = coded(f, x.b, x.n, x.k);
  plan.alpha = mx::combined({plan.alpha, a.tensor_scale, b.tensor_scale});
  const auto n = static_cast<std::size_t>(x.n), k = static_cast<std::size_t>(x.k);
  std::vector<std::uint32_t> d(static_cast<std::size_t>(x.m) * n);
  mx::gemm(plan, {x.m, x.n, x.k}, a.factor(), b.factor(), nullptr, d.data());
  product_sums sums;
  for (std::size_t i = 0; i < d.size(); ++i) {
    const std::size_t row = i / n * k, column = i % n * k;
    const double found = mx::to_binary32(mx::decode(plan.output, d[i]));
    const double exact = dot(x.a.data() + row, x.b.data() + column, x.k);
    const double of_codes = dot(a.values.data() + row, b.values.data() + column, x.k);
    sums.exact += squared(exact), sums.error += squared(found - exact);
    sums.coded += squared(of_codes), sums.accumulation += squared(found - of_codes);
  }
  return sums;
}

}  // namespace sim
