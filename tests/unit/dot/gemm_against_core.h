// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/gemm_against_core.h: whole products in bulk against mx::gemm_element, bit for bit,
// on every instruction set and way to add products of bytes.
#pragma once
#include <algorithm>
#include <string>
#include <vector>

#include "catch.h"
#include "gemm_cases.h"
#include "instruction_sets.h"
#include "mx/dot/bulk_gemm.h"

namespace tests {

using mx::code_storage;
using mx::gemm_plan;
using mx::gemm_shape;
using words = std::vector<std::uint32_t>;

/// Calls work() under every instruction set and every way to add products of bytes.
template <class Work>
void on_all_kernels(const Work& work) {
  test::on_all_instruction_sets([&] {
    std::vector<std::string> ways = mx::dot_instructions();
    ways.emplace_back();
    for (const std::string& way : ways) {
      INFO("products of bytes: " << way);
      mx::use_dot_instruction(way);
      work();
    }
    mx::use_dot_instruction("");
  });
}

struct product_case {
  gemm_plan plan;
  gemm_shape shape;
  byte_lines a, b;
  words c;

  product_case(const gemm_plan& p, const gemm_shape& s, operand_kind kind, std::uint32_t seed)
      : plan(p), shape(s) {
    std::mt19937 random(seed);
    a = draw_lines(p.model.a, p.model, kind, s.m, s.k, random);
    b = draw_lines(p.model.b, p.model, kind, s.n, s.k, random);
    c = draw_addends(kind, static_cast<std::size_t>(s.m * s.n), random);
    const bool narrow = p.model.sum.result == mx::formats::binary16;
    if (narrow) std::transform(c.begin(), c.end(), c.begin(), [](auto x) { return x >> 16; });
  }

  [[nodiscard]] words by_core() const {
    words d;
    d.reserve(c.size());
    for (std::int64_t i = 0; i < shape.m; ++i) {
      for (std::int64_t j = 0; j < shape.n; ++j) {
        d.push_back(mx::gemm_element(plan, a.line(i), b.line(j), static_cast<int>(shape.k),
                                     c[static_cast<std::size_t>(i * shape.n + j)]));
      }
    }
    return d;
  }
};

inline void require_same(const words& found, const words& expected) {
  REQUIRE(found.size() == expected.size());
  const auto pair = std::mismatch(found.begin(), found.end(), expected.begin());
  if (pair.first != found.end()) {
    INFO("element " << pair.first - found.begin() << " of " << found.size() << ": " << *pair.first
                    << " for " << *pair.second);
    REQUIRE(false);
  }
}

inline void compare(const gemm_plan& plan, const gemm_shape& shape, operand_kind kind,
                    std::uint32_t seed) {
  const product_case product(plan, shape, kind, seed);
  const words expected = product.by_core();
  const std::vector<std::uint8_t> pa = packed_lines(product.a);
  const std::vector<std::uint8_t> pb = packed_lines(product.b);
  const std::int64_t bytes = (shape.k + 1) / 2;
  INFO(shape.m << " x " << shape.n << " x " << shape.k << ", kind " << static_cast<int>(kind));
  on_all_kernels([&] {
    words d(expected.size());
    mx::gemm(plan, shape, product.a.operand(), product.b.operand(), product.c.data(), d.data());
    require_same(d, expected);
    if (plan.model.a.width() != 4 || plan.model.b.width() != 4) return;
    mx::gemm(plan, shape, {pa.data(), code_storage::pairs, bytes, product.a.operand().scales},
             {pb.data(), code_storage::pairs, bytes, product.b.operand().scales}, product.c.data(),
             d.data());
    require_same(d, expected);
  });
}

inline gemm_plan plan_of(const char* name) { return {.model = mx::model_named(name)->model}; }

/// Models that have kernels.
inline const char* const fast_models[] = {"fp32.sequential", "blackwell.mxf4",
                                          "blackwell.mxf4nvf4"};

/// Compares with the core; codes and scales one a byte.
inline void compare_bytes(const product_case& product) {
  const words expected = product.by_core();
  on_all_kernels([&] {
    words d(expected.size());
    mx::gemm(product.plan, product.shape, product.a.operand(), product.b.operand(),
             product.c.data(), d.data());
    require_same(d, expected);
  });
}

}  // namespace tests
