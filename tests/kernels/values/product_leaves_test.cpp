// SPDX-License-Identifier: Apache-2.0
// tests/kernels/values/product_leaves_test.cpp: products of codes and their tree by the kernels'
// bodies, gemm_grouped and add_products, every bit of every level against mx::coded_leaves.
#include <bit>

#include "catch.h"
#include "kernels/verify/products.h"
#include "mx/dot/coded_leaves.h"
#include "mx/dot/models.h"
#include "tests/kernels/grid/host_gemm.h"
#include "tests/kernels/grid/host_values.h"

namespace {

using mx::kernels::gemm_group;
using mx::kernels::launch_error;
using mx::kernels::lines_of_codes;
using mx::kernels::product_leaves_request;
using floats = std::vector<float>;

struct drawn_leaves {
  mx::gemm_plan plan;
  int m, n;
  std::vector<lines_of_codes> left, right;
  floats left_scales, right_scales;
  std::vector<std::int64_t> k;

  drawn_leaves(const char* model, int rows, int columns, const std::vector<std::int64_t>& depths)
      : plan{mx::model_named(model)->model}, m(rows), n(columns), k(depths) {
    for (std::size_t i = 0; i < k.size(); ++i) {
      const auto drawn = [&](int lines, std::uint64_t seed) {
        return mx::kernels::drawn_lines(plan.model, mx::code_storage::bytes, lines, k[i],
                                        mx::kernels::scales::near, seed);
      };
      left.push_back(drawn(m, 3 * i));
      right.push_back(drawn(n, 3 * i + 1));
      left_scales.push_back(i % 3 == 0 ? 1.0F : 0.3F);
      right_scales.push_back(i % 3 == 0 ? 1.0F : -7.1F);
    }
    // A block of NaN.
    right.back().scales.front() = plan.model.scale == mx::format{mx::formats::e8m0} ? 0xFF : 0x7F;
  }

  /// The levels after all leaves from `first` on; before, each holds its number plus 0.1.
  [[nodiscard]] std::vector<floats> levels_before(int first) const {
    std::vector<floats> levels;
    while ((first + static_cast<int>(k.size())) >> levels.size() != 0) {
      levels.emplace_back(static_cast<std::size_t>(m * n),
                          static_cast<float>(levels.size()) + 0.1F);
    }
    return levels;
  }
  [[nodiscard]] std::vector<floats> by_the_emulator(int first) const {
    std::vector<mx::coded_outer_product> leaves;
    for (std::size_t i = 0; i < k.size(); ++i) {
      leaves.push_back(
          {k[i], left[i].operand(), right[i].operand(), left_scales[i], right_scales[i]});
    }
    std::vector<floats> levels = levels_before(first);
    mx::coded_leaves(plan, m, n, leaves).add(first, 0, m, addresses_of(levels).data());
    return levels;
  }
  [[nodiscard]] std::vector<floats> by_the_bodies(int first) const {
    const auto size = static_cast<std::size_t>(m * n);
    floats products(k.size() * size), alphas;
    std::vector<gemm_group> groups;
    for (std::size_t i = 0; i < k.size(); ++i) {
      groups.push_back({{m, n, k[i]}, left[i].operand(), right[i].operand()});
      groups.back().d = products.data() + i * size;
      alphas.push_back(mx::fp32::multiply(left_scales[i], right_scales[i]));
    }
    REQUIRE(kernels_test::gemm_grouped({plan, groups.data(), std::ssize(groups)}).status.is_done());
    std::vector<floats> levels = levels_before(first);
    std::vector<float*> at = addresses_of(levels);
    REQUIRE(kernels_test::add_products({plan, products.data(), alphas.data(),
                                        static_cast<int>(k.size()), first, m, n, at.data()})
                .is_done());
    return levels;
  }
  static std::vector<float*> addresses_of(std::vector<floats>& levels) {
    std::vector<float*> at;
    for (floats& level : levels) at.push_back(level.data());
    return at;
  }
};

std::size_t different(const std::vector<floats>& a, const std::vector<floats>& b) {
  std::size_t count = 0;
  for (std::size_t level = 0; level < a.size(); ++level) {
    for (std::size_t i = 0; i < a[level].size(); ++i) {
      const auto of = [&](const std::vector<floats>& from) {
        return std::bit_cast<std::uint32_t>(from[level][i]);
      };
      count += of(a) != of(b) ? 1 : 0;
    }
  }
  return count;
}

TEST_CASE("leaves_of_codes_are_carried_into_the_levels_of_the_bulk_functions") {
  for (const char* model : {"fp32.sequential", "blackwell.mxf4", "blackwell.mxf4nvf4",
                            "blackwell.mxf8f6f4.e2m1.e2m1"}) {
    for (const int first : {0, 1, 6}) {
      CAPTURE(model, first);
      const drawn_leaves leaves(model, 13, 70, {32, 64, 32, 96, 32});
      CHECK(different(leaves.by_the_emulator(first), leaves.by_the_bodies(first)) == 0);
    }
  }
}

TEST_CASE("products_that_cannot_be_added_are_refused") {
  floats memory(64, 1.0F);
  float* level = memory.data() + 32;
  const product_leaves_request good{
      {mx::model_named("blackwell.mxf4")->model}, memory.data(), nullptr, 1, 0, 2, 4, &level};
  REQUIRE(kernels_test::add_products(good).is_done());
  const auto refused = [&](auto change) {
    product_leaves_request r = good;
    change(r);
    return kernels_test::add_products(r).error;
  };
  using r = product_leaves_request;
  CHECK(refused([](r& q) { q.plan.alpha = 2; }) == launch_error::format);
  CHECK(refused([](r& q) { q.plan.output = mx::formats::bfloat16; }) == launch_error::format);
  CHECK(refused([](r& q) { q.first = -1; }) == launch_error::shape);
  CHECK(refused([](r& q) { q.count = 1 << 30; }) == launch_error::size);
  CHECK(refused([](r& q) { q.products = nullptr; }) == launch_error::null_pointer);
  CHECK(refused([](r& q) { q.levels = nullptr; }) == launch_error::null_pointer);
  CHECK(refused([](r& q) {
          q.n = 0;
          q.products = nullptr;
        }) == launch_error::none);
}

}  // namespace
