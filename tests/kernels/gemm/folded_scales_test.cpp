// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/folded_scales_test.cpp: powers of two in E4M3 codes are exact, and so are the
// sums of their products on Hopper's tensor cores, as in their model; which lines have a common
// scale; and the steps of a product that take it.
#include "gemm/folded_scales.h"

#include <vector>

#include "catch.h"
#include "gemm/choice.h"
#include "gemm/wgmma_products.h"
#include "products.h"
#include "tests/kernels/grid/host_gemm.h"

using namespace mx;
using namespace mx::kernels;

namespace {

std::uint8_t folded(std::uint32_t code, int fold) {
  return static_cast<std::uint8_t>(e4m3_products::bytes_of(code, fold) & 0xFF);
}

/// 32 codes: any; the largest of both signs; the smallest, zeros and the largest; cancelling ones.
std::uint32_t drawn_code(int kind, std::uint64_t seed, std::uint64_t i) {
  constexpr std::uint32_t some[] = {0, 8, 1, 9, 7, 15, 1, 7};
  const std::uint32_t word = drawn(seed, i);
  if (kind == 1) return 7 | (word & 8);
  if (kind == 2) return some[word & 7];
  return kind == 3 ? 7 | (i % 2 << 3) : word & 15;
}

/// Whether 32 products of folded codes have the exact sum, times the folds.
bool sums_exactly(int kind_a, int fold_a, int kind_b, int fold_b, std::uint64_t seed) {
  std::uint8_t a[32], b[32];
  int sum = 0;
  for (std::uint64_t i = 0; i < 32; ++i) {
    const std::uint32_t x = drawn_code(kind_a, 2 * seed, i),
                        y = drawn_code(kind_b, 2 * seed + 1, i);
    a[i] = folded(x, fold_a), b[i] = folded(y, fold_b);
    sum += static_cast<int>(integer_of(formats::e2m1, x) * integer_of(formats::e2m1, y));
  }
  const dot_model& model = model_named("hopper.wgmma.e4m3.f32")->model;
  const float expected = static_cast<float>(sum) * power_of_two(fold_a + fold_b - 2);
  return dot(model, a, b, 32, 0) == bits_of(expected);
}

/// A product of one tile of D and four steps, whose scales are all 1.
struct one_tile {
  static constexpr gemm_shape shape{128, 128, 256};
  gemm_plan plan{sequential_mxfp4};
  lines_of_codes a =
      drawn_lines(plan.model, code_storage::pairs, shape.m, shape.k, scales::near, 3);
  lines_of_codes b =
      drawn_lines(plan.model, code_storage::pairs, shape.n, shape.k, scales::near, 5);
  std::vector<quad_word> workspace = {};
  step_counts steps = {};

  one_tile() { a.scales.assign(a.scales.size(), 127), b.scales.assign(b.scales.size(), 127); }
  static std::uint8_t& scale(lines_of_codes& of, std::size_t line, std::size_t block) {
    return of.scales[line * (shape.k / 32) + block];
  }
  /// Steps of the two warpgroups that were not folded; -1 if the product is not mx::gemm's.
  [[nodiscard]] int steps_not_folded() {
    std::vector<std::uint32_t> expected(shape.m * shape.n), found(expected.size());
    gemm_request r{plan, shape, a.operand(), b.operand(), nullptr, found.data()};
    r.kernel = gemm_kernel::wgmma_e4m3;
    r.workspace_bytes = gemm_workspace_bytes(r);
    workspace.assign(static_cast<std::size_t>(r.workspace_bytes / 16), quad_word{{~0U}});
    r.workspace = workspace.data();
    r.steps = &steps;
    steps = {100, 0};
    mx::gemm(plan, shape, r.a, r.b, nullptr, expected.data());
    REQUIRE(kernels_test::gemm(r).status.is_done());
    CHECK(steps.folded - 100 + steps.not_folded == 8);
    return found == expected ? static_cast<int>(steps.not_folded) : -1;
  }
};

}  // namespace

