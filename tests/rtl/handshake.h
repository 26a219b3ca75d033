// SPDX-License-Identifier: Apache-2.0
// tests/rtl/handshake.h: a module with ready and valid on both sides, and words sent through it
// under random stalls.
#pragma once
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace rtl {

/// One instance of a module, between two edges of its clock.
template <class Word, class Result>
class handshake_module {
 public:
  virtual ~handshake_module() = default;

  /// Sets inputs: the word, if any, and whether results are taken.
  virtual void drive(const Word* word, bool takes) = 0;
  virtual void reset() = 0;
  virtual void rise() = 0;

  [[nodiscard]] virtual bool ready() const = 0;
  [[nodiscard]] virtual bool valid() const = 0;
  [[nodiscard]] virtual Result result() const = 0;
};

/// Clock and reset of a Verilated class.
template <class Top>
void reset_of(Top& top) {
  top.clk_i = 0;
  top.rst_ni = 0;
  top.eval();
  top.rst_ni = 1;
  top.eval();
}
template <class Top>
void rise_of(Top& top) {
  top.clk_i = 1;
  top.eval();
  top.clk_i = 0;
  top.eval();
}

/// Whether a side waits in a cycle.
enum class stalls : std::uint8_t { never, sometimes };

/// Sends words through a module and compares what comes out, in order.
template <class Word, class Result>
class lockstep {
 public:
  lockstep(handshake_module<Word, Result>& dut, stalls stalling) : dut_(dut), stalling_(stalling) {
    dut_.reset();
  }

  /// Text of the first difference, or empty.
  ///   expected  Result of a Word      difference  text of (Word, RTL's Result, expected Result)
  template <class Expected, class Difference>
  std::string run(const std::vector<Word>& words, Expected expected, Difference difference) {
    std::size_t sent = 0, taken = 0;
    bool offered = false;
    for (std::size_t idle = 0; taken < words.size(); ++idle) {
      if (idle > 1000) return "no result for 1000 cycles";
      offered = sent < words.size() && (offered || goes());
      const bool takes = goes();
      dut_.drive(offered ? &words[sent] : nullptr, takes);
      if (!is_stable(takes)) return "a result changed while it waited";
      if (dut_.valid() && takes) {
        const Result wanted = expected(words[taken]);
        if (dut_.result() != wanted) return difference(words[taken], dut_.result(), wanted);
        ++taken;
        idle = 0;
      }
      if (offered && dut_.ready()) {
        ++sent;
        offered = false;
      }
      dut_.rise();
    }
    dut_.drive(nullptr, true);
    return dut_.valid() ? "an unexpected result" : "";
  }

 private:
  bool goes() { return stalling_ == stalls::never || from_() % 4 != 0; }

  /// An offered word that is not accepted stays.
  bool is_stable(bool takes) {
    const bool held = !waiting_ || (dut_.valid() && dut_.result() == held_);
    waiting_ = dut_.valid() && !takes;
    held_ = dut_.result();
    return held;
  }

  handshake_module<Word, Result>& dut_;
  stalls stalling_;
  std::minstd_rand from_{1};
  bool waiting_ = false;
  Result held_{};
};

/// Results in `cycles` cycles of a module that is offered a word and relieved of a result in each.
template <class Word, class Result>
int results_without_stalls(handshake_module<Word, Result>& dut, const Word& word, int cycles) {
  dut.reset();
  int results = 0;
  for (int cycle = 0; cycle < cycles; ++cycle) {
    dut.drive(&word, true);
    if (!dut.ready()) return -1;
    results += dut.valid() ? 1 : 0;
    dut.rise();
  }
  return results;
}

/// A module in the middle of a burst: the word is offered for so many cycles, and a result is taken
/// every other cycle.
template <class Word, class Result>
void fill(handshake_module<Word, Result>& dut, const Word& word, int cycles) {
  for (int cycle = 0; cycle < cycles; ++cycle) {
    dut.drive(&word, cycle % 2 == 0);
    dut.rise();
  }
}

/// Results after a reset of words offered before it.
template <class Word, class Result>
int results_after_reset(handshake_module<Word, Result>& dut, const Word& word, int cycles) {
  dut.reset();
  fill(dut, word, cycles);
  dut.reset();
  int results = 0;
  for (int cycle = 0; cycle < 4 * cycles; ++cycle) {
    dut.drive(nullptr, true);
    results += dut.valid() ? 1 : 0;
    dut.rise();
  }
  return results;
}

}  // namespace rtl
