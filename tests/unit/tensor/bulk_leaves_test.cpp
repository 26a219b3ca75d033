// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/bulk_leaves_test.cpp: mx/tensor/bulk.h. Sums of outer products against a binary
// tree over their index, bit for bit, on every instruction set of this machine.
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "matrices.h"
#include "mx/tensor/bulk.h"

namespace {

using test::instruction_set_of_scope;
using tests::factors;
using tests::floats;

struct leaf {
  int k;
  floats left, right;  ///< k x m, k x n
};

/// One leaf's product: the chain, then the rows of +0 that pad the sequence.
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
  mx::add_leaves({products, first, m, row_begin, row_end, n, m, n, tree.pointers.data()});
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

}  // namespace
