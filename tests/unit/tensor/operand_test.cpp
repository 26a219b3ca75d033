// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/operand_test.cpp: mx/tensor/operand.h. Values of rows and columns against the
// core, bit for bit, on every instruction set of this machine.
#include <stdexcept>

#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/bulk.h"
#include "operand_list.h"

namespace {

using test::instruction_set_of_scope;
using tests::all_operands;
using tests::all_values;
using tests::differences;
using tests::floats;
using tests::matrix_of;
using tests::shape;
using tests::values;

// Whole blocks, a short last block, a short last macro block; fewer columns than a vector.
constexpr shape row_shapes[] = {{3, 32}, {2, 40}, {2, 160}, {3, 5}};
constexpr shape column_shapes[] = {{20, 35}, {32, 16}, {150, 17}, {1, 3}};

floats fake_rows(const mx::operand& f, const shape& s, const floats& x) {
  return tests::with_strides(
      s, x, 3, 5, [&](const float* in, int in_stride, float* out, int stride) {
        mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, in, in_stride}, {out, stride});
      });
}

floats fake_columns(const mx::operand& f, const shape& s, const floats& x) {
  return tests::with_strides(
      s, x, 5, 2, [&](const float* in, int in_stride, float* out, int stride) {
        mx::fake_quantize(f, mx::operand_columns{s.rows, s.columns, in, in_stride}, {out, stride});
      });
}

TEST_CASE("rows_equal_the_core_in_every_format_on_every_instruction_set") {
  for (const auto& [name, f] : all_operands()) {
    for (const values kind : all_values) {
      for (const shape& s : row_shapes) {
        const floats x = matrix_of(kind, s.rows, s.columns), expected = rows_by_core(f, s, x);
        for (const std::string& set : mx::instruction_sets()) {
          const instruction_set_of_scope scope(set);
          INFO(name << " on " << set << ", values " << static_cast<int>(kind) << ", " << s.rows
                    << " x " << s.columns);
          CHECK(differences(fake_rows(f, s, x), expected) == 0);
        }
      }
    }
  }
}

TEST_CASE("columns_equal_the_core_in_every_format_on_every_instruction_set") {
  for (const auto& [name, f] : all_operands()) {
    for (const values kind : all_values) {
      for (const shape& s : column_shapes) {
        const floats x = matrix_of(kind, s.rows, s.columns), expected = columns_by_core(f, s, x);
        for (const std::string& set : mx::instruction_sets()) {
          const instruction_set_of_scope scope(set);
          INFO(name << " on " << set << ", values " << static_cast<int>(kind) << ", " << s.rows
                    << " x " << s.columns);
          CHECK(differences(fake_columns(f, s, x), expected) == 0);
        }
      }
    }
  }
}

TEST_CASE("rows_and_columns_may_be_quantized_in_place") {
  const shape s{64, 64};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : all_operands()) {
    const floats rows = rows_by_core(f, s, x), columns = columns_by_core(f, s, x);
    for (const std::string& set : mx::instruction_sets()) {
      const instruction_set_of_scope scope(set);
      INFO(name << " on " << set);
      floats y = x;
      mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, y.data(), s.columns},
                        {y.data(), s.columns});
      CHECK(differences(y, rows) == 0);
      y = x;
      mx::fake_quantize(f, mx::operand_columns{s.rows, s.columns, y.data(), s.columns},
                        {y.data(), s.columns});
      CHECK(differences(y, columns) == 0);
    }
  }
}

/// Whether an operand takes random bits.
bool draws(const mx::operand& f) {
  return f.recipe.has_preset()
             ? draws_bits(mx::variant_table[static_cast<std::size_t>(f.recipe.preset)])
             : f.recipe.rules.rounding == mx::rounding::stochastic;
}

TEST_CASE("random_bits_of_long_lines_follow_the_block_numbers") {
  const std::uint64_t first_blocks[] = {17, 3};
  const shape s{2, 9000};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : all_operands()) {
    if (!f.recipe.has_preset() || !draws(f)) continue;
    INFO(name);
    floats y(x.size());
    mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns, first_blocks},
                      {y.data(), s.columns});
    CHECK(differences(y, rows_by_core(f, s, x, first_blocks)) == 0);
  }
}

TEST_CASE("random_bits_follow_the_given_block_numbers") {
  const std::uint64_t first_blocks[] = {0x123456789A, 17, 3, 0x123456789A};
  const shape s{4, 96};
  const floats x = matrix_of(values::normal, s.rows, s.columns);
  for (const auto& [name, f] : all_operands()) {
    if (!draws(f)) continue;
    const floats rows = rows_by_core(f, s, x, first_blocks), columns = columns_by_core(f, s, x, 99);
    for (const std::string& set : mx::instruction_sets()) {
      const instruction_set_of_scope scope(set);
      INFO(name << " on " << set);
      floats y(x.size());
      mx::fake_quantize(f, mx::operand_rows{s.rows, s.columns, x.data(), s.columns, first_blocks},
                        {y.data(), s.columns});
      CHECK(differences(y, rows) == 0);
      mx::fake_quantize(f, mx::operand_columns{s.rows, s.columns, x.data(), s.columns, 99},
                        {y.data(), s.columns});
      CHECK(differences(y, columns) == 0);
    }
  }
}

}  // namespace
