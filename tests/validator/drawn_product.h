// SPDX-License-Identifier: Apache-2.0
// tests/validator/drawn_product.h: products of random operands, with a model's own D.
#pragma once
#include <cstdint>
#include <random>
#include <vector>

#include "golden/validator/product/comparison.h"
#include "golden/validator/product/model.h"

namespace tests {

/// Kinds of codes of a product.
///   near       exponents that differ little       spread  exponents over 2 * 9 binades
///   any        every code of a finite number, including subnormals and the largest
///   cancelling each product has its opposite elsewhere in K, except for one element
///   special    every code
enum class draw { near, spread, any, cancelling, special };
inline constexpr draw finite_draws[] = {draw::near, draw::spread, draw::any, draw::cancelling};

/// Codes as 32-bit words, scales as bytes.
struct drawn_product {
  mx::gemm_plan plan;
  mx::gemm_shape shape;
  std::vector<std::uint32_t> a, b, c, d;
  std::vector<std::uint8_t> scale_a, scale_b;

  drawn_product(const mx::gemm_plan& p, mx::gemm_shape s, draw kind, std::uint32_t seed)
      : plan(p), shape(s), kind_(kind), random_(seed) {
    a = elements(p.model.a, s.m);
    b = elements(p.model.b, s.n);
    if (kind == draw::cancelling) cancel();
    scale_a = scales(s.m);
    scale_b = scales(s.n);
    for (std::int64_t i = 0; i < s.m * s.n; ++i) c.push_back(code(p.model.sum.result));
    d.resize(c.size());
    mx::gemm(plan, shape, operands().a, operands().b, c.data(), d.data());
  }

  [[nodiscard]] golden::validator::product_operands operands() const {
    return {shape, operand(a, scale_a), operand(b, scale_b)};
  }
  [[nodiscard]] golden::validator::product_words words() const { return {c, d}; }
  /// A block's scale on one side, by line and block.
  std::uint8_t& scale_of_a(std::int64_t line, std::int64_t block) {
    return scale_a[static_cast<std::size_t>(line * blocks() + block)];
  }
  [[nodiscard]] std::int64_t blocks() const {
    return plan.model.block > 0 ? (shape.k + plan.model.block - 1) / plan.model.block : 0;
  }

 private:
  [[nodiscard]] mx::gemm_operand operand(const std::vector<std::uint32_t>& codes,
                                         const std::vector<std::uint8_t>& scales) const {
    return {codes.data(), mx::code_storage::words, shape.k * 4,
            scales.empty() ? nullptr : scales.data()};
  }

  std::uint32_t word() { return static_cast<std::uint32_t>(random_()); }

  std::uint32_t code(const mx::format& f) {
    if (kind_ == draw::special) return word() & (f.magnitude_mask() | f.sign_mask());
    const std::uint32_t sign = word() % 2 == 0 ? f.sign_mask() : 0;
    if (kind_ == draw::any) {
      const std::uint32_t magnitude = word() % (f.max_code() + 1);
      return magnitude == 0 && !f.has_negative_zero() ? 0 : magnitude | sign;
    }
    const int reach = kind_ == draw::near ? 2 : 9;
    const int most = static_cast<int>(f.max_code() >> f.fraction_bits);
    const int drawn = f.bias + static_cast<int>(word() % static_cast<unsigned>(2 * reach)) - reach;
    const auto field = static_cast<std::uint32_t>(drawn < 1 ? 1 : (drawn > most ? most : drawn));
    const std::uint32_t fraction = word() & ((1U << f.fraction_bits) - 1);
    const std::uint32_t magnitude = field << f.fraction_bits | fraction;
    return (magnitude > f.max_code() ? f.max_code() : magnitude) | sign;
  }

  std::vector<std::uint32_t> elements(const mx::format& f, std::int64_t lines) {
    std::vector<std::uint32_t> codes;
    for (std::int64_t i = 0; i < lines * shape.k; ++i) {
      codes.push_back(code(f) << plan.model.unread_bits);
    }
    return codes;
  }

  /// The second half of K has the elements of the first, negated in A.
  void cancel() {
    const std::int64_t half = shape.k / 2;
    const std::uint32_t sign = plan.model.a.sign_mask() << plan.model.unread_bits;
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t k = 1; k < half; ++k) at(a, i, half + k) = at(a, i, k) ^ sign;
    }
    for (std::int64_t i = 0; i < shape.n; ++i) {
      for (std::int64_t k = 1; k < half; ++k) at(b, i, half + k) = at(b, i, k);
    }
  }
  std::uint32_t& at(std::vector<std::uint32_t>& codes, std::int64_t line, std::int64_t k) const {
    return codes[static_cast<std::size_t>(line * shape.k + k)];
  }

  std::vector<std::uint8_t> scales(std::int64_t lines) {
    std::vector<std::uint8_t> drawn(static_cast<std::size_t>(lines * blocks()));
    const mx::format& f = plan.model.scale;
    for (std::uint8_t& scale : drawn) {
      scale = static_cast<std::uint8_t>(kind_ == draw::cancelling
                                            ? static_cast<std::uint32_t>(f.bias) << f.fraction_bits
                                            : code(f));
    }
    return drawn;
  }

  draw kind_;
  std::mt19937 random_;
};

/// The plan of a named model over its own formats.
[[nodiscard]] inline mx::gemm_plan plan_named(std::string_view name) {
  mx::gemm_plan plan{.model = mx::any_model_named(name)->model};
  plan.output = plan.model.sum.result;
  return plan;
}

/// The same model over the formats of another.
[[nodiscard]] inline mx::gemm_plan plan_over(std::string_view name, const mx::dot_model& formats) {
  std::optional<mx::format> scale;
  if (formats.block > 0) scale = formats.scale;
  mx::gemm_plan plan{.model = *golden::validator::arithmetic_for(
                         *mx::any_model_named(name), {formats.a, formats.b, scale, formats.block})};
  plan.output = plan.model.sum.result;
  return plan;
}

}  // namespace tests
