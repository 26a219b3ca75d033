// SPDX-License-Identifier: Apache-2.0
// tests/kernels/golden/backend.cpp: products by golden/reference.
#include "backend.h"

#include <algorithm>

#include "dot_twins.h"
#include "golden/reference/block_quantizer.h"
#include "golden/reference/dot.h"
#include "matrix_cases.h"
#include "packed_lines.h"

namespace kernels_test {
namespace {

using namespace mx::kernels;
using bits = std::vector<std::uint32_t>;

const golden::device_model* twin_of(const mx::dot_model& model) {
  for (const auto* list : {&cross::device_dots(), &cross::generic_dots()}) {
    for (const cross::dot_twins& each : *list) {
      if (each.core == model) return &each.reference;
    }
  }
  return nullptr;
}

/// Whether D is the sum of all of K, or of pieces of K by models whose NaN is that of golden's own
/// additions.
bool is_told(const mx::gemm_plan& p) {
  mx::gemm_plan plain;
  plain.model = p.model;
  plain.output = p.model.sum.result;
  const bool adds = p.promote == 0 || p.model.sum.nan_code == golden::canonical_nan;
  return adds && p.split_k == plain.split_k && p.c_entry == plain.c_entry &&
         mx::bits_of(p.alpha) == mx::bits_of(plain.alpha) && p.output == plain.output;
}

bits scales_of(const lines_of_codes& of, std::int64_t line, std::int64_t blocks) {
  const auto first = of.scales.begin() + static_cast<std::ptrdiff_t>(line * blocks);
  return {first, first + static_cast<std::ptrdiff_t>(blocks)};
}

/// A piece of a word, with another addend.
golden::word_codes piece_of(const golden::word_codes& word, std::size_t first, std::size_t length,
                            std::size_t block) {
  const std::size_t count = std::min(length, word.a.size() - first);
  const auto scales = [&](golden::codes all) {
    return all.empty() ? all : all.subspan(first / block, (count + block - 1) / block);
  };
  return {word.a.subspan(first, count), word.b.subspan(first, count), 0, scales(word.scale_a),
          scales(word.scale_b)};
}

/// The sum of a word under a plan: of pieces of K, each from +0, added one after the other to C.
std::uint32_t sum_of(const mx::gemm_plan& p, const golden::device_model& model,
                     const golden::word_codes& word) {
  if (p.promote == 0) return golden::dot(model, word);
  const auto length = static_cast<std::size_t>(p.promote);
  const auto block = static_cast<std::size_t>(std::max(p.model.block, 1));
  float sum = golden::float_of(word.c);
  for (std::size_t first = 0; first < word.a.size(); first += length) {
    const std::uint32_t piece = golden::dot(model, piece_of(word, first, length, block));
    sum = golden::fused_multiply_add(sum, golden::float_of(piece), 1.0F);
  }
  return golden::bits_of(sum);
}

std::optional<bits> product_of_golden(const product_case& one, const product_input& input) {
  const golden::device_model* model = twin_of(one.plan.model);
  if (model == nullptr || !is_told(one.plan)) return {};
  const mx::gemm_shape& shape = one.shape;
  const std::int64_t blocks = one.plan.model.block > 0 ? shape.k / one.plan.model.block : 0;
  bits d;
  for (std::int64_t m = 0; m < shape.m; ++m) {
    const bits a = codes_of_line(input.a, m, shape.k), a_scales = scales_of(input.a, m, blocks);
    for (std::int64_t n = 0; n < shape.n; ++n) {
      const bits b = codes_of_line(input.b, n, shape.k), b_scales = scales_of(input.b, n, blocks);
      const std::uint32_t c = input.c.empty() ? 0 : input.c[d.size()];
      d.push_back(sum_of(one.plan, *model, {a, b, c, a_scales, b_scales}));
    }
  }
  return d;
}

std::vector<float> values_of(const lines_of_codes& of, std::int64_t line, std::int64_t k) {
  std::vector<float> values;
  for (const std::uint32_t code : codes_of_line(of, line, k)) {
    const auto block = static_cast<std::size_t>(line * (k / 32)) + values.size() / 32;
    values.push_back(
        golden::dequantized(golden::formats::e2m1().decode(code),
                            golden::scale_of_code(golden::formats::e8m(0), of.scales[block]).value,
                            golden::rational(1)));
  }
  return values;
}

/// RNE32(a b): added to -0, it stays as it is.
float product(float a, float b) { return golden::fused_multiply_add(-0.0F, a, b); }

float with_second_pass(const corrected_case& one, const corrected_input& input,
                       const std::vector<float>& a, const std::vector<float>& rest,
                       const std::vector<float>& b) {
  float sum = 0.0F;
  const auto span = static_cast<std::size_t>(one.span);
  for (std::size_t first = 0; first < a.size(); first += span) {
    const std::size_t end = std::min(a.size(), first + span);
    for (std::size_t k = first; k < end; ++k) sum = golden::fused_multiply_add(sum, a[k], b[k]);
    for (std::size_t k = first; k < end; ++k) {
      sum = golden::fused_multiply_add(sum, product(input.alpha, rest[k]), b[k]);
    }
  }
  return sum;
}

/// The reciprocals of a line's factors.
std::vector<float> reciprocals_of(const std::vector<float>& all, std::int64_t line,
                                  std::int64_t blocks) {
  const auto first = all.begin() + static_cast<std::ptrdiff_t>(line * blocks);
  return {first, first + static_cast<std::ptrdiff_t>(blocks)};
}

float with_macro_blocks(const corrected_case& one, const std::vector<float>& a,
                        const std::vector<float>& of_a, const std::vector<float>& b,
                        const std::vector<float>& of_b) {
  float sum = 0.0F;
  const auto span = static_cast<std::size_t>(one.span);
  for (std::size_t block = 0; block < of_a.size(); ++block) {
    float part = 0.0F;
    for (std::size_t k = block * span; k < std::min(a.size(), (block + 1) * span); ++k) {
      part = golden::fused_multiply_add(part, a[k], b[k]);
    }
    sum = golden::fused_multiply_add(sum, product(part, of_a[block]), of_b[block]);
  }
  return sum;
}

std::optional<bits> corrected_of_golden(const corrected_case& one, const corrected_input& input) {
  const mx::gemm_shape& shape = one.shape;
  const std::int64_t blocks = (shape.k + one.span - 1) / one.span;
  bits d;
  for (std::int64_t m = 0; m < shape.m; ++m) {
    const std::vector<float> a = values_of(input.a, m, shape.k),
                             rest = values_of(input.rest, m, shape.k);
    const std::vector<float> of_a = reciprocals_of(input.a_reciprocals, m, blocks);
    for (std::int64_t n = 0; n < shape.n; ++n) {
      const std::vector<float> b = values_of(input.b, n, shape.k);
      const std::vector<float> of_b = reciprocals_of(input.b_reciprocals, n, blocks);
      const float element = one.correction == gemm_correction::second_pass
                                ? with_second_pass(one, input, a, rest, b)
                                : with_macro_blocks(one, a, of_a, b, of_b);
      d.push_back(golden::bits_of(element));
    }
  }
  return d;
}

}  // namespace

backend golden_backend() { return {matrices_of_golden, product_of_golden, corrected_of_golden}; }

kernel_case shortened(kernel_case one) {
  constexpr std::int64_t most = 4096;
  if (one.shape.rows * one.shape.columns > most) {
    one.shape.rows = std::max<std::int64_t>(most / one.shape.columns, 1);
  }
  return one;
}

product_case shortened(product_case one) {
  one.shape.m = std::min<std::int64_t>(one.shape.m, 16);
  one.shape.n = std::min<std::int64_t>(one.shape.n, 12);
  return one;
}

corrected_case shortened(corrected_case one) {
  one.shape.m = std::min<std::int64_t>(one.shape.m, 8);
  one.shape.n = std::min<std::int64_t>(one.shape.n, 6);
  return one;
}

}  // namespace kernels_test
