// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/pin_driver.h: shared by backends with pins: queued operands, collected results,
// a reset, and a stream of results that is taken or stalled.
#pragma once
#include <deque>
#include <systemc>

#include "rtl_models/cosim/clocked.h"

namespace hardware {

/// All activity happens at rising edges of the clock.
///   Backend  clocked_backend or clocked_quantizer
///   Word     contents of the result's data pins
template <class Backend, class Operands, class Result, class Word>
class pin_driver : public sc_core::sc_module, public Backend {
 public:
  [[nodiscard]] const std::string& label() const override { return label_; }
  void push(const Operands& operands) override { waiting_.push_back(operands); }
  [[nodiscard]] std::optional<Result> pull() override {
    if (results_.empty()) return std::nullopt;
    const Result first = results_.front();
    results_.pop_front();
    return first;
  }
  [[nodiscard]] const std::vector<std::string>& errors() const override { return errors_; }
  void wait_at(const stalls& how) override { stalls_ = how; }
  void reset() override {
    reset_cycles_ = 1;
    waiting_.clear();
    results_.clear();
    forget();
  }

 protected:
  SC_HAS_PROCESS(pin_driver);
  pin_driver(const sc_core::sc_module_name& name, std::string label, sc_core::sc_clock& clock,
             output_watch<Word> watch)
      : sc_module(name), watch_(std::move(watch)), label_(std::move(label)) {
    SC_METHOD(drive);
    sensitive << clock.posedge_event();
    dont_initialize();
  }

  /// Discards the operands in flight.
  virtual void forget() = 0;
  /// Deasserts valid on all streams of operands.
  virtual void drive_idle() = 0;
  /// An edge out of reset: samples the pins, then drives them.
  virtual void edge() = 0;

  void report(const std::string& what) { errors_.push_back(label_ + ": " + what); }

  std::deque<Operands> waiting_;  // whose results were not all taken
  std::deque<Result> results_;
  output_watch<Word> watch_;
  stalls stalls_;
  bool takes_ = false;  // takes a result at the next edge
  sc_core::sc_signal<bool> rst_n_{"rst_n"}, takes_result_{"takes_result"};

 private:
  void drive() {
    if (reset_cycles_ >= 0) {
      rst_n_.write(reset_cycles_-- == 0);
      watch_.reset();
      takes_ = false;
      drive_idle();
    } else {
      edge();
      takes_ = stalls_.goes();
    }
    takes_result_.write(takes_);
  }

  std::string label_;
  int reset_cycles_ = 1;
  std::vector<std::string> errors_;
};

}  // namespace hardware
