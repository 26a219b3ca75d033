// SPDX-License-Identifier: Apache-2.0
// tests/rtl/tensor_core_test.cpp: the Verilated mx_tensor_core of several lanes against the core,
// element by element, under random stalls on all three streams.
#include <random>
#include <string>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "tiles.h"
#include "verilated_tensor_cores.h"

namespace {

using hardware::tile;
using hardware::tile_shape;

/// One side of a stream: words in order, offered until they are accepted.
class source {
 public:
  source(const std::vector<tile>& tiles, int words_a_tile)
      : tiles_(tiles), words_a_tile_(static_cast<std::size_t>(words_a_tile)) {}

  /// The word of this cycle; none if the source stalls or has no more.
  rtl::tile_word offer(bool goes) {
    offered_ = sent_ < tiles_.size() * words_a_tile_ && (offered_ || goes);
    if (!offered_) return {};
    return {&tiles_[sent_ / words_a_tile_], static_cast<int>(sent_ % words_a_tile_)};
  }
  void end_cycle(bool ready) {
    if (!offered_ || !ready) return;
    ++sent_;
    offered_ = false;
  }

 private:
  const std::vector<tile>& tiles_;
  std::size_t words_a_tile_, sent_ = 0;
  bool offered_ = false;
};

std::uint32_t expected(const tile& of, int element) {
  static constexpr mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  const int i = element / tile_shape::n, j = element % tile_shape::n;
  return mx::dot(model, of.a.data() + i * tile_shape::k, of.b.data() + j * tile_shape::k,
                 tile_shape::k, of.c[static_cast<std::size_t>(element)],
                 of.scale_a.data() + i * tile_shape::blocks,
                 of.scale_b.data() + j * tile_shape::blocks);
}

/// Text of the first difference in a word of D, or empty.
std::string difference(const std::vector<tile>& tiles, std::size_t taken,
                       const std::vector<std::uint32_t>& d) {
  const std::size_t lanes = d.size(), words = tile_shape::elements / lanes;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const std::size_t element = taken % words * lanes + lane;
    const std::uint32_t wanted = expected(tiles[taken / words], static_cast<int>(element));
    if (d[lane] == wanted) continue;
    char text[96];
    std::snprintf(text, sizeof text, "tile %zu, element %zu: RTL %08x, core %08x", taken / words,
                  element, static_cast<unsigned>(d[lane]), static_cast<unsigned>(wanted));
    return text;
  }
  return "";
}

/// Result of a run of all tiles: the first difference, and cycles until the last word.
struct outcome {
  std::string difference;
  int cycles = 0;
};

/// Runs all tiles after a reset; each side proceeds in `pace` of 16 cycles.
outcome run(int lanes, rtl::tensor_core_module& dut, const std::vector<tile>& tiles,
            unsigned pace) {
  const hardware::tile_words cut{lanes};
  dut.reset();
  std::minstd_rand from(static_cast<unsigned>(lanes));
  const auto goes = [&] { return from() / 16 % 16 < pace; };
  source a(tiles, cut.beats()), b(tiles, 1);
  const std::size_t words = tiles.size() * static_cast<std::size_t>(cut.results());
  std::vector<std::uint32_t> held;
  outcome seen;
  for (std::size_t taken = 0; taken < words; ++seen.cycles) {
    if (seen.cycles > 100 * static_cast<int>(words) + 1000) return {"no end", seen.cycles};
    const rtl::tile_word word_a = a.offer(goes()), word_b = b.offer(goes());
    const bool takes = goes();
    dut.drive(word_a, word_b, takes);
    const std::vector<std::uint32_t> d = dut.d();
    if (!held.empty() && (!dut.d_valid() || d != held)) return {"a word changed", seen.cycles};
    held = dut.d_valid() && !takes ? d : std::vector<std::uint32_t>{};
    if (dut.d_valid() && takes) {
      seen.difference = difference(tiles, taken++, d);
      if (!seen.difference.empty()) return seen;
    }
    a.end_cycle(dut.a_ready());
    b.end_cycle(dut.b_ready());
    dut.rise();
  }
  dut.drive({}, {}, true);
  return dut.d_valid() ? outcome{"an unexpected word", seen.cycles} : seen;
}

constexpr unsigned always = 16;

TEST_CASE("every_element_has_the_bits_of_the_core_under_random_stalls") {
  for (const rtl::tensor_core_entry& core : rtl::tensor_cores()) {
    for (const unsigned pace : {12U, 5U}) {
      const outcome seen = run(core.lanes, *core.make(), rtl::tiles_of(4, pace), pace);
      INFO(core.lanes << " lanes at pace " << pace << ": " << seen.difference);
      CHECK(seen.difference.empty());
    }
  }
}

TEST_CASE("tiles_follow_each_other_without_a_lost_cycle") {
  const std::vector<tile> tiles = rtl::tiles_of(1, 0);
  constexpr int latency = 5;  // a register for operands and four stages
  for (const rtl::tensor_core_entry& core : rtl::tensor_cores()) {
    const outcome seen = run(core.lanes, *core.make(), tiles, always);
    INFO(core.lanes << " lanes: " << seen.difference);
    CHECK(seen.difference.empty());
    CHECK(seen.cycles ==
          static_cast<int>(tiles.size()) * hardware::tile_words{core.lanes}.results() + latency);
  }
}

/// A tile's words are offered from its first one on for so many cycles; every third waits for D.
void fill(int lanes, rtl::tensor_core_module& dut, const tile& of, int cycles) {
  const std::vector<tile> tiles(3, of);
  source a(tiles, hardware::tile_words{lanes}.beats()), b(tiles, 1);
  for (int cycle = 0; cycle < cycles; ++cycle) {
    dut.drive(a.offer(true), b.offer(true), cycle % 3 != 0);
    a.end_cycle(dut.a_ready());
    b.end_cycle(dut.b_ready());
    dut.rise();
  }
}

TEST_CASE("a_reset_in_the_middle_of_a_tile_forgets_it_and_nothing_else") {
  const std::vector<tile> kinds = rtl::tiles_of(1, 1), tiles{kinds[1], kinds[4]};
  for (const rtl::tensor_core_entry& core : rtl::tensor_cores()) {
    const auto dut = core.make();
    dut->reset();
    for (const int cycles : {1, 2, 3, 4, 5, 6, 7, 9, 11, 14, 23, 40}) {
      INFO(core.lanes << " lanes after " << cycles << " cycles");
      fill(core.lanes, *dut, tiles[0], cycles);
      dut->reset();
      dut->drive({}, {}, true);
      CHECK_FALSE(dut->d_valid());
      CHECK((dut->a_ready() && dut->b_ready()));
      fill(core.lanes, *dut, tiles[1], cycles);
      const outcome seen = run(core.lanes, *dut, tiles, 11);
      INFO(seen.difference);
      CHECK(seen.difference.empty());
    }
  }
}

}  // namespace
