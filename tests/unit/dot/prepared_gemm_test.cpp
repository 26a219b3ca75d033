// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/prepared_gemm_test.cpp: mx/dot/prepared_gemm.h. Products with a prepared B against
// mx::gemm_element with the alpha of the element, bit for bit, on every instruction set and way to
// add products of bytes.
#include "mx/dot/prepared_gemm.h"

#include <limits>
#include <random>
#include <stdexcept>

#include "catch.h"
#include "gemm_against_core.h"

namespace {

using mx::gemm_plan;
using mx::gemm_shape;
using mx::prepared_factor;
using tests::operand_kind;
using tests::plan_of;
using tests::product_case;
using tests::require_same;
using tests::words;
using floats = std::vector<float>;

/// Alphas whose products are 1, other numbers, subnormal, zero, Inf and NaN.
floats draw_alphas(std::int64_t count, std::mt19937& random) {
  constexpr float some[] = {1.0F,      -1.0F,   3.0F, 0x1p-1F,  0x1.8p-70F,
                            0x1p-126F, 0x1p64F, 0.0F, -0x1p90F, 0x1p-149F};
  floats alphas(static_cast<std::size_t>(count));
  for (float& alpha : alphas) {
    const auto word = static_cast<std::uint32_t>(random());
    alpha = word % 2 == 0 ? some[word / 2 % 10] : mx::float_of(word);
  }
  return alphas;
}

/// D by the core, an element at a time under its own alpha.
words expected_of(const product_case& product, const floats& rows, const floats& columns) {
  words d;
  gemm_plan plan = product.plan;
  const gemm_shape& shape = product.shape;
  for (std::int64_t i = 0; i < shape.m; ++i) {
    for (std::int64_t j = 0; j < shape.n; ++j) {
      const float row = rows.empty() ? 1 : rows[static_cast<std::size_t>(i)];
      const float column = columns.empty() ? 1 : columns[static_cast<std::size_t>(j)];
      if (!rows.empty() || !columns.empty()) plan.alpha = mx::fp32::multiply(row, column);
      const std::uint32_t c = product.c[static_cast<std::size_t>(i * shape.n + j)];
      d.push_back(mx::gemm_element(plan, product.a.line(i), product.b.line(j),
                                   static_cast<int>(shape.k), c));
    }
  }
  return d;
}

const float* pointer_or_null(const floats& alphas) {
  return alphas.empty() ? nullptr : alphas.data();
}

/// Prepares B once and multiplies the rows of A in pieces of every size below `piece`.
void compare(const product_case& product, const floats& rows, const floats& columns,
             std::int64_t piece) {
  const words expected = expected_of(product, rows, columns);
  const gemm_shape& shape = product.shape;
  INFO(shape.m << " x " << shape.n << " x " << shape.k << ", " << rows.size() << " alphas of rows, "
               << columns.size() << " of columns");
  tests::on_all_kernels([&] {
    const prepared_factor b(product.plan, shape.n, shape.k, product.b.operand());
    words d(expected.size());
    for (std::int64_t row = 0; row < shape.m; row += piece) {
      const std::int64_t count = std::min(piece, shape.m - row), at = row * shape.n;
      mx::gemm_operand a = product.a.operand();
      a.codes = product.a.codes.data() + row * shape.k;
      if (a.scales != nullptr) a.scales = product.a.line(row).scales.first;
      mx::gemm(count, a, b, {rows.empty() ? nullptr : rows.data() + row, pointer_or_null(columns)},
               product.c.data() + at, d.data() + at);
    }
    require_same(d, expected);
  });
}

TEST_CASE("a_prepared_factor_multiplies_as_gemm_does_at_every_edge_of_its_tiles") {
  std::uint32_t seed = 0;
  for (const char* name : tests::fast_models) {
    INFO(name);
    for (const operand_kind kind : tests::operand_kinds) {
      for (const gemm_shape& shape :
           {gemm_shape{1, 1, 1}, gemm_shape{7, 70, 256}, gemm_shape{5, 130, 33},
            gemm_shape{3, 17, 1100}, gemm_shape{9, 64, 20}}) {
        std::mt19937 random(++seed);
        const product_case product(plan_of(name), shape, kind, seed);
        compare(product, {}, {}, 4);
        compare(product, draw_alphas(shape.m, random), draw_alphas(shape.n, random), 5);
      }
    }
  }
}

/// Sets codes of lines [first, last) in [k, end) to zeros of both signs.
void set_zeros(tests::byte_lines& lines, std::int64_t first, std::int64_t last, std::int64_t k,
               std::int64_t end) {
  for (std::int64_t line = first; line < last; ++line) {
    for (std::int64_t i = k; i < end; ++i) {
      lines.codes[static_cast<std::size_t>(line * lines.k + i)] = i % 3 == 0 ? 8 : 0;
    }
  }
}

TEST_CASE("tiles_of_zeros_are_zero_unless_a_scale_is_nan_or_the_last_element_is_none") {
  for (const char* name : tests::fast_models) {
    INFO(name);
    for (const bool with_addends : {false, true}) {
      product_case product(plan_of(name), {20, 140, 300}, operand_kind::near, 811);
      set_zeros(product.a, 4, 16, 0, 300);
      set_zeros(product.b, 64, 128, 0, 300);
      product.a.codes[static_cast<std::size_t>(12 * 300 + 299)] = 1;
      product.b.codes[static_cast<std::size_t>(130 * 300 + 299)] = 1;
      const mx::format& scale = product.plan.model.scale;
      if (product.plan.model.block > 0 && scale.has_nan()) {
        product.a.scales[product.a.scales.size() / 20 * 5] =
            static_cast<std::uint8_t>(scale.nan_code());
      }
      if (!with_addends) std::fill(product.c.begin(), product.c.end(), 0U);
      compare(product, {}, {}, 20);
    }
  }
}

TEST_CASE("alphas_of_rows_or_of_columns_alone_scale_every_model") {
  std::uint32_t seed = 200;
  for (const mx::named_model& entry : mx::model_table) {
    if (entry.model.a.width() > 8 || entry.model.b.width() > 8) continue;
    INFO(entry.name);
    std::mt19937 random(++seed);
    const product_case product({.model = entry.model}, {3, 20, 70}, operand_kind::any, seed);
    compare(product, draw_alphas(3, random), {}, 2);
    compare(product, {}, draw_alphas(20, random), 3);
  }
}

TEST_CASE("exact_sums_are_scaled_too") {
  for (const char* name : {"fp32.fma", "hopper.wgmma.e4m3.f32", "blackwell.mxf8f6f4.e2m1.e2m1"}) {
    INFO(name);
    std::mt19937 random(300);
    const product_case product(plan_of(name), {20, 40, 64}, operand_kind::near, 301);
    compare(product, draw_alphas(20, random), draw_alphas(40, random), 13);
  }
}

TEST_CASE("alphas_scale_plans_of_parts_narrow_outputs_and_late_addends") {
  std::uint32_t seed = 400;
  for (const char* name : {"fp32.sequential", "blackwell.mxf4", "blackwell.mxf4nvf4"}) {
    for (const mx::format& output :
         {mx::format{mx::formats::binary32}, mx::format{mx::formats::bfloat16},
          mx::format{mx::formats::binary16}}) {
      for (const mx::c_entry entry : {mx::c_entry::first_step, mx::c_entry::epilogue}) {
        gemm_plan plan = plan_of(name);
        plan.output = output, plan.c_entry = entry;
        plan.split_k = static_cast<int>(1 + seed % 3);
        plan.promote = seed % 2 == 0 ? 0 : 64;
        std::mt19937 random(++seed);
        const product_case product(plan, {6, 70, 300}, operand_kind::any, seed);
        compare(product, draw_alphas(6, random), draw_alphas(70, random), 6);
      }
    }
  }
}

TEST_CASE("a_sum_of_nothing_is_scaled_too") {
  const gemm_plan plan = plan_of("blackwell.mxf4");
  const words c{0x3F800000, 0x7FC01234};
  words d(2);
  const floats rows{1};
  const prepared_factor b(plan, 2, 0, {});
  mx::gemm(1, {}, b, {rows.data(), nullptr}, c.data(), d.data());
  CHECK(d == c);
  const floats columns{3, 3};
  mx::gemm(1, {}, b, {rows.data(), columns.data()}, c.data(), d.data());
  CHECK(d == words{0x40400000, 0x7FFFFFFF});
}

TEST_CASE("a_prepared_factor_owns_its_codes_and_may_be_moved") {
  // Without kernels the codes are read for every product.
  for (const char* name : {"blackwell.mxf4", "fp32.pairwise", "mxdotp.e2m1"}) {
    INFO(name);
    const product_case product(plan_of(name), {5, 66, 96}, operand_kind::spread, 500);
    tests::byte_lines lines = product.b;
    prepared_factor first(product.plan, 66, 96, lines.operand());
    std::fill(lines.codes.begin(), lines.codes.end(), std::uint8_t{1});
    std::fill(lines.scales.begin(), lines.scales.end(), std::uint8_t{255});
    const prepared_factor b = std::move(first);
    CHECK(b.n() == 66);
    CHECK(b.k() == 96);
    words d(product.c.size());
    mx::gemm(5, product.a.operand(), b, {}, nullptr, d.data());
    require_same(d, product.by_core());
  }
}

TEST_CASE("a_prepared_factor_takes_packed_codes_and_keeps_the_plans_alpha") {
  product_case product(plan_of("blackwell.mxf4nvf4"), {9, 67, 77}, operand_kind::spread, 600);
  product.plan.alpha = 0x1.4p-3F;
  const auto pa = tests::packed_lines(product.a), pb = tests::packed_lines(product.b);
  tests::on_all_kernels([&] {
    const prepared_factor b(product.plan, 67, 77,
                            {pb.data(), mx::code_storage::pairs, 39, product.b.scales.data()});
    words d(product.c.size());
    mx::gemm(9, {pa.data(), mx::code_storage::pairs, 39, product.a.scales.data()}, b, {}, nullptr,
             d.data());
    require_same(d, product.by_core());
  });
}

TEST_CASE("prepared_products_of_wrong_arguments_are_refused") {
  gemm_plan plan = plan_of("blackwell.mxf4");
  const std::vector<std::uint8_t> codes(64), scales(2);
  const mx::gemm_operand line{codes.data(), mx::code_storage::bytes, 64, scales.data()};
  const float one = 1;
  words d(1);
  CHECK_THROWS_AS(prepared_factor(plan, 1, 64, {}), std::invalid_argument);
  CHECK_THROWS_AS(prepared_factor(plan, -1, 64, line), std::invalid_argument);
  CHECK_THROWS_AS(prepared_factor(plan, 1, (std::int64_t{1} << 30) + 1, line),
                  std::invalid_argument);
  CHECK_THROWS_AS(
      prepared_factor(plan, 1, 64, {codes.data(), mx::code_storage::bytes, 64, nullptr}),
      std::invalid_argument);
  gemm_plan split = plan;
  split.split_k = 0;
  CHECK_THROWS_AS(prepared_factor(split, 1, 64, line), std::invalid_argument);
  const prepared_factor b(plan, 1, 64, line);
  CHECK_THROWS_AS(mx::gemm(-1, line, b, {}, nullptr, d.data()), std::invalid_argument);
  CHECK_THROWS_AS(mx::gemm(1, {}, b, {}, nullptr, d.data()), std::invalid_argument);
  CHECK_THROWS_AS(mx::gemm(1, line, b, {}, nullptr, nullptr), std::invalid_argument);
  plan.alpha = 2;
  const prepared_factor doubled(plan, 1, 64, line);
  CHECK_THROWS_AS(mx::gemm(1, line, doubled, {&one, nullptr}, nullptr, d.data()),
                  std::invalid_argument);
  CHECK_THROWS_AS(mx::gemm(1, line, doubled, {nullptr, &one}, nullptr, d.data()),
                  std::invalid_argument);
}

}  // namespace
