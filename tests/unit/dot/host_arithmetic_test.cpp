// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/host_arithmetic_test.cpp: products have the same bits whatever the arithmetic of
// the calling program and of its threads (mx/tensor/ieee_arithmetic.h).
#include <string>
#include <vector>

#include "catch.h"
#include "mx/dot/bulk_dot.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/prepared_gemm.h"
#include "step_cases.h"
#include "unit/host_arithmetic.h"

namespace {

using words = std::vector<std::uint32_t>;

/// One for each kind of kernel, and for the core.
constexpr const char* models[] = {"fp32.sequential",       "fp32.fma",
                                  "blackwell.mxf4",        "blackwell.mxf4nvf4",
                                  "hopper.wgmma.e4m3.f32", "hopper.mma.bf16.f32",
                                  "ampere.mma.f16.f16",    "cdna1.mfma.bf16.f32",
                                  "cdna2.mfma.bf16.f32",   "cdna3.mfma.bf16.f32"};

constexpr std::int64_t count = 96;
constexpr int k = 64;

mx::gemm_operand operand_of(const words& codes, const std::uint8_t* scales) {
  return {codes.data(), mx::code_storage::words, k * 4, scales};
}

/// Loose words, a product, and one with a prepared B.
std::vector<words> all_of(const mx::dot_model& model, const tests::step_case& drawn) {
  words loose(count), product(count * count), prepared(count * count);
  mx::dot_all(model, mx::dot_words<std::uint32_t>{count, k, drawn.a().data(), drawn.b().data(),
                                                  drawn.scale_a(), drawn.scale_b(),
                                                  drawn.c().data(), loose.data()});
  mx::gemm_plan plan;
  plan.model = model;
  plan.output = model.sum.result;
  const mx::gemm_operand a = operand_of(drawn.a(), drawn.scale_a()),
                         b = operand_of(drawn.b(), drawn.scale_b());
  mx::gemm(plan, {count, count, k}, a, b, nullptr, product.data());
  const mx::prepared_factor right(plan, count, k, b);
  mx::gemm(count, a, right, {}, nullptr, prepared.data());
  return {loose, product, prepared};
}

}  // namespace

TEST_CASE("products_do_not_depend_on_the_host's_arithmetic") {
  std::uint32_t seed = 0;
  for (const char* name : models) {
    const mx::dot_model model = mx::model_named(name)->model;
    for (const tests::step_operands kind :
         {tests::step_operands::near, tests::step_operands::low}) {
      INFO(name << ", operands " << static_cast<int>(kind));
      const tests::step_case drawn(model, kind, count, k, ++seed);
      const std::vector<words> expected = all_of(model, drawn);
      bool same = true;
      tests::in_every_host([&] { same = same && all_of(model, drawn) == expected; });
      CHECK(same);
    }
  }
}
