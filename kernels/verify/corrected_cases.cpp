// SPDX-License-Identifier: Apache-2.0
// kernels/verify/corrected_cases.cpp: the products with a correction, and the core's results for
// them.
#include "corrected_cases.h"

#include "kernel_names.h"
#include "mx/block/block.h"
#include "mx/dot/corrected_product.h"
#include "packed_lines.h"
#include "parallel_lines.h"
#include "product_cases.h"

namespace mx::kernels {
namespace {

constexpr named_value<gemm_correction> correction_names[] = {
    {gemm_correction::second_pass, "second-pass"},
    {gemm_correction::macro_epilogue, "macro-epilogue"}};

std::string full_name_of(const corrected_case& one) {
  return "gemm_corrected." + name_in(correction_names, one.correction) + "." + name_of(one.shape) +
         ".span" + std::to_string(one.span) + "." + name_in(scales_names, one.kind) + "." +
         name_in(kernel_names, one.kernel);
}

/// Factors 1 + fraction / 2^8, as quantization of macro blocks produces their reciprocals.
std::vector<float> drawn_reciprocals(std::int64_t count, std::uint64_t seed) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < count; ++i) {
    made.push_back(reciprocal_of_factor(drawn(seed, static_cast<std::uint64_t>(i)) % 256, 8));
  }
  return made;
}

std::vector<float> values_of_line(const lines_of_codes& of, std::int64_t line, std::int64_t k) {
  std::vector<float> values;
  const std::vector<std::uint32_t> codes = codes_of_line(of, line, k);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const auto block = static_cast<std::size_t>(line * (k / mxfp4::size)) + i / mxfp4::size;
    values.push_back(dequantize(e2m1{static_cast<std::uint8_t>(codes[i])}, e8m0{of.scales[block]}));
  }
  return values;
}

std::vector<std::vector<float>> values_of_lines(const lines_of_codes& of, std::int64_t count,
                                                std::int64_t k) {
  std::vector<std::vector<float>> lines;
  for (std::int64_t line = 0; line < count; ++line) lines.push_back(values_of_line(of, line, k));
  return lines;
}

/// Numbers of an element's lines.
struct lines_of_element {
  const std::vector<float>&a, &rest, &b;
  const float *a_reciprocals, *b_reciprocals;
};

float element_of(const corrected_case& one, float alpha, const lines_of_element& of) {
  const auto k = static_cast<int>(one.shape.k);
  if (one.correction == gemm_correction::second_pass) {
    return dot_with_second_pass(of.a.data(), of.rest.data(), alpha, of.b.data(), k, one.span);
  }
  return dot_with_macro_epilogue({of.a.data(), of.a_reciprocals}, {of.b.data(), of.b_reciprocals},
                                 k, one.span);
}

void add_cases(std::vector<corrected_case>& table, gemm_correction correction,
               const gemm_shape& shape, const std::vector<int>& spans) {
  for (const int span : spans) {
    for (const scales kind : {scales::near, scales::spread, scales::far}) {
      for (const gemm_kernel kernel :
           {gemm_kernel::core, gemm_kernel::fma, gemm_kernel::fma_small}) {
        table.push_back({{}, correction, shape, span, kind, kernel});
        table.back().name = full_name_of(table.back());
      }
    }
  }
}

bool is_nan(std::uint32_t bits) { return (bits & 0x7FFFFFFF) > 0x7F800000; }

}  // namespace

std::vector<corrected_case> corrected_table() {
  using enum gemm_correction;
  const std::vector<int> all = {1, 32, 48, 128, 1024}, few = {48, 128};
  std::vector<corrected_case> table;
  for (const gemm_correction correction : {second_pass, macro_epilogue}) {
    add_cases(table, correction, {1, 1, 32}, all);
    add_cases(table, correction, {33, 17, 160}, all);
    add_cases(table, correction, {130, 140, 96}, few);
  }
  return table;
}

corrected_input input_of(const corrected_case& one) {
  const gemm_shape& shape = one.shape;
  dot_model model;
  model.block = mxfp4::size;
  const auto seed = static_cast<std::uint64_t>(shape.m * 31 + one.span);
  const auto lines = [&](std::int64_t count, std::uint64_t from) {
    return drawn_lines(model, code_storage::pairs, count, shape.k, one.kind, from);
  };
  const std::int64_t blocks = (shape.k + one.span - 1) / one.span;
  return {lines(shape.m, seed),
          lines(shape.n, seed + 2),
          lines(shape.m, seed + 4),
          0.3F,
          drawn_reciprocals(shape.m * blocks, seed + 6),
          drawn_reciprocals(shape.n * blocks, seed + 7)};
}

corrected_gemm_request corrected_request_of(const corrected_case& one, const corrected_input& input,
                                            const corrected_memory& at) {
  return {one.correction,   one.shape,        at.a, at.b,      one.span, at.rest, input.alpha,
          at.a_reciprocals, at.b_reciprocals, at.d, one.kernel};
}

std::vector<std::uint32_t> corrected_product_of_core(const corrected_case& one,
                                                     const corrected_input& input) {
  const gemm_shape& shape = one.shape;
  const auto blocks = static_cast<std::size_t>((shape.k + one.span - 1) / one.span);
  const std::vector<std::vector<float>> columns = values_of_lines(input.b, shape.n, shape.k);
  std::vector<std::uint32_t> d(static_cast<std::size_t>(shape.m * shape.n));
  for_each_line(static_cast<std::size_t>(shape.m), [&](std::size_t m) {
    const auto line = static_cast<std::int64_t>(m);
    const std::vector<float> a = values_of_line(input.a, line, shape.k),
                             rest = values_of_line(input.rest, line, shape.k);
    for (std::size_t n = 0; n < columns.size(); ++n) {
      const lines_of_element of{a, rest, columns[n], input.a_reciprocals.data() + m * blocks,
                                input.b_reciprocals.data() + n * blocks};
      d[m * columns.size() + n] = bits_of(element_of(one, input.alpha, of));
    }
  });
  return d;
}

std::string difference_between(const corrected_case& one,
                               const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  std::vector<std::uint32_t> same = found;
  for (std::size_t i = 0; i < same.size(); ++i) {
    if (is_nan(same[i]) && is_nan(expected[i])) same[i] = expected[i];
  }
  return difference_between(one.shape, expected, same);
}

}  // namespace mx::kernels
