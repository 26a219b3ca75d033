// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/bulk_product_test.cpp: mx/tensor/bulk.h. Products against chains of fused
// multiply-adds, bit for bit, on every instruction set of this machine.
#include <cmath>
#include <utility>

#include "catch.h"
#include "instruction_sets.h"
#include "matrices.h"
#include "mx/tensor/bulk.h"

namespace {

using test::instruction_set_of_scope;
using tests::differences;
using tests::factors;
using tests::floats;
using tests::shape;
using tests::transposed;

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

}  // namespace
