// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/bulk_operand_test.cpp: mx/tensor/bulk.h. Operands of products against the core,
// bit for bit, on every instruction set of this machine.
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "matrices.h"
#include "mx/block/names.h"
#include "mx/tensor/bulk.h"

namespace {

using mx::component;
using mx::number;
using mx::operand_format;
using mx::scale_rule;
using mx::toggle;
using test::instruction_set_of_scope;
using tests::differences;
using tests::floats;
using tests::shape;
using tests::transposed;

struct named_format {
  std::string name;
  operand_format format;
};

/// Every rule that MXFP4 has.
const std::vector<scale_rule> all_rules = [] {
  std::vector<scale_rule> rules;
  for (const auto& rule : mx::scale_rule_table) {
    const mx::quantization q{mx::block_formats::mxfp4, rule.value};
    if (mx::refusal_of(q) == mx::refusal::none) rules.push_back(rule.value);
  }
  return rules;
}();

std::string with_rule(const std::string& name, scale_rule rule) {
  return name + ", rule " + std::to_string(static_cast<int>(rule));
}

/// All sets of parts under the rules of the studies; under others one that looks at everything.
void add_toggled(const operand_format& plain, std::vector<named_format>& formats) {
  const bool studied = plain.rule == scale_rule::floor || plain.rule == scale_rule::rceil;
  for (const toggle t : {toggle::injection, toggle::operation}) {
    for (int parts = 0; parts < 16; ++parts) {
      operand_format f = plain;
      f.toggle = t;
      f.parts = static_cast<component>(parts);
      const bool telling = f.parts == (component::scale | component::grid);
      if ((!studied && !telling) || !mx::is_applicable(f)) continue;
      const std::string name = t == toggle::injection ? "injection " : "operation ";
      formats.push_back({with_rule(name + std::to_string(parts), f.rule), f});
    }
  }
}

void add_corrected(const operand_format& plain, std::vector<named_format>& formats) {
  for (const int macro_block : {0, 64, 128}) {
    for (const float alpha : {0.0F, 0.5F, 1.0F}) {
      operand_format f = plain;
      f.macro_block = macro_block;
      f.fallback_alpha = alpha;
      const std::string name =
          "macro block " + std::to_string(macro_block) + ", fallback " + std::to_string(alpha);
      if (mx::is_applicable(f)) formats.push_back({with_rule(name, f.rule), f});
    }
  }
}

std::vector<named_format> formats_of(scale_rule rule) {
  operand_format plain;
  plain.numbers = number::microscaled;
  plain.rule = rule;
  std::vector<named_format> result;
  add_toggled(plain, result);
  add_corrected(plain, result);  // and plain itself
  return result;
}

std::vector<named_format> all_formats() {
  operand_format fp32, bf16;
  bf16.numbers = number::bf16;
  std::vector<named_format> result{{"fp32", fp32}, {"bf16", bf16}};
  for (const scale_rule rule : all_rules) {
    for (const named_format& f : formats_of(rule)) result.push_back(f);
  }
  return result;
}

enum class values {
  normal,
  grid_ties,
  beside_ties,
  wide_exponents,
  subnormal,
  any_pattern,
  any_finite,
  near_largest
};
constexpr values all_values[] = {values::normal,         values::grid_ties,   values::beside_ties,
                                 values::wide_exponents, values::subnormal,   values::any_pattern,
                                 values::any_finite,     values::near_largest};

float draw(values kind, std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  const float sign = (word & 1) != 0 ? -1.0F : 1.0F;
  const float unit = sign * (0x1p-23F * static_cast<float>(word >> 9) + 0x1p-30F);
  switch (kind) {
    case values::normal:
      return 3 * unit * unit * unit;
    case values::grid_ties:
      return sign * static_cast<float>(random() % 49) / 8;
    case values::beside_ties:
      return mx::float_of(mx::bits_of(sign * static_cast<float>(random() % 48 + 1) / 8) +
                          static_cast<std::uint32_t>(random() % 3) - 1);
    case values::wide_exponents:
      return std::ldexp(unit, static_cast<int>(random() % 80) - 40);
    case values::subnormal:
      return mx::float_of((word & 0x80FFFFFF) >> (random() % 2 * 12));
    case values::any_pattern: {
      const bool special = (word & 0x7F800000) == 0x7F800000;
      return special && random() % 8 != 0 ? unit : mx::float_of(word);
    }
    case values::any_finite:
      return (word & 0x7F800000) == 0x7F800000 ? unit : mx::float_of(word);
    case values::near_largest:
      return mx::float_of((word & 0x81FFFFFF) | 0x7E000000) * (random() % 3 == 0 ? 0.25F : 1.0F);
  }
  return 0;
}

/// `near_largest` holds no Inf: its patterns end below 0x7F800000.
float finite_or_zero(values kind, float x) {
  return kind == values::near_largest && !std::isfinite(x) ? 0.0F : x;
}

floats matrix_of(values kind, int rows, int columns) {
  std::mt19937 random(static_cast<unsigned>(kind) * 100 + static_cast<unsigned>(columns));
  floats m(static_cast<std::size_t>(rows * columns));
  for (float& x : m) {
    x = finite_or_zero(kind, draw(kind, random));
    if (random() % 11 == 0) x = random() % 2 == 0 ? 0.0F : -0.0F;
  }
  return m;
}

/// mx::apply on every row of a dense matrix.
floats rows_by_core(const operand_format& f, const shape& s, const floats& x) {
  floats out(x.size()), scratch(static_cast<std::size_t>(2 * s.columns));
  for (int row = 0; row < s.rows; ++row) {
    mx::apply(f, x.data() + row * s.columns, s.columns, out.data() + row * s.columns,
              scratch.data());
  }
  return out;
}

floats columns_by_core(const operand_format& f, const shape& s, const floats& x) {
  const shape turned{s.columns, s.rows};
  return transposed(turned, rows_by_core(f, turned, transposed(s, x)));
}

/// Runs `work(in, in_stride, out, out_stride)` on wider matrices, and cuts its result out. What lies
/// between the rows must stay as it is.
template <class Work>
floats with_strides(const shape& s, const floats& x, int in_gap, int out_gap, const Work& work) {
  const int in_stride = s.columns + in_gap, out_stride = s.columns + out_gap;
  floats in(static_cast<std::size_t>(s.rows * in_stride), -7.0F);
  floats out(static_cast<std::size_t>(s.rows * out_stride), -9.0F), result;
  for (int row = 0; row < s.rows; ++row) {
    std::copy_n(x.begin() + row * s.columns, s.columns, in.begin() + row * in_stride);
  }
  work(in.data(), in_stride, out.data(), out_stride);
  std::size_t touched = 0;
  for (int row = 0; row < s.rows; ++row) {
    const auto begin = out.begin() + row * out_stride;
    result.insert(result.end(), begin, begin + s.columns);
    touched += static_cast<std::size_t>(out_gap -
                                        std::count(begin + s.columns, begin + out_stride, -9.0F));
  }
  CHECK(touched == 0);
  return result;
}

// Whole blocks, a short last block, a short last macro block; fewer columns than a vector.
constexpr shape row_shapes[] = {{3, 32}, {2, 40}, {2, 160}, {3, 5}};
constexpr shape column_shapes[] = {{20, 35}, {32, 16}, {150, 17}, {1, 3}};

TEST_CASE("rows_equal_the_core_in_every_format_on_every_instruction_set") {
  for (const auto& [name, f] : all_formats()) {
    for (const values kind : all_values) {
      for (const shape& s : row_shapes) {
        const floats x = matrix_of(kind, s.rows, s.columns), expected = rows_by_core(f, s, x);
        for (const std::string& set : mx::instruction_sets()) {
          const instruction_set_of_scope scope(set);
          INFO(name << " on " << set << ", values " << static_cast<int>(kind) << ", " << s.rows
                    << " x " << s.columns);
          const floats found = with_strides(
              s, x, 3, 5, [&, &format = f](const float* in, int in_stride, float* out, int stride) {
                mx::apply_rows(format, s.rows, s.columns, in, in_stride, out, stride);
              });
          CHECK(differences(found, expected) == 0);
        }
      }
    }
  }
}

TEST_CASE("columns_equal_the_core_in_every_format_on_every_instruction_set") {
  for (const auto& [name, f] : all_formats()) {
    for (const values kind : all_values) {
      for (const shape& s : column_shapes) {
        const floats x = matrix_of(kind, s.rows, s.columns), expected = columns_by_core(f, s, x);
        for (const std::string& set : mx::instruction_sets()) {
          const instruction_set_of_scope scope(set);
          INFO(name << " on " << set << ", values " << static_cast<int>(kind) << ", " << s.rows
                    << " x " << s.columns);
          const floats found = with_strides(
              s, x, 5, 2, [&, &format = f](const float* in, int in_stride, float* out, int stride) {
                mx::apply_columns(format, s.rows, s.columns, in, in_stride, out, stride);
              });
          CHECK(differences(found, expected) == 0);
        }
      }
    }
  }
}

TEST_CASE("rows_and_columns_may_be_quantized_in_place") {
  const shape s{64, 64};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : all_formats()) {
    for (const std::string& set : mx::instruction_sets()) {
      const instruction_set_of_scope scope(set);
      INFO(name << " on " << set);
      floats by_rows = x, by_columns = x;
      mx::apply_rows(f, s.rows, s.columns, by_rows.data(), s.columns, by_rows.data(), s.columns);
      mx::apply_columns(f, s.rows, s.columns, by_columns.data(), s.columns, by_columns.data(),
                        s.columns);
      CHECK(differences(by_rows, rows_by_core(f, s, x)) == 0);
      CHECK(differences(by_columns, columns_by_core(f, s, x)) == 0);
    }
  }
}

