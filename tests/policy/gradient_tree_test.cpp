// SPDX-License-Identifier: Apache-2.0
// tests/policy/gradient_tree_test.cpp: sim/policy/gradient_tree.h.
#include "sim/policy/gradient_tree.h"

#include <random>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "tree_sum.h"

namespace {

using floats = std::vector<float>;
using test::bits;
constexpr int count = 48;

std::vector<floats> random_leaves(int leaves) {
  std::mt19937 random(1);
  std::vector<floats> result(static_cast<std::size_t>(leaves), floats(count));
  for (floats& leaf : result) {
    for (float& x : leaf) {
      x = mx::float_of((random() & 0x807FFFFF) | (random() % 12 + 120) << 23);
    }
  }
  return result;
}

/// Adds adjacent pairs until one sum is left; an odd one is passed up.
floats by_adjacent_pairs(std::vector<floats> level) {
  while (level.size() > 1) {
    std::vector<floats> next;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2) {
      next.push_back(level[i]);
      for (std::size_t j = 0; j < next.back().size(); ++j) next.back()[j] += level[i + 1][j];
    }
    if (level.size() % 2 == 1) next.push_back(level.back());
    level = std::move(next);
  }
  return level.front();
}

void add_in_steps(const std::vector<floats>& leaves, int step, sim::gradient_tree& tree) {
  const int size = static_cast<int>(leaves.size());
  for (int first = 0; first < size; first += step) {
    const int taken = std::min(step, size - first);
    for (const auto& [offset, width] : {std::pair{0, 16}, {16, 32}}) {
      for (int i = 0; i < taken; ++i) {
        tree.add_leaf(first + i, offset, width,
                      leaves[static_cast<std::size_t>(first + i)].data() + offset);
      }
    }
    tree.complete(taken);
  }
}

TEST_CASE("the_sum_adds_adjacent_pairs_whatever_the_steps") {
  for (int size = 1; size <= 9; ++size) {
    const std::vector<floats> leaves = random_leaves(size);
    const floats expected = by_adjacent_pairs(leaves);
    for (int step = 1; step <= size; ++step) {
      sim::gradient_tree tree(count, size);
      add_in_steps(leaves, step, tree);
      INFO(size << " leaves, " << step << " at once");
      CHECK(tree.added() == size);
      CHECK(bits(test::sum_in(tree, count)) == bits(expected));
    }
  }
}

TEST_CASE("matrix_leaves_and_vector_leaves_share_the_levels") {
  const std::vector<floats> leaves = random_leaves(5);
  sim::gradient_tree tree(count, 5);
  const float one = 1.0F;
  for (int i = 0; i < 5; ++i) {
    // The first 32 elements are a product of one row; the others are added unchanged.
    const mx::outer_product product{1, &one, leaves[static_cast<std::size_t>(i)].data()};
    mx::add_leaves({{&product, 1}, i, 1, 0, 1, 32, 1, 32, tree.levels_at(0).data()});
    tree.add_leaf(i, 32, 16, leaves[static_cast<std::size_t>(i)].data() + 32);
  }
  tree.complete(5);
  CHECK(bits(test::sum_in(tree, count)) == bits(by_adjacent_pairs(leaves)));
}

TEST_CASE("sums_of_several_sequences_enter_at_their_own_level") {
  const std::vector<floats> leaves = random_leaves(12);
  sim::gradient_tree tree(count, 12);
  const float one = 1.0F;
  std::vector<floats> sums;
  for (int i = 0; i < 12; i += 4) {
    const auto at = static_cast<std::size_t>(i);
    sums.push_back(by_adjacent_pairs({leaves.begin() + i, leaves.begin() + i + 4}));
    const mx::outer_product product{1, &one, sums.back().data()};
    mx::add_leaves({{&product, 1}, i / 4, 1, 0, 1, 32, 1, 32, tree.levels_at(0, 4).data()});
    for (std::size_t j = at; j < at + 4; ++j) {
      tree.add_leaf(static_cast<int>(j), 32, 16, leaves[j].data() + 32);
    }
    tree.complete(4);
  }
  // Aligned subtrees: their roots give the same sum as all leaves.
  CHECK(bits(test::sum_in(tree, count)) == bits(by_adjacent_pairs(leaves)));
}

TEST_CASE("a_part_of_the_parameters_has_the_sums_of_the_whole") {
  const std::vector<floats> leaves = random_leaves(7);
  sim::gradient_tree part(32, 7);
  floats gradient(count, 5.0F);
  for (const std::ptrdiff_t offset : {0, 16}) {
    part.start(offset);
    for (int i = 0; i < 7; ++i) {
      part.add_leaf(i, offset, 32, leaves[static_cast<std::size_t>(i)].data() + offset);
      part.complete(1);
    }
    part.total(offset + 16, 16, gradient.data() + offset + 16);
  }
  const floats whole = by_adjacent_pairs(leaves);
  CHECK(bits({gradient.begin() + 16, gradient.end()}) == bits({whole.begin() + 16, whole.end()}));
  CHECK(gradient[15] == 5.0F);
}

}  // namespace