TEST_CASE("folded_codes_are_the_numbers_times_a_power_of_two") {
  for (int fold = lowest_fold; fold <= highest_fold; ++fold) {
    for (std::uint32_t code = 0; code < 16; ++code) {
      CAPTURE(fold, code);
      CHECK(bits_of(to_binary32(decode<formats::e4m3>(folded(code, fold)))) ==
            bits_of(to_binary32(decode<formats::e2m1>(code)) * power_of_two(fold)));
    }
  }
}

TEST_CASE("sums_of_32_folded_products_are_exact_on_hopper") {
  std::uint64_t seed = 0;
  for (int fold_a = lowest_fold; fold_a <= highest_fold; ++fold_a) {
    for (int fold_b = lowest_fold; fold_b <= highest_fold; ++fold_b) {
      for (int kinds = 0; kinds < 16; ++kinds) {
        CAPTURE(fold_a, fold_b, kinds);
        if (!sums_exactly(kinds / 4, fold_a, kinds % 4, fold_b, ++seed)) FAIL("not exact");
      }
    }
  }
}

TEST_CASE("lines_within_14_binades_have_a_common_scale_that_all_their_folds_reach") {
  for (int low = 0; low <= 254; ++low) {
    for (int high = low; high <= 254; ++high) {
      const int common = common_code_of({low, high});
      const bool is_near = high - low <= 14 && high >= 70 && high <= 196;
      if ((common != no_common_code) != is_near) FAIL("from " << low << " to " << high);
      if (is_near && (low - common < lowest_fold || high - common > highest_fold)) {
        FAIL("from " << low << " to " << high << ": " << common);
      }
    }
  }
}

TEST_CASE("a_warpgroups_step_is_not_folded_where_its_rows_or_columns_have_no_common_scale") {
  const auto changed = [](std::size_t row, int code, std::size_t column, int other) {
    one_tile product;
    product.scale(product.a, row, 3) = static_cast<std::uint8_t>(code);
    product.scale(product.b, column, 6) = static_cast<std::uint8_t>(other);
    return product.steps_not_folded();
  };
  CHECK(changed(0, 127, 0, 127) == 0);
  CHECK(changed(66, 141, 33, 113) == 0);
  CHECK(changed(66, 142, 33, 127) == 1);  // of the second warpgroup, its second step
  CHECK(changed(1, 127, 127, 112) == 2);  // the last step of both
  CHECK(changed(0, 255, 98, 255) == 3);
  CHECK(changed(3, 200, 5, 127) == 0);  // the row is zeros
}

TEST_CASE("steps_beyond_k_are_not_folded_and_other_arithmetics_count_none") {
  one_tile product;
  gemm_request r{product.plan, {128, 128, 96}, product.a.operand(), product.b.operand()};
  std::vector<std::uint32_t> d(128 * 128);
  std::vector<quad_word> workspace;
  r.d = d.data(), r.steps = &product.steps;
  for (const gemm_kernel kernel : {gemm_kernel::wgmma_e4m3, gemm_kernel::wgmma}) {
    r.kernel = kernel;
    r.workspace_bytes = gemm_workspace_bytes(r);
    workspace.resize(static_cast<std::size_t>(r.workspace_bytes / 16));
    r.workspace = workspace.data();
    REQUIRE(kernels_test::gemm(r).status.is_done());
    CHECK(product.steps.folded == 2);  // the second step ends beyond k
    CHECK(product.steps.not_folded == 2);
  }
}

TEST_CASE("sums_of_e4m3_are_used_only_while_their_model_rests_on_recorded_hardware") {
  static_assert(e4m3_evidence == model_evidence::recorded_hardware);
  for (const model_evidence weaker : {model_evidence::two_models_agree, model_evidence::one_model,
                                      model_evidence::specification_only}) {
    CHECK(!allows_e4m3(weaker));
  }
  one_tile product;
  gemm_request r{product.plan, one_tile::shape, product.a.operand(), product.b.operand()};
  r.kernel = gemm_kernel::wgmma_e4m3;
  CHECK(serves_wgmma(r));
}