TEST_CASE("one_value_that_is_not_finite_leaves_the_other_blocks_as_they_are") {
  const shape s{2, 128};
  for (const std::uint32_t special : {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFA00001U}) {
    floats x = matrix_of(values::normal, s.rows, s.columns);
    x[40] = mx::float_of(special);
    for (const auto& [name, f] : all_formats()) {
      const floats rows = rows_by_core(f, s, x), columns = columns_by_core(f, {32, 8}, x);
      for (const std::string& set : mx::instruction_sets()) {
        const instruction_set_of_scope scope(set);
        INFO(name << " on " << set);
        floats out(x.size());
        mx::apply_rows(f, 2, 128, x.data(), 128, out.data(), 128);
        CHECK(differences(out, rows) == 0);
        mx::apply_columns(f, 32, 8, x.data(), 8, out.data(), 8);
        CHECK(differences(out, columns) == 0);
      }
    }
  }
}

/// Largest magnitudes on the bounds of the rules within a binade and beside them, in binades of all
/// kinds: subnormal, of the smallest scales, and up to those that no vector takes.
std::vector<float> critical_maxima() {
  std::vector<float> result;
  for (const std::uint32_t field : {0U, 1U, 2U, 3U, 4U, 5U, 126U, 127U, 128U, 226U, 227U, 254U}) {
    for (const std::uint32_t fraction : {0U, 0x100000U, 0x400000U, 0x500000U, 0x600000U}) {
      for (const std::uint32_t beside : {0U, 1U, 0x7FFFFFU}) {
        result.push_back(mx::float_of(field << 23 | ((fraction + beside) & 0x7FFFFF)));
      }
    }
  }
  return result;
}

