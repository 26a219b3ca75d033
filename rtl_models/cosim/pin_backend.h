// SPDX-License-Identifier: Apache-2.0
// rtl_models/cosim/pin_backend.h: a module with the pins of mx_tensor_core as a backend: drives the
// three streams, stalls at random on all of them, and checks the module's protocol.
#pragma once
#include "rtl_models/cosim/pin_driver.h"
#include "rtl_models/systemc/tensor_core_cycles.h"

namespace hardware {

/// Valid and ready of the streams sampled at an edge.
struct handshake_record {
  bool a_valid, a_ready, b_valid, b_ready, d_valid, d_ready;

  friend bool operator==(const handshake_record&, const handshake_record&) = default;
};

/// A clocked tensor core.
class clocked_backend : public clocked<tile_backend> {
 public:
  /// Records handshakes from now on.
  virtual void record() = 0;
  [[nodiscard]] virtual const std::vector<handshake_record>& recorded() const = 0;
  /// Edges seen with a tile under way.
  [[nodiscard]] virtual std::int64_t busy_cycles() const = 0;
  virtual void trace_to(sc_core::sc_trace_file* file) = 0;
};

/// Module: tensor_core_cycles<Lanes> or Verilated mx_tensor_core with -GLanes.
template <class Module, int Lanes>
class pin_backend final : public pin_driver<clocked_backend, tile, tile_result,
                                            sc_dt::sc_bv<tensor_core_pins<Lanes>::d>> {
 public:
  using pins = tensor_core_pins<Lanes>;
  using driver = pin_driver<clocked_backend, tile, tile_result, sc_dt::sc_bv<pins::d>>;

  pin_backend(const sc_core::sc_module_name& name, std::string label, sc_core::sc_clock& clock)
      : driver(name, std::move(label), clock, {"d_valid_o", "d_o"}), dut("dut") {
    dut.clk_i(clock);
    dut.rst_ni(this->rst_n_);
    bind_streams();
  }

  void record() override {
    recorded_.clear();
    records_ = true;
  }
  [[nodiscard]] const std::vector<handshake_record>& recorded() const override { return recorded_; }
  [[nodiscard]] std::int64_t busy_cycles() const override { return busy_cycles_; }
  void trace_to(sc_core::sc_trace_file* file) override {
    if constexpr (requires { dut.trace_to(file); }) dut.trace_to(file);
  }

  Module dut;

 private:
  using driver::results_, driver::stalls_, driver::takes_, driver::waiting_, driver::watch_;

  /// Position in a stream: word `word` of tile `tile`.
  struct stream {
    std::size_t tile = 0;
    int word = 0;
    bool offered = false;

    void next(int words) {
      offered = false;
      if (++word == words) {
        word = 0;
        ++tile;
      }
    }
  };

  void bind_streams() {
    dut.a_valid_i(a_valid_);
    dut.a_ready_o(a_ready_);
    dut.a_i(a_data_);
    dut.scale_a_i(scale_a_);
    dut.c_i(c_);
    dut.b_valid_i(b_valid_);
    dut.b_ready_o(b_ready_);
    dut.b_i(b_data_);
    dut.scale_b_i(scale_b_);
    dut.d_valid_o(d_valid_);
    dut.d_ready_i(this->takes_result_);
    dut.d_o(d_);
  }

  void forget() override {
    a_ = b_ = {};
    taken_ = 0;
  }
  void drive_idle() override {
    a_valid_.write(false);
    b_valid_.write(false);
  }

  void edge() override {
    if (records_) {
      recorded_.push_back(
          {a_.offered, a_ready_.read(), b_.offered, b_ready_.read(), d_valid_.read(), takes_});
    }
    if (!waiting_.empty()) ++busy_cycles_;
    watch();
    if (a_.offered && a_ready_.read()) a_.next(pins::words.beats());
    if (b_.offered && b_ready_.read()) b_.next(1);
    if (d_valid_.read() && takes_) take();
    offer_a();
    offer_b();
  }

  void watch() {
    const bool valid = d_valid_.read();
    const std::string message = watch_.see(
        valid, [this] { return d_.read(); }, takes_);
    if (!message.empty()) this->report(message);
    if (valid && waiting_.empty()) this->report("a word of D without a tile");
  }

  void take() {
    if (waiting_.empty()) return;
    std::array<std::uint32_t, Lanes> word;
    read_pin<pins::sum>(d_.read(), word);
    std::copy(word.begin(), word.end(), result_.begin() + taken_ * Lanes);
    if (++taken_ < pins::words.results()) return;
    results_.push_back(result_);
    taken_ = 0;
    waiting_.pop_front();  // all of its words were sent: D follows its operands
    --a_.tile;
    --b_.tile;
  }

  void offer_a() {
    if (!a_.offered && a_.tile < waiting_.size() && stalls_.goes()) {
      a_.offered = true;
      const tile& from = waiting_[a_.tile];
      constexpr int beats = pins::words.beats();
      write<pins::element, pins::a>(part_of(from.a, a_.word, beats), a_data_);
      write<pins::scale, pins::scale_a>(part_of(from.scale_a, a_.word, beats), scale_a_);
      write<pins::sum, pins::c>(part_of(from.c, a_.word, beats), c_);
    }
    a_valid_.write(a_.offered);
  }
  void offer_b() {
    if (!b_.offered && b_.tile < waiting_.size() && stalls_.goes()) {
      b_.offered = true;
      write<pins::element, pins::b>(waiting_[b_.tile].b, b_data_);
      write<pins::scale, pins::scale_b>(waiting_[b_.tile].scale_b, scale_b_);
    }
    b_valid_.write(b_.offered);
  }

  template <int Width, int Bits, class Codes>
  static void write(const Codes& codes, sc_core::sc_signal<sc_dt::sc_bv<Bits>>& signal) {
    sc_dt::sc_bv<Bits> pin;
    write_pin<Width>(codes, pin);
    signal.write(pin);
  }

  sc_core::sc_signal<bool> a_valid_{"a_valid"}, a_ready_{"a_ready"};
  sc_core::sc_signal<bool> b_valid_{"b_valid"}, b_ready_{"b_ready"};
  sc_core::sc_signal<bool> d_valid_{"d_valid"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::a>> a_data_{"a_data"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::scale_a>> scale_a_{"scale_a"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::c>> c_{"c"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::b>> b_data_{"b_data"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::scale_b>> scale_b_{"scale_b"};
  sc_core::sc_signal<sc_dt::sc_bv<pins::d>> d_{"d"};

  tile_result result_ = {};
  stream a_, b_;
  int taken_ = 0;
  bool records_ = false;
  std::int64_t busy_cycles_ = 0;
  std::vector<handshake_record> recorded_;
};

}  // namespace hardware
