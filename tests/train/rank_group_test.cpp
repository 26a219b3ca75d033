// SPDX-License-Identifier: Apache-2.0
// tests/train/rank_group_test.cpp: sim/ranks: pieces, packed values, and what ranks agree on.
#include "sim/ranks/rank_group.h"

#include <algorithm>

#include "catch.h"
#include "ranks_in_threads.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/ranks/packed_values.h"

namespace {

TEST_CASE("a_process_alone_has_all_pieces_and_its_own_values") {
  const sim::rank_group& alone = sim::this_process();
  CHECK(alone.size() == 1);
  CHECK(sim::own_piece(alone, 7).count == 7);
  CHECK(sim::gathered(alone, std::vector{1, 2}) == std::vector{1, 2});
  CHECK(alone.gather("a") == std::vector<std::string>{"a"});
  CHECK(sim::any_rank(alone, true));
  CHECK_NOTHROW(sim::expect_equal(alone, "x", "1", ""));
}

TEST_CASE("lists_of_values_are_unpacked_in_their_order") {
  sim::packed_values packed;
  packed.put(std::vector<float>{1.5F, -0.0F});
  packed.put(std::string());
  packed.put(std::vector<std::uint8_t>{7});
  sim::unpacked_values values(packed.bytes());
  CHECK(values.take<float>() == std::vector<float>{1.5F, -0.0F});
  CHECK(values.take<char>().empty());
  CHECK(values.any_left());
  CHECK(values.take<std::uint8_t>() == std::vector<std::uint8_t>{7});
  CHECK_FALSE(values.any_left());
}

/// What each of three ranks returns or throws.
std::vector<std::string> ends_of(const std::function<std::string(const sim::rank_group&)>& work) {
  std::vector<std::string> results(3);
  test::ranks_in_threads group(3);
  const auto ends = group.run([&](const sim::rank_group& ranks) {
    auto& result = results[static_cast<std::size_t>(ranks.rank())];
    try {
      result = work(ranks);
    } catch (const std::exception& e) {
      result = std::string("thrown: ") + e.what();
    }
  });
  CHECK(std::ranges::count(ends, nullptr) == 3);
  return results;
}

TEST_CASE("pieces_of_the_ranks_follow_each_other") {
  const auto pieces = ends_of([](const sim::rank_group& ranks) {
    std::vector<int> own;
    const sim::piece p = sim::own_piece(ranks, 8);
    for (int i = p.first; i < p.first + p.count; ++i) own.push_back(i);
    std::string all;
    for (const int i : sim::gathered(ranks, own)) all += std::to_string(i);
    return all;
  });
  CHECK(pieces == std::vector<std::string>(3, "01234567"));
}

TEST_CASE("rank_0_computes_for_all_and_its_failure_is_that_of_all") {
  CHECK(ends_of([](const sim::rank_group& ranks) {
          return sim::from_rank_0(ranks, [&] { return "of " + std::to_string(ranks.rank()); });
        }) == std::vector<std::string>(3, "of 0"));
  CHECK(ends_of([](const sim::rank_group& ranks) {
          sim::on_rank_0(ranks, [] { throw sim::rank_error("no disk"); });
          return std::string();
        }) == std::vector<std::string>(3, "thrown: no disk"));
}

TEST_CASE("one_rank_is_any_rank_and_a_different_value_is_named_with_rank_0s") {
  CHECK(ends_of([](const sim::rank_group& ranks) {
          return std::string(sim::any_rank(ranks, ranks.rank() == 2) ? "yes" : "no");
        }) == std::vector<std::string>(3, "yes"));
  CHECK(ends_of([](const sim::rank_group& ranks) {
          sim::expect_equal(ranks, "seed", ranks.rank() == 1 ? "8" : "7", "give one");
          return std::string();
        }) == std::vector<std::string>(3, "thrown: rank 0 has seed 7, rank 1 has 8; give one"));
}

}  // namespace
