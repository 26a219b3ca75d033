// SPDX-License-Identifier: Apache-2.0
// tests/train/shared_gradient_test.cpp: sim/train/shared_gradient.h: the groups of a batch, and the
// sum of the ranks' subtrees against the tree of one process, bit for bit.
#include "sim/train/shared_gradient.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>

#include "catch.h"
#include "ranks_in_threads.h"

namespace {

using sim::subtree;

TEST_CASE("a_batch_has_at_most_sixteen_groups_of_a_power_of_two") {
  CHECK(sim::sequences_of_group(128, 1) == 8);
  CHECK(sim::groups_of(128, 1) == 16);
  CHECK(sim::groups_of(129, 1) == 9);
  CHECK(sim::groups_of(5, 1) == 5);
  CHECK(sim::groups_of(128, 64) == 2);
  for (int sequences = 1; sequences < 400; ++sequences) {
    const int in_group = sim::sequences_of_group(sequences, 1);
    CHECK(std::has_single_bit(static_cast<unsigned>(in_group)));
    CHECK(sim::groups_of(sequences, 1) <= sim::most_groups);
  }
}

/// Rank r of a group that exchanges nothing.
struct lone_member final : sim::rank_group {
  lone_member(int rank, int size) : rank_(rank), size_(size) {}
  [[nodiscard]] int rank() const noexcept override { return rank_; }
  [[nodiscard]] int size() const noexcept override { return size_; }
  [[nodiscard]] std::vector<std::string> gather(std::string_view) const override { return {}; }
  int rank_, size_;
};

TEST_CASE("the_ranks_subtrees_are_aligned_and_cover_the_batch_once") {
  for (int sequences = 1; sequences < 200; ++sequences) {
    const int most = std::min(sim::groups_of(sequences, 1), 7);
    for (int size = 1; size <= most; ++size) {
      int covered = 0;
      bool aligned = true;
      for (int rank = 0; rank < size; ++rank) {
        const lone_member member(rank, size);
        for (const subtree& s : sim::shared_gradient(member, sequences, 1).own()) {
          aligned = aligned && s.first == covered && s.first % s.leaves == 0 && s.count > 0;
          covered += s.count;
        }
      }
      INFO(sequences << " sequences, " << size << " ranks");
      CHECK(aligned);
      CHECK(covered == sequences);
    }
  }
}

TEST_CASE("a_half_of_a_batch_is_one_subtree") {
  const lone_member first(0, 2), second(1, 2);
  CHECK(sim::shared_gradient(first, 128, 1).own().size() == 1);
  CHECK(sim::shared_gradient(second, 128, 1).own().size() == 1);
  CHECK(sim::shared_gradient(second, 128, 1).own().front().first == 64);
}

constexpr int parameters = 48;

/// A sequence's gradient: exponents differ, so that the order of additions shows.
std::vector<float> leaf(int sequence) {
  std::vector<float> result;
  for (int p = 0; p < parameters; ++p) {
    const auto mixed = static_cast<unsigned>(sequence * 7919 + p * 104729) * 2654435761U;
    result.push_back(std::ldexp(static_cast<float>(mixed >> 8), static_cast<int>(mixed % 23) - 40));
  }
  return result;
}

/// Sum of the tree over some of the sequences.
std::vector<float> tree_sum(int first, int count) {
  sim::gradient_tree tree(parameters, count);
  tree.start(0);
  for (int i = 0; i < count; ++i) {
    tree.add_leaf(i, 0, parameters, leaf(first + i).data());
    tree.complete(1);
  }
  std::vector<float> sum(parameters);
  tree.total(0, parameters, sum.data());
  return sum;
}

bool same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

/// Whether every rank of a group gets the bits of the whole tree.
///   in_part  parameters that are exchanged at a time
bool ranks_sum_as_one(int size, int sequences, int in_part) {
  const std::vector<float> expected = tree_sum(0, sequences);
  std::vector<int> same(static_cast<std::size_t>(size));
  test::ranks_in_threads group(size);
  const auto ends = group.run([&](const sim::rank_group& ranks) {
    sim::shared_gradient shared(ranks, sequences, 1, in_part);
    for (const subtree& s : shared.own()) shared.add(tree_sum(s.first, s.count));
    same[static_cast<std::size_t>(ranks.rank())] = same_bits(shared.total(), expected) ? 1 : 0;
  });
  return std::ranges::count(ends, nullptr) == size && std::ranges::count(same, 1) == size;
}

TEST_CASE("the_sum_over_ranks_has_the_bits_of_the_whole_tree") {
  for (const int sequences : {2, 3, 5, 7, 8, 13, 16, 17, 20, 31, 32, 33, 50, 64, 100, 128, 200}) {
    for (const int size : {1, 2, 3, 5, 16}) {
      if (size > sim::groups_of(sequences, 1)) continue;
      INFO(sequences << " sequences, " << size << " ranks");
      CHECK(ranks_sum_as_one(size, sequences, parameters));
    }
  }
}

TEST_CASE("the_sum_does_not_depend_on_how_many_parameters_are_exchanged_at_a_time") {
  for (const int in_part : {16, 32, parameters, parameters + 16}) {
    INFO(in_part << " of " << parameters << " parameters at a time");
    CHECK(ranks_sum_as_one(2, 64, in_part));
    CHECK(ranks_sum_as_one(3, 13, in_part));
  }
}

TEST_CASE("more_ranks_than_groups_are_refused_with_both_numbers") {
  const lone_member member(0, 3);
  CHECK_THROWS_WITH(sim::shared_gradient(member, 64, 32),
                    "3 ranks share 2 groups of the 64 sequences of a batch (32 in a group); start "
                    "at most 2 ranks");
}

}  // namespace
