// SPDX-License-Identifier: Apache-2.0
// tests/unit/bulk_test.cpp: mx/bulk.h. Every bulk function against the core, bit for bit, on every
// instruction set of this machine.
#include <algorithm>
#include <cmath>
#include <random>
#include <stdexcept>
#include <vector>

#include "catch.h"
#include "mx/bulk.h"

namespace {

using mx::component;
using mx::number;
using mx::operand_format;
using mx::scale_rule;
using mx::toggle;
using floats = std::vector<float>;

/// The instruction set of one scope.
class instruction_set_of_scope {
 public:
  explicit instruction_set_of_scope(const std::string& name) { mx::use_instruction_set(name); }
  ~instruction_set_of_scope() { mx::use_instruction_set(""); }
  instruction_set_of_scope(const instruction_set_of_scope&) = delete;
  instruction_set_of_scope& operator=(const instruction_set_of_scope&) = delete;
};

std::size_t differences(const floats& a, const floats& b) {
  REQUIRE(a.size() == b.size());
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += mx::bits_of(a[i]) != mx::bits_of(b[i]);
  return count;
}

// ---- operands ----------------------------------------------------------------------------------

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

struct shape {
  int rows, columns;
};

/// mx::apply on every row of a dense matrix.
floats rows_by_core(const operand_format& f, const shape& s, const floats& x) {
  floats out(x.size()), scratch(static_cast<std::size_t>(2 * s.columns));
  for (int row = 0; row < s.rows; ++row) {
    mx::apply(f, x.data() + row * s.columns, s.columns, out.data() + row * s.columns,
              scratch.data());
  }
  return out;
}

floats transposed(const shape& s, const floats& x) {
  floats out(x.size());
  for (int row = 0; row < s.rows; ++row) {
    for (int column = 0; column < s.columns; ++column) {
      out[static_cast<std::size_t>(column * s.rows + row)] =
          x[static_cast<std::size_t>(row * s.columns + column)];
    }
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

// ---- products ----------------------------------------------------------------------------------

/// Products that neither overflow nor end in NaN, with zeros, and some that underflow.
floats factors(std::size_t count, unsigned seed) {
  std::mt19937 random(seed);
  floats x(count);
  for (float& v : x) {
    v = mx::float_of((random() & 0x807FFFFF) | (random() % 10 + 120) << 23);
    if (random() % 9 == 0) v = random() % 2 == 0 ? 0.0F : -0.0F;
    if (random() % 17 == 0) v *= 0x1p-80F;
  }
  return x;
}

TEST_CASE("a_product_is_a_chain_of_fused_multiply_adds_from_plus_zero") {
  for (const int k : {1, 7, 128}) {
    for (const int n : {1, 31, 32, 64, 100}) {
      const floats b = factors(static_cast<std::size_t>(k * n), 1);
      mx::packed_matrix packed(k, n);
      packed.set_columns(0, n, b.data(), n);
      const shape largest{13, n};
      const floats a = factors(static_cast<std::size_t>(largest.rows * k), 2);
      floats expected(static_cast<std::size_t>(largest.rows * n));
      for (int row = 0; row < largest.rows; ++row) {
        for (int column = 0; column < n; ++column) {
          float sum = 0;
          for (int i = 0; i < k; ++i) {
            sum = std::fma(a[static_cast<std::size_t>(row * k + i)],
                           b[static_cast<std::size_t>(i * n + column)], sum);
          }
          expected[static_cast<std::size_t>(row * n + column)] = sum;
        }
      }
      for (const std::string& set : mx::instruction_sets()) {
        const instruction_set_of_scope scope(set);
        for (int rows = 1; rows <= largest.rows; ++rows) {
          INFO(set << " " << rows << " x " << k << " x " << n);
          const int c_stride = n + 3;
          floats c(static_cast<std::size_t>(rows * c_stride), -9.0F);
          mx::multiply(rows, a.data(), k, packed, c.data(), c_stride);
          std::size_t wrong = 0;
          for (int row = 0; row < rows; ++row) {
            for (int column = 0; column < c_stride; ++column) {
              const float found = c[static_cast<std::size_t>(row * c_stride + column)];
              const float wanted =
                  column < n ? expected[static_cast<std::size_t>(row * n + column)] : -9.0F;
              wrong += mx::bits_of(found) != mx::bits_of(wanted);
            }
          }
          CHECK(wrong == 0);
        }
      }
    }
  }
}

TEST_CASE("the_rows_of_a_product_may_be_shared_out_and_lie_in_a_wider_matrix") {
  constexpr int rows = 20, k = 33, n = 70, stride = 40;
  const floats a = factors(rows * stride, 3), b = factors(k * n, 4);
  mx::packed_matrix packed(k, n);
  packed.set_columns(0, n, b.data(), n);
  floats whole(rows * n), split(rows * n);
  mx::multiply(rows, a.data(), stride, packed, whole.data(), n);
  for (const auto& [first, count] : {std::pair{0, 1}, {1, 12}, {13, 5}, {18, 2}}) {
    mx::multiply(count, a.data() + first * stride, stride, packed, split.data() + first * n, n);
  }
  CHECK(differences(whole, split) == 0);
}

TEST_CASE("columns_are_packed_from_a_matrix_or_from_its_transpose_alike") {
  constexpr int k = 9, n = 130;
  const floats b = factors(k * n, 5), turned = transposed({k, n}, b);
  mx::packed_matrix from_rows(k, n), from_columns(k, n);
  from_rows.set_columns(0, n, b.data(), n);
  for (const auto& [first, count] : {std::pair{0, 60}, {60, 10}, {70, 60}}) {
    from_columns.set_columns_transposed(first, count, turned.data() + first * k, k);
  }
  CHECK(from_rows.k() == k);
  CHECK(from_rows.n() == n);
  for (int column = 0; column < 192; ++column) {
    for (int i = 0; i < k; ++i) {
      const int at = i * 64 + column % 64;
      const float expected = column < n ? b[static_cast<std::size_t>(i * n + column)] : 0.0F;
      REQUIRE(mx::bits_of(from_rows.panel(column / 64)[at]) == mx::bits_of(expected));
      REQUIRE(mx::bits_of(from_columns.panel(column / 64)[at]) == mx::bits_of(expected));
    }
  }
}

// ---- trees of leaves ---------------------------------------------------------------------------

struct leaf {
  int k;
  floats left, right;  ///< k x m, k x n
};

/// One leaf's product: the chain, then the rows of +0 that fill the sequence.
float leaf_element(const leaf& l, int m, int n, int row, int column) {
  float sum = 0;
  for (int i = 0; i < l.k; ++i) {
    sum = std::fma(l.left[static_cast<std::size_t>(i * m + row)],
                   l.right[static_cast<std::size_t>(i * n + column)], sum);
  }
  return std::fma(0.0F, 0.0F, sum);
}

/// The sum of the 2^level leaves from `first` on: a perfect binary tree.
float tree_element(const std::vector<leaf>& leaves, int first, int level, int m, int n, int row,
                   int column) {
  if (level == 0) return leaf_element(leaves[static_cast<std::size_t>(first)], m, n, row, column);
  return tree_element(leaves, first, level - 1, m, n, row, column) +
         tree_element(leaves, first + (1 << (level - 1)), level - 1, m, n, row, column);
}

std::vector<leaf> random_leaves(int count, int m, int n) {
  std::mt19937 random(6);
  std::vector<leaf> result;
  for (int i = 0; i < count; ++i) {
    const int k = static_cast<int>(random() % 32);
    leaf l{k, factors(static_cast<std::size_t>(k * m), 10 + static_cast<unsigned>(i)),
           factors(static_cast<std::size_t>(k * n), 50 + static_cast<unsigned>(i))};
    // A product below the subnormals ends in -0, which the rows of +0 turn to +0.
    if (i % 3 == 0) {
      for (float& x : l.left) x = -std::fabs(x) * 0x1p-100F;
      for (float& x : l.right) x = std::fabs(x) * 0x1p-70F;
    }
    result.push_back(std::move(l));
  }
  return result;
}

struct tree_of_levels {
  tree_of_levels(int count, int size) : levels(static_cast<std::size_t>(count)) {
    for (floats& level : levels) {
      level.assign(static_cast<std::size_t>(size), -9.0F);
      pointers.push_back(level.data());
    }
  }
  std::vector<floats> levels;
  std::vector<float*> pointers;
};

void add(const std::vector<leaf>& leaves, int first, int count, int m, int row_begin, int row_end,
         int n, tree_of_levels& tree) {
  std::vector<mx::outer_product> products;
  for (int i = first; i < first + count; ++i) {
    const leaf& l = leaves[static_cast<std::size_t>(i)];
    products.push_back({l.k, l.left.data(), l.right.data()});
  }
  mx::add_leaves(products.data(), count, first, m, row_begin, row_end, n, m, n,
                 tree.pointers.data());
}

std::size_t wrong_elements(const std::vector<leaf>& leaves, int m, int n,
                           const tree_of_levels& tree) {
  const int count = static_cast<int>(leaves.size());
  std::size_t wrong = 0;
  int first = 0;
  for (int level = static_cast<int>(tree.levels.size()) - 1; level >= 0; --level) {
    if ((count >> level & 1) == 0) continue;
    for (int row = 0; row < m; ++row) {
      for (int column = 0; column < n; ++column) {
        const float expected = tree_element(leaves, first, level, m, n, row, column);
        const float found = tree.levels[static_cast<std::size_t>(level)]
                                       [static_cast<std::size_t>(row * n + column)];
        wrong += mx::bits_of(found) != mx::bits_of(expected);
      }
    }
    first += 1 << level;
  }
  return wrong;
}

TEST_CASE("leaves_are_added_by_a_binary_tree_over_their_index") {
  for (const int n : {16, 48, 112}) {
    for (const int m : {1, 13, 24}) {
      for (int count = 1; count <= 9; ++count) {
        const std::vector<leaf> leaves = random_leaves(count, m, n);
        for (const std::string& set : mx::instruction_sets()) {
          const instruction_set_of_scope scope(set);
          INFO(set << " " << count << " leaves, " << m << " x " << n);
          tree_of_levels tree(4, m * n);
          add(leaves, 0, count, m, 0, m, n, tree);
          CHECK(wrong_elements(leaves, m, n, tree) == 0);
        }
      }
    }
  }
}

TEST_CASE("leaves_and_rows_may_be_split_as_one_likes") {
  constexpr int m = 19, n = 32, count = 7;
  const std::vector<leaf> leaves = random_leaves(count, m, n);
  for (const int leaves_at_once : {1, 2, 3, 5}) {
    for (const int rows_at_once : {1, 4, 7, 11}) {
      tree_of_levels tree(3, m * n);
      for (int first = 0; first < count; first += leaves_at_once) {
        for (int row = 0; row < m; row += rows_at_once) {
          add(leaves, first, std::min(leaves_at_once, count - first), m, row,
              std::min(m, row + rows_at_once), n, tree);
        }
      }
      CHECK(wrong_elements(leaves, m, n, tree) == 0);
    }
  }
}

TEST_CASE("a_leaf_whose_products_underflow_to_minus_zero_is_plus_zero") {
  const leaf l{3, floats(3, -0x1p-100F), floats(48, 0x1p-100F)};
  tree_of_levels tree(1, 16);
  add({l}, 0, 1, 1, 0, 1, 16, tree);
  for (const float x : tree.levels.front()) CHECK(mx::bits_of(x) == 0U);
}

// ---- instruction sets --------------------------------------------------------------------------

TEST_CASE("an_instruction_set_is_used_until_the_restriction_is_lifted") {
  const std::vector<std::string> sets = mx::instruction_sets();
  REQUIRE_FALSE(sets.empty());
  for (const std::string& set : sets) {
    const instruction_set_of_scope scope(set);
    CHECK(mx::instruction_set() == set);
  }
  CHECK(mx::instruction_set() == sets.front());
  CHECK(mx::instruction_sets() == sets);
}

TEST_CASE("an_instruction_set_that_the_machine_lacks_is_refused_by_name") {
  std::string message;
  try {
    mx::use_instruction_set("ABACUS");
  } catch (const std::invalid_argument& e) {
    message = e.what();
  }
  CHECK(message.find("ABACUS") != std::string::npos);
  mx::use_instruction_set("");
}

}  // namespace
