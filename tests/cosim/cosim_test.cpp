// SPDX-License-Identifier: Apache-2.0
// tests/cosim/cosim_test.cpp: the SystemC cycle model against the Verilated RTL on every cycle of
// every handshake, any two backends on the same tiles, and the report of a difference.
#include <unistd.h>

#include <filesystem>

#include "bench.h"
#include "catch.h"

namespace {

using namespace hardware;
using cosim::bench, cosim::bench_lanes, cosim::restart, cosim::run_cycles;

scoreboard::surroundings around(std::uint32_t seed) {
  return {[seed](std::uint32_t i) { return random_tile(seed, i); }, [] { run_cycles(100); },
          "mx_cosim"};
}

void push_all(const bench_lanes& of, std::uint32_t seed, std::uint32_t tiles) {
  for (std::uint32_t i = 0; i < tiles; ++i) {
    of.cycles->push(random_tile(seed, i));
    of.verilated->push(random_tile(seed, i));
  }
}

/// The first cycle in which two records differ, or their length.
std::size_t first_difference(const std::vector<handshake_record>& left,
                             const std::vector<handshake_record>& right) {
  std::size_t i = 0;
  while (i < left.size() && i < right.size() && left[i] == right[i]) ++i;
  return i;
}

TEST_CASE("the_cycle_model_agrees_with_the_rtl_on_every_cycle_of_every_handshake") {
  for (const bench_lanes& of : bench()) {
    for (const unsigned pace : {16U, 13U, 8U, 3U}) {
      restart(of, stalls(pace, pace));
      of.cycles->record();
      of.verilated->record();
      push_all(of, pace, 12);
      run_cycles(6000);
      INFO(of.lanes << " lanes at pace " << pace);
      const auto& left = of.cycles->recorded();
      const auto& right = of.verilated->recorded();
      REQUIRE(left.size() == right.size());
      CHECK(first_difference(left, right) == left.size());
      CHECK(of.cycles->pull() == of.verilated->pull());
    }
  }
}

TEST_CASE("the_timing_of_products_is_the_rtls") {
  constexpr std::uint32_t tiles = 10;
  for (const bench_lanes& of : bench()) {
    restart(of, stalls());
    of.verilated->record();
    push_all(of, 1, tiles);
    run_cycles(2000);
    const auto& seen = of.verilated->recorded();
    std::size_t first = 0, last = 0;
    for (std::size_t i = 0; i < seen.size(); ++i) {
      if (first == 0 && seen[i].a_valid) first = i;
      if (seen[i].d_valid) last = i;
    }
    INFO(of.lanes << " lanes");
    CHECK(static_cast<std::int64_t>(last - first + 1) ==
          tensor_core_timing{.lanes = of.lanes}.cycles_of_tiles(tiles));
  }
}

TEST_CASE("any_two_backends_agree_under_random_stalls") {
  for (const bench_lanes& of : bench()) {
    emulator_backend emulator;
    tile_backend* const pairs[][2] = {{of.cycles.get(), of.verilated.get()},
                                      {of.verilated.get(), &emulator},
                                      {&emulator, of.cycles.get()}};
    std::uint32_t seed = 7;
    for (const auto& [left, right] : pairs) {
      restart(of, stalls(seed, 11));
      CHECK(scoreboard(*left, *right, around(seed)).run(0, 60).empty());
      ++seed;
    }
    CHECK(of.cycles->errors().empty());
    CHECK(of.verilated->errors().empty());
  }
}

TEST_CASE("instances_share_nothing") {
  const bench_lanes& of = bench()[1];
  restart(of, stalls(3, 9));
  of.cycles->push(random_tile(1, 0));
  of.other_cycles->push(random_tile(2, 0));
  run_cycles(400);
  emulator_backend emulator;
  emulator.push(random_tile(1, 0));
  emulator.push(random_tile(2, 0));
  CHECK(of.cycles->pull() == emulator.pull());
  CHECK(of.other_cycles->pull() == emulator.pull());
}

TEST_CASE("a_reset_in_the_middle_of_tiles_forgets_them_and_nothing_else") {
  for (const bench_lanes& of : bench()) {
    for (const int cycles : {1, 2, 3, 4, 5, 6, 7, 9, 12, 17, 30, 61}) {
      INFO(of.lanes << " lanes after " << cycles << " cycles");
      restart(of, stalls(4, 12));
      push_all(of, 4, 3);
      run_cycles(cycles);
      restart(of, stalls(5, 12));
      CHECK_FALSE(of.cycles->pull());
      CHECK_FALSE(of.verilated->pull());
      of.cycles->record();
      of.verilated->record();
      emulator_backend emulator;
      CHECK(scoreboard(*of.cycles, *of.verilated, around(5)).run(0, 3).empty());
      CHECK(of.cycles->recorded() == of.verilated->recorded());
      CHECK(scoreboard(*of.verilated, emulator, around(6)).run(0, 2).empty());
    }
    CHECK(of.cycles->errors().empty());
    CHECK(of.verilated->errors().empty());
  }
}

/// An emulator with one wrong bit in the last element of every third tile.
class wrong_backend final : public tile_backend {
 public:
  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const tile& operands) override { right_.push(operands); }
  [[nodiscard]] std::optional<tile_result> pull() override {
    auto result = right_.pull();
    if (result && ++pulled_ % 3 == 0) result->back() ^= 1;
    return result;
  }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return right_.errors(); }

 private:
  std::string label_ = "wrong";
  emulator_backend right_;
  int pulled_ = 0;
};

