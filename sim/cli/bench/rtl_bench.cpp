// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/rtl_bench.cpp: `bench rtl.dot`: the Verilated mx_dot, a word every cycle.
#include <tbb/global_control.h>

#include <algorithm>
#include <limits>
#include <random>
#include <stdexcept>

#include "Vmx_dot_blackwell_mxf4.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {
namespace {

/// A random word on the pins: codes two a byte, four bytes a word of a pin, in memory order.
struct pin_word {
  std::uint32_t a[8], b[8], c;
  std::uint16_t scale_a, scale_b;
};

std::vector<pin_word> random_words(std::size_t count) {
  std::mt19937_64 random(1);
  std::vector<pin_word> words(count);
  for (pin_word& word : words) {
    for (std::uint32_t& codes : word.a) codes = static_cast<std::uint32_t>(random());
    for (std::uint32_t& codes : word.b) codes = static_cast<std::uint32_t>(random());
    word.c = static_cast<std::uint32_t>(random());
    word.scale_a = static_cast<std::uint16_t>(random());
    word.scale_b = static_cast<std::uint16_t>(random());
  }
  return words;
}

std::uint32_t expected(const mx::dot_model& model, const pin_word& word) {
  std::uint8_t a[64], b[64];
  for (int k = 0; k < 64; ++k) {
    a[k] = word.a[k / 8] >> (4 * (k % 8)) & 15;
    b[k] = word.b[k / 8] >> (4 * (k % 8)) & 15;
  }
  const std::uint8_t scale_a[] = {static_cast<std::uint8_t>(word.scale_a),
                                  static_cast<std::uint8_t>(word.scale_a >> 8)};
  const std::uint8_t scale_b[] = {static_cast<std::uint8_t>(word.scale_b),
                                  static_cast<std::uint8_t>(word.scale_b >> 8)};
  return mx::dot(model, a, b, 64, word.c, scale_a, scale_b);
}

class verilated_dot {
 public:
  verilated_dot() {
    dot_.clk_i = dot_.rst_ni = dot_.valid_i = 0;
    dot_.ready_i = 1;
    dot_.eval();
    dot_.rst_ni = 1;
  }

  /// One cycle with this word; calls take(bits) when a result comes out.
  template <class Take>
  void cycle(const pin_word& word, const Take& take) {
    dot_.valid_i = 1;
    std::copy(word.a, word.a + 8, dot_.a_i.data());
    std::copy(word.b, word.b + 8, dot_.b_i.data());
    dot_.scale_a_i = word.scale_a;
    dot_.scale_b_i = word.scale_b;
    dot_.c_i = word.c;
    dot_.clk_i = 1;
    dot_.eval();
    dot_.clk_i = 0;
    dot_.eval();
    if (dot_.valid_o) take(dot_.d_o);
  }

 private:
  Vmx_dot_blackwell_mxf4 dot_;
};

/// Results arrive in the order of the words, each `latency` cycles late.
void expect_bits(const std::vector<pin_word>& words) {
  const mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  verilated_dot dot;
  std::size_t taken = 0;
  for (const pin_word& word : words) {
    dot.cycle(word, [&](std::uint32_t bits) {
      if (bits != expected(model, words[taken++])) {
        throw std::logic_error("the Verilated mx_dot differs from blackwell.mxf4");
      }
    });
  }
  if (taken + 4 < words.size()) throw std::logic_error("the Verilated mx_dot lost a word");
}

/// Seconds of `cycles` cycles.
double seconds_of_cycles(const std::vector<pin_word>& words, int cycles) {
  verilated_dot dot;
  std::uint32_t sum = 0;
  const double seconds = wall_seconds_of([&] {
    for (int i = 0; i < cycles; ++i) {
      dot.cycle(words[static_cast<std::size_t>(i) % words.size()],
                [&](std::uint32_t bits) { sum += bits; });
    }
  });
  volatile std::uint32_t sink = sum;
  static_cast<void>(sink);
  return seconds;
}

}  // namespace

std::vector<bench_result> bench_rtl_dot() {
  constexpr int cycles = 200'000, rounds = 5;
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const std::vector<pin_word> words = random_words(4096);
  expect_bits(words);
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round)
    best = std::min(best, seconds_of_cycles(words, cycles));
  const double rate = cycles / best * 1e-6;
  const bench_result emulator = bench_dot().front();
  return {beside("rtl.dot", rate, "Mword/s", "dot.blackwell.mxf4", emulator.value)};
}

}  // namespace sim::cli