/// A block with this largest magnitude at its end: eighths of it, which ties of a rule are, and
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
  const floats quarter = block_below(amax / 4), rest = block_below(amax * 0.75F);
  x.insert(x.end(), quarter.begin(), quarter.end());
  x.insert(x.end(), rest.begin(), rest.end());
  return x;
}

floats rows_in_bulk(const operand_format& f, const shape& s, const floats& x) {
  floats out(x.size());
  mx::apply_rows(f, s.rows, s.columns, x.data(), s.columns, out.data(), s.columns);
  return out;
}

floats columns_in_bulk(const operand_format& f, const shape& s, const floats& x) {
  floats out(x.size());
  mx::apply_columns(f, s.rows, s.columns, x.data(), s.columns, out.data(), s.columns);
  return out;
}

TEST_CASE("every_rule_takes_the_next_scale_where_the_core_does_on_every_instruction_set") {
  floats rows;
  for (const float amax : critical_maxima()) {
    const floats row = row_of(amax);
    rows.insert(rows.end(), row.begin(), row.end());
  }
  const shape by_row{static_cast<int>(rows.size()) / 96, 96}, by_column{96, by_row.rows};
  const floats columns = transposed(by_row, rows);
  for (const scale_rule rule : all_rules) {
    for (const auto& [name, f] : formats_of(rule)) {
      const floats expected = rows_by_core(f, by_row, rows);
      for (const std::string& set : mx::instruction_sets()) {
        const instruction_set_of_scope scope(set);
        INFO(name << " on " << set);
        CHECK(differences(rows_in_bulk(f, by_row, rows), expected) == 0);
        CHECK(differences(columns_in_bulk(f, by_column, columns), transposed(by_row, expected)) ==
              0);
      }
    }
  }
}