TEST_CASE("a_difference_is_told_with_operands_and_steps_and_how_to_replay_it") {
  wrong_backend wrong;
  emulator_backend emulator;
  const std::string message = scoreboard(emulator, wrong, around(1)).run(10, 5);
  INFO(message);
  CHECK(message.starts_with("tile 12, row 15, column 7: emulator "));
  for (const char* part : {"\n  A ", "\n  B ", "\n  C ", "largest exponent", "group 3: ", "C: ",
                           "    sum ", "replay: mx_cosim --first 12 --tiles 1\n"}) {
    CHECK(message.find(part) != std::string::npos);
  }
}

/// A backend that never answers.
class silent_backend final : public tile_backend {
 public:
  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const tile&) override {}
  [[nodiscard]] std::optional<tile_result> pull() override { return std::nullopt; }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return errors_; }

 private:
  std::string label_ = "silent";
  std::vector<std::string> errors_;
};

TEST_CASE("a_side_that_hangs_is_named") {
  silent_backend silent;
  emulator_backend emulator;
  CHECK(
      scoreboard(emulator, silent, around(1)).run(0, 5).starts_with("silent gives no D of tile 0"));
}

/// An emulator that reports a handshake violation.
class untidy_backend final : public tile_backend {
 public:
  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const tile& operands) override { right_.push(operands); }
  [[nodiscard]] std::optional<tile_result> pull() override { return right_.pull(); }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return errors_; }

 private:
  std::string label_ = "untidy";
  emulator_backend right_;
  std::vector<std::string> errors_{"untidy: a breach"};
};

TEST_CASE("a_breach_of_the_handshake_is_told_though_all_bits_are_right") {
  untidy_backend untidy;
  emulator_backend emulator;
  CHECK(scoreboard(untidy, emulator, around(1)).run(0, 1) == "untidy: a breach\n");
  CHECK(scoreboard(emulator, untidy, around(1)).run(0, 1) == "untidy: a breach\n");
}

TEST_CASE("a_core_that_takes_back_or_changes_what_it_offered_is_caught") {
  using cosim::bench_fault;
  for (const auto& [fault, message] : {std::pair{bench_fault::valid_falls, "d_valid_o fell"},
                                       std::pair{bench_fault::word_changes, "d_o changed"}}) {
    clocked_backend& faulty = cosim::faulty(fault);
    faulty.wait_at(stalls(1, 8));
    faulty.push(random_tile(1, 0));
    run_cycles(400);
    REQUIRE(!faulty.errors().empty());
    CHECK(faulty.errors().front().find(message) != std::string::npos);
  }
}

TEST_CASE("waves_of_the_verilated_core_are_written") {
  const auto path = std::filesystem::temp_directory_path() /
                    ("mx_cosim_test_" + std::to_string(::getpid()) + ".fst");
  const bench_lanes& of = bench().front();
  restart(of, stalls());
  {
    const fst_file file(*of.verilated, path.string());
    of.verilated->push(random_tile(1, 0));
    run_cycles(200);
  }
  CHECK(std::filesystem::file_size(path) > 1000);
  std::filesystem::remove(path);
}

}  // namespace
