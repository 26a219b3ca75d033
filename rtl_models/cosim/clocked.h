// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/clocked.h: what backends with a clock have besides the contract, and what they watch
// a module for.
#pragma once
#include "rtl_models/cosim/contract.h"
#include "rtl_models/cosim/stalls.h"

namespace hardware {

/// The side of a backend that does not depend on its pins.
///   Backend  tile_backend or quantizer_backend
template <class Backend>
class clocked : public Backend {
 public:
  /// Of the cycles to come.
  virtual void wait_at(const stalls& how) = 0;
  /// Forgets all operands, and holds the reset for a cycle before the next ones.
  virtual void reset() = 0;
};

using clocked_quantizer = clocked<quantizer_backend>;

/// What a module offers stays as it is until it is taken; nothing comes that nobody asked for.
///   Word  what its data pins hold
template <class Word>
class output_watch {
 public:
  /// valid_pin, data_pins  as reports name them
  output_watch(std::string valid_pin, std::string data_pins)
      : valid_pin_(std::move(valid_pin)), data_pins_(std::move(data_pins)) {}

  /// What there is to say of an edge, or nothing.
  ///   word  read where there is one    takes  somebody takes it at this edge
  template <class Read>
  [[nodiscard]] std::string see(bool valid, const Read& word, bool takes) {
    std::string told;
    if (held_ && !valid) told = valid_pin_ + " fell before the word was taken";
    if (held_ && valid && word() != held_word_) {
      told = data_pins_ + " changed before the word was taken";
    }
    held_ = valid && !takes;
    if (held_) held_word_ = word();
    return told;
  }
  void reset() { held_ = false; }

 private:
  std::string valid_pin_, data_pins_;
  bool held_ = false;
  Word held_word_ = {};
};

}  // namespace hardware
