// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/operand_directed_test.cpp: mx/tensor/operand.h. Critical largest magnitudes,
// special numbers, and the meaning of corrections and toggles.
#include <algorithm>
#include <cmath>

#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/bulk.h"
#include "operand_list.h"

namespace {

using mx::component;
using mx::scale_rule;
using mx::toggle;
using test::bits;
using test::on_all_instruction_sets;
using tests::differences;
using tests::floats;
using tests::matrix_of;
using tests::named_operand;
using tests::operand_of;
using tests::shape;
using tests::values;

floats row_values(const mx::operand& f, const floats& x) {
  floats y(x.size());
  mx::fake_quantize(f, mx::operand_rows{1, static_cast<int>(x.size()), x.data(), 0}, {y.data(), 0});
  return y;
}

/// Every recipe on vectors, except those that only the core quantizes.
std::vector<named_operand> vectorized_operands() {
  std::vector<named_operand> all;
  for (const named_operand& one : tests::all_operands()) {
    if (mx::is_vectorized(one.f)) all.push_back(one);
  }
  return all;
}

/// Largest magnitudes on the bounds of the rules within a binade and beside them, in binades of all
/// kinds: subnormal, of the smallest scales, and up to those that no vector accepts.
std::vector<float> critical_maxima() {
  std::vector<float> result;
  for (const std::uint32_t field : {0U,  1U,  2U,  3U,   4U,   5U,   8U,   9U,   15U,  16U, 17U,
                                    30U, 31U, 44U, 126U, 127U, 128U, 226U, 227U, 252U, 254U}) {
    for (const std::uint32_t fraction : {0U, 0x100000U, 0x400000U, 0x500000U, 0x600000U}) {
      for (const std::uint32_t beside : {0U, 1U, 0x7FFFFFU}) {
        result.push_back(mx::float_of(field << 23 | ((fraction + beside) & 0x7FFFFF)));
      }
    }
  }
  return result;
}

/// A block with this largest magnitude at its end: eighths of it, which are ties of a rule, and
/// their neighbours.
floats block_below(float amax) {
  floats x(32);
  for (std::uint32_t i = 0; i < 32; ++i) {
    const float eighth = amax * (static_cast<float>(i % 9) / 8);
    const std::uint32_t beside = i % 3 == 0 || mx::bits_of(eighth) == 0 ? 0 : 1;
    x[i] = mx::float_of((mx::bits_of(eighth) - beside) | (i % 2 << 31));
  }
  x[31] = amax;
  return x;
}

// Two blocks of one macro block: the second one's maximum is a quarter of that and three quarters.
floats row_of(float amax) {
  floats x = block_below(amax);
  for (const float other : {amax / 4, amax * 0.75F}) {
    const floats block = block_below(other);
    x.insert(x.end(), block.begin(), block.end());
  }
  return x;
}

TEST_CASE("every_rule_takes_the_next_scale_where_the_core_does_on_every_instruction_set") {
  floats rows;
  for (const float amax : critical_maxima()) {
    const floats row = row_of(amax);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const shape by_row{static_cast<int>(rows.size()) / 96, 96}, by_column{96, by_row.rows};
  const floats columns = tests::transposed(by_row, rows);
  for (const auto& [name, f] : vectorized_operands()) {
    const floats in_rows = rows_by_core(f, by_row, rows);
    const floats in_columns = columns_by_core(f, by_column, columns);
    on_all_instruction_sets([&, &name = name, &f = f] {
      INFO(name);
      floats y(rows.size());
      mx::fake_quantize(f, mx::operand_rows{by_row.rows, 96, rows.data(), 96}, {y.data(), 96});
      CHECK(differences(y, in_rows) == 0);
      mx::fake_quantize(f, mx::operand_columns{96, by_row.rows, columns.data(), by_row.rows},
                        {y.data(), by_row.rows});
      CHECK(differences(y, in_columns) == 0);
    });
  }
}

TEST_CASE("rules_that_raise_the_scale_of_a_largest_element_7_make_8_of_it") {
  floats x(32);
  std::copy_n(floats{7.0F, 4.9F, 1.1F, 5.0F}.begin(), 4, x.begin());
  on_all_instruction_sets([&] {
    for (int rule = 0; rule <= static_cast<int>(scale_rule::ideal); ++rule) {
      const auto r = static_cast<scale_rule>(rule);
      const bool saturated = r == scale_rule::floor || r == scale_rule::floor6 ||
                             r == scale_rule::midmax || r == scale_rule::ideal;
      INFO("rule " << rule);
      CHECK(row_values(operand_of({mx::block_formats::mxfp4, r}), x)[0] ==
            (saturated ? 6.0F : 8.0F));
    }
  });
}

TEST_CASE("one_value_that_is_not_finite_leaves_the_other_blocks_as_they_are") {
  const shape by_row{2, 128}, by_column{64, 20};
  for (const std::uint32_t special : {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFA00001U}) {
    floats x = matrix_of(values::normal, 10, 128);
    x[40] = mx::float_of(special);
    for (const auto& [name, f] : vectorized_operands()) {
      const floats rows = rows_by_core(f, by_row, {x.begin(), x.begin() + 256});
      const floats columns = columns_by_core(f, by_column, x);
      on_all_instruction_sets([&, &name = name, &f = f] {
        INFO(name);
        floats y(256), z(x.size());
        mx::fake_quantize(f, mx::operand_rows{2, 128, x.data(), 128}, {y.data(), 128});
        CHECK(differences(y, rows) == 0);
        mx::fake_quantize(f, mx::operand_columns{64, 20, x.data(), 20}, {z.data(), 20});
        CHECK(differences(z, columns) == 0);
      });
    }
  }
}

TEST_CASE("a_block_with_a_nan_or_an_infinity_becomes_nan_whatever_is_toggled") {
  std::vector<mx::operand> all(5, operand_of({}));
  all[1] = tests::toggled(all[0], toggle::injection, component::grid);
  all[2] = tests::toggled(all[0], toggle::operation, component::scale);
  all[3].recipe.corrections.macro_block = 128;
  all[4].recipe.corrections.fallback = mx::fallback_mode::all;
  for (const std::uint32_t special : {0x7F800000U, 0xFF800000U, 0x7FA00000U}) {
    for (const mx::operand& f : all) {
      floats x = matrix_of(values::normal, 1, 96);
      x[40] = mx::float_of(special);
      const floats y = row_values(f, x);
      for (std::size_t i = 0; i < x.size(); ++i) {
        CHECK(std::isnan(y[i]) == (i / 32 == 1));
        if (i / 32 == 1) CHECK(mx::bits_of(y[i]) == mx::nan_bits);
      }
    }
  }
}

TEST_CASE("all_parts_off_is_the_identity_on_every_bit_pattern_and_all_parts_on_the_quantizer") {
  for (const toggle how : {toggle::injection, toggle::operation}) {
    floats x = matrix_of(values::normal, 1, 64);
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
      const mx::operand plain = operand_of({mx::block_formats::mxfp4, rule});
      CHECK(bits(row_values(tests::toggled(plain, how, component::all), x)) ==
            bits(row_values(plain, x)));
    }
    x[3] = mx::float_of(0x7FA00001);
    x[5] = mx::float_of(0xFF800000);
    x[6] = mx::float_of(1);
    const mx::operand off = tests::toggled(operand_of({}), how, component::none);
    CHECK(bits(row_values(off, x)) == bits(x));
  }
}

TEST_CASE("zeros_keep_their_signs_if_the_elements_have_a_negative_zero") {
  for (const auto& [name, f] : vectorized_operands()) {
    const bool signs = !f.is_coded() || f.recipe.format().element.has_negative_zero();
    const bool kept = signs && !f.recipe.corrections.has_residual();  // -0 plus a residual's +0
    INFO(name);
    CHECK(bits(row_values(f, floats(64, -0.0F))) == bits(floats(64, kept ? -0.0F : 0.0F)));
  }
}

TEST_CASE("rows_apart_have_the_same_values_in_dense_rows") {
  constexpr int rows = 40, count = 512, apart = count + 3;
  const floats x = matrix_of(values::normal, rows, apart);
  floats dense;
  for (auto row = x.begin(); row != x.end(); row += apart) {
    dense.insert(dense.end(), row, row + count);
  }
  for (const auto& [name, f] : vectorized_operands()) {
    floats expected(dense.size()), y(dense.size());
    mx::fake_quantize(f, mx::operand_rows{rows, count, dense.data(), count},
                      {expected.data(), count});
    mx::operand_rows from_afar{rows, count, x.data(), apart};
    mx::fake_quantize(f, from_afar, {y.data(), count});
    INFO(name);
    CHECK(differences(y, expected) == 0);
  }
}

TEST_CASE("blocks_do_not_see_each_other_and_macro_blocks_neither") {
  const mx::operand plain = operand_of({});
  mx::operand macro = plain;
  macro.recipe.corrections.macro_block = 64;
  const floats x = matrix_of(values::normal, 1, 192);
  for (const auto& [f, span] : {std::pair{plain, 32}, std::pair{macro, 64}}) {
    const floats whole = row_values(f, x);
    for (int first = 0; first < 192; first += span) {
      const floats part(x.begin() + first, x.begin() + first + span);
      CHECK(bits(row_values(f, part)) ==
            bits(floats(whole.begin() + first, whole.begin() + first + span)));
    }
  }
}

TEST_CASE("the_factor_of_a_macro_block_comes_from_its_largest_element") {
  mx::operand f = operand_of({mx::block_formats::mxfp4, scale_rule::rceil});
  f.recipe.corrections.macro_block = 128;
  floats x(128, 1.0F);
  x[100] = 4.0F;  // f = 1.5: the first block's amax is 1.5, its scale 2^-2
  CHECK(row_values(f, x)[100] == 4.0F);
  CHECK(row_values(f, x)[0] == 1.0F);
}

TEST_CASE("the_outlier_fallback_adds_the_quantized_residual") {
  mx::operand plain = operand_of({mx::block_formats::mxfp4, scale_rule::rceil});
  for (const int macro_block : {0, 128}) {
    plain.recipe.corrections.macro_block = macro_block;
    mx::operand fallback = plain;
    fallback.recipe.corrections.fallback = mx::fallback_mode::all;
    const floats x = matrix_of(values::normal, 1, 160), first = row_values(plain, x);
    floats residual(x.size());
    for (std::size_t i = 0; i < x.size(); ++i) residual[i] = x[i] - first[i];
    const floats second = row_values(plain, residual), y = row_values(fallback, x);
    for (std::size_t i = 0; i < x.size(); ++i) {
      CHECK(mx::bits_of(y[i]) == mx::bits_of(std::fma(0.5F, second[i], first[i])));
    }
  }
}

TEST_CASE("an_operand_is_vectorized_where_a_kernel_quantizes_it") {
  using tests::drawn;
  const auto vectorized = [](const mx::quantization& q) { return is_vectorized(operand_of(q)); };
  CHECK(vectorized({}));
  CHECK(vectorized({mx::block_formats::mxint8, scale_rule::rceil}));
  CHECK(vectorized(drawn({mx::block_formats::mxfp8_e4m3}, 24)));
  CHECK(vectorized({mx::block_formats::nvfp4, scale_rule::ideal}));
  CHECK(vectorized({mx::block_formats::fp8_1x128, scale_rule::ideal}));
  CHECK(vectorized({tests::blocks_of_five}));
  CHECK(vectorized({mx::block_formats::mxfp4, scale_rule::mse}));
  CHECK(vectorized({mx::block_formats::nvfp4, scale_rule::four_over_six_mae}));
  CHECK_FALSE(vectorized({mx::block_formats::mxfp4, scale_rule::quest}));
  CHECK_FALSE(vectorized({tests::exact_blocks, scale_rule::ideal}));
  CHECK_FALSE(vectorized(drawn({mx::block_formats::nvfp4, scale_rule::ideal}, 9)));
  CHECK_FALSE(vectorized({mx::block_formats::nvfp4_2d, scale_rule::ideal}));
}

}  // namespace
