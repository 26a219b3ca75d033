// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/clocked.h: the interface of clocked backends beyond the contract, and the
// protocol checks on a module's outputs.
#pragma once
#include "rtl_models/cosim/contract.h"
#include "rtl_models/cosim/stalls.h"

namespace hardware {

/// The side of a backend that does not depend on its pins.
///   Backend  tile_backend or quantizer_backend
template <class Backend>
class clocked : public Backend {
 public:
  /// Stalls of the cycles to come.
  virtual void wait_at(const stalls& how) = 0;
  /// Discards all operands, and holds the reset for a cycle before the next ones.
  virtual void reset() = 0;
};

using clocked_quantizer = clocked<quantizer_backend>;

/// Checks that an offered word stays stable until it is taken.
///   Word  contents of the data pins
template <class Word>
class output_watch {
 public:
  /// valid_pin, data_pins  as reports name them
  output_watch(std::string valid_pin, std::string data_pins)
      : valid_pin_(std::move(valid_pin)), data_pins_(std::move(data_pins)) {}

  /// The protocol violation of an edge; empty if there is none.
  ///   word  read only if valid    takes  the word is taken at this edge
  template <class Read>
  [[nodiscard]] std::string see(bool valid, const Read& word, bool takes) {
    std::string message;
    if (held_ && !valid) message = valid_pin_ + " fell before the word was taken";
    if (held_ && valid && word() != held_word_) {
      message = data_pins_ + " changed before the word was taken";
    }
    held_ = valid && !takes;
    if (held_) held_word_ = word();
    return message;
  }
  void reset() { held_ = false; }

 private:
  std::string valid_pin_, data_pins_;
  bool held_ = false;
  Word held_word_ = {};
};

}  // namespace hardware
