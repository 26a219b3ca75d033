// SPDX-License-Identifier: Apache-2.0
// tests/systemc/handshakes_test.cpp: the words that move in a cycle, for latencies and throughputs
// other than the RTL's, which tests/cosim checks.
#include "rtl_models/systemc/handshakes.h"

#include "catch.h"

namespace {

using hardware::handshakes, hardware::tensor_core_timing, hardware::tile_words;

/// Cycles until all words of D are taken; a taker proceeds in every `slowness`th cycle.
std::int64_t cycles_of(const tensor_core_timing& timing, int tiles, int slowness) {
  handshakes core(timing);
  int words = tiles * tile_words{timing.lanes}.results();
  std::int64_t cycles = 0;
  for (; words > 0 && cycles < 100000; ++cycles) {
    const bool takes = cycles % slowness == 0;
    if (core.d_valid() && takes) --words;
    core.advance(true, true, takes);
  }
  return cycles;
}

TEST_CASE("words_take_the_cycles_that_the_timing_says") {
  for (const int lanes : {1, 8, 32, 128}) {
    for (const int stages : {1, 4, 7, 32}) {
      for (const int interval : {1, 2, 5}) {
        const tensor_core_timing timing{lanes, stages, interval};
        // The rest of the last interval is not waited for.
        CHECK(cycles_of(timing, 3, 1) == timing.cycles_of_tiles(3) - (interval - 1));
      }
    }
  }
}

TEST_CASE("a_slow_taker_sets_the_pace") {
  const tensor_core_timing timing;
  CHECK(cycles_of(timing, 10, 3) >= 3 * (160 - 1));
  CHECK(cycles_of(timing, 10, 3) <= 3 * 160 + 8);
}

TEST_CASE("full_stages_take_words_until_none_is_empty") {
  handshakes core(tensor_core_timing{});
  int taken = 0;
  for (int cycle = 0; cycle < 50; ++cycle) {
    taken += core.a_ready(false) ? 1 : 0;
    core.advance(true, true, false);
  }
  CHECK(taken == 4 + 1);
  CHECK_FALSE(core.a_ready(false));
  CHECK(core.a_ready(true));
  core.reset();
  CHECK((core.a_ready(false) && core.b_ready(false) && !core.d_valid()));
}

TEST_CASE("a_timing_out_of_range_is_not_sound") {
  CHECK(tensor_core_timing{}.is_sound());
  for (const tensor_core_timing& wrong :
       {tensor_core_timing{0}, tensor_core_timing{12}, tensor_core_timing{256},
        tensor_core_timing{8, 0}, tensor_core_timing{8, 33}, tensor_core_timing{8, 4, 0}}) {
    CHECK_FALSE(wrong.is_sound());
  }
}

}  // namespace
