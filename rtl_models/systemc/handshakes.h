// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/handshakes.h: which words of mx_tensor_core move in a cycle: its valid bits
// and counters, without data and without SystemC.
#pragma once
#include "rtl_models/systemc/tensor_core_timing.h"

namespace hardware {

/// State between two edges of the clock.
class handshakes {
 public:
  explicit handshakes(const tensor_core_timing& timing) : timing_(timing), words_{timing.lanes} {}

  void reset() { *this = handshakes(timing_); }

  [[nodiscard]] bool d_valid() const { return (stages_ >> (timing_.stages - 1) & 1) != 0; }
  /// Whether operands enter the lanes at the next edge, and whether it is a word's last use.
  [[nodiscard]] bool issues(bool d_ready) const {
    return a_ && b_ && resting_ == 0 && (d_ready || stages_ != full());
  }
  [[nodiscard]] bool a_ready(bool d_ready) const {
    return !a_ || (issues(d_ready) && last_phase());
  }
  [[nodiscard]] bool b_ready(bool d_ready) const {
    return !b_ || (issues(d_ready) && last_phase() && last_beat());
  }
  /// Words of D produced from the current word of A; 0: its first is next.
  [[nodiscard]] int phase() const { return phase_; }

  /// One edge of the clock.
  void advance(bool a_offered, bool b_offered, bool d_ready) {
    const bool issue = issues(d_ready), a_goes = a_ready(d_ready), b_goes = b_ready(d_ready);
    move_stages(issue, d_ready);
    if (issue) count();
    resting_ = issue ? timing_.interval - 1 : resting_ - (resting_ > 0 ? 1 : 0);
    if (a_goes) a_ = a_offered;
    if (b_goes) b_ = b_offered;
  }

 private:
  [[nodiscard]] std::uint64_t full() const { return (std::uint64_t{1} << timing_.stages) - 1; }
  [[nodiscard]] bool last_phase() const { return phase_ == words_.phases() - 1; }
  [[nodiscard]] bool last_beat() const { return beat_ == words_.beats() - 1; }

  void count() {
    if (last_phase()) beat_ = last_beat() ? 0 : beat_ + 1;
    phase_ = last_phase() ? 0 : phase_ + 1;
  }
  /// A stage moves if a later one is empty or the output is taken.
  void move_stages(bool issue, bool d_ready) {
    std::uint64_t moving = full();
    for (int top = timing_.stages - 1; !d_ready && top >= 0 && (stages_ >> top & 1) != 0; --top) {
      moving ^= std::uint64_t{1} << top;
    }
    const std::uint64_t moved = (stages_ << 1 | (issue ? 1 : 0)) & moving;
    stages_ = (stages_ & ~moving) | moved;
  }

  tensor_core_timing timing_;
  tile_words words_;
  std::uint64_t stages_ = 0;  // bit 0 is the first stage
  bool a_ = false, b_ = false;
  int phase_ = 0, beat_ = 0, resting_ = 0;
};

}  // namespace hardware