TEST_CASE("rules_that_raise_the_scale_of_a_largest_element_7_make_8_of_it") {
  floats x(32);
  std::copy_n(std::vector<float>{7.0F, 4.9F, 1.1F, 5.0F}.begin(), 4, x.begin());
  for (const std::string& set : mx::instruction_sets()) {
    const instruction_set_of_scope scope(set);
    for (const scale_rule rule : all_rules) {
      const bool saturated = rule == scale_rule::floor || rule == scale_rule::floor6 ||
                             rule == scale_rule::midmax || rule == scale_rule::ideal;
      operand_format f;
      f.numbers = number::microscaled;
      f.rule = rule;
      INFO(with_rule(set, rule));
      if (rule != scale_rule::quest && rule != scale_rule::mse) {
        CHECK(rows_in_bulk(f, {1, 32}, x)[0] == (saturated ? 6.0F : 8.0F));
      }
    }
  }
}

TEST_CASE("rules_that_operands_do_not_have_are_refused") {
  operand_format f;
  f.numbers = number::microscaled;
  floats x(32);
  const auto rows = [&] { mx::apply_rows(f, 1, 32, x.data(), 32, x.data(), 32); };
  const auto columns = [&] { mx::apply_columns(f, 32, 1, x.data(), 1, x.data(), 1); };
  for (const scale_rule rule : {scale_rule::four_over_six_mse, scale_rule::four_over_six_mae,
                                scale_rule::four_over_six_abs_max}) {
    f.rule = rule;
    CHECK_THROWS_AS(rows(), std::invalid_argument);
    CHECK_THROWS_AS(columns(), std::invalid_argument);
  }
  f.rule = scale_rule::mse;
  CHECK_NOTHROW(rows());
  f.macro_block = 64;
  CHECK_THROWS_AS(rows(), std::invalid_argument);
  CHECK_THROWS_AS(columns(), std::invalid_argument);
  f.macro_block = 0;
  f.toggle = toggle::injection;
  CHECK_NOTHROW(rows());
  f.rule = scale_rule::quest;
  CHECK_THROWS_AS(rows(), std::invalid_argument);
  f.toggle = toggle::none;
  CHECK_NOTHROW(rows());
}

}  // namespace
