// SPDX-License-Identifier: Apache-2.0
// tests/unit/bulk_operand_test.cpp: mx/bulk.h. Operands of products against the core, bit for bit, on
// every instruction set of this machine.
#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "matrices.h"
#include "mx/bulk.h"

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

std::vector<named_format> all_formats() {
  operand_format fp32, bf16, plain;
  bf16.numbers = number::bf16;
  plain.numbers = number::microscaled;
  std::vector<named_format> result{{"fp32", fp32}, {"bf16", bf16}};
  for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
    const std::string of_rule = rule == scale_rule::floor ? " floor" : " rceil";
    plain.rule = rule;
    result.push_back({"mxfp4" + of_rule, plain});
    for (const toggle t : {toggle::injection, toggle::operation}) {
      for (int parts = 0; parts < 16; ++parts) {
        operand_format f = plain;
        f.toggle = t;
        f.parts = static_cast<component>(parts);
        result.push_back({(t == toggle::injection ? "injection " : "operation ") +
                              std::to_string(parts) + of_rule,
                          f});
      }
    }
    for (const int macro_block : {0, 64, 128}) {
      for (const float alpha : {0.0F, 0.5F, 1.0F}) {
        operand_format f = plain;
        f.macro_block = macro_block;
        f.fallback_alpha = alpha;
        result.push_back({"macro block " + std::to_string(macro_block) + " fallback " +
                              std::to_string(alpha) + of_rule,
                          f});
      }
    }
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

}  // namespace
