// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_cycles.h: mx_tensor_core, pin by pin and cycle by cycle, around
// the functional core.
#pragma once
#include <deque>
#include <systemc>

#include "mx/dot/models.h"
#include "rtl_models/systemc/functional_core.h"
#include "rtl_models/systemc/handshakes.h"
#include "rtl_models/systemc/pins.h"

namespace hardware {

/// Widths of pins, in bits, of E2M1 elements and E8M0 scales.
template <int Lanes>
struct tensor_core_pins {
  static constexpr tile_words words{Lanes};
  static constexpr int element = 4, scale = 8, sum = 32;
  static constexpr int a = words.rows() * tile_shape::k * element;
  static constexpr int scale_a = words.rows() * tile_shape::blocks * scale;
  static constexpr int c = words.rows() * tile_shape::n * sum;
  static constexpr int b = tile_shape::n * tile_shape::k * element;
  static constexpr int scale_b = tile_shape::n * tile_shape::blocks * scale;
  static constexpr int d = Lanes * sum;
};

/// The RTL's module under `blackwell.mxf4`. Outputs settle in the delta cycles after an edge or a
/// change of d_ready_i, as the RTL's do. A reset is asynchronous and discards all words.
template <int Lanes>
class tensor_core_cycles : public sc_core::sc_module {
 public:
  using pins = tensor_core_pins<Lanes>;

  sc_core::sc_in<bool> clk_i{"clk_i"}, rst_ni{"rst_ni"};
  sc_core::sc_in<bool> b_valid_i{"b_valid_i"};
  sc_core::sc_out<bool> b_ready_o{"b_ready_o"};
  sc_core::sc_in<sc_dt::sc_bv<pins::b>> b_i{"b_i"};
  sc_core::sc_in<sc_dt::sc_bv<pins::scale_b>> scale_b_i{"scale_b_i"};
  sc_core::sc_in<bool> a_valid_i{"a_valid_i"};
  sc_core::sc_out<bool> a_ready_o{"a_ready_o"};
  sc_core::sc_in<sc_dt::sc_bv<pins::a>> a_i{"a_i"};
  sc_core::sc_in<sc_dt::sc_bv<pins::scale_a>> scale_a_i{"scale_a_i"};
  sc_core::sc_in<sc_dt::sc_bv<pins::c>> c_i{"c_i"};
  sc_core::sc_out<bool> d_valid_o{"d_valid_o"};
  sc_core::sc_in<bool> d_ready_i{"d_ready_i"};
  sc_core::sc_out<sc_dt::sc_bv<pins::d>> d_o{"d_o"};

  SC_HAS_PROCESS(tensor_core_cycles);
  /// errors: a timing that is invalid or has other lanes is reported as SC_ERROR
  explicit tensor_core_cycles(const sc_core::sc_module_name& name,
                              const tensor_core_timing& timing = {.lanes = Lanes})
      : sc_module(name), handshakes_(timing) {
    if (!timing.is_sound() || timing.lanes != Lanes) {
      SC_REPORT_ERROR("/mx/tensor_core_cycles", "a timing of other lanes, or out of range");
    }
    SC_METHOD(settle);
    sensitive << clk_i.pos() << rst_ni << d_ready_i;
  }

  /// Traces all handshake pins, and words of D, into a VCD file.
  void trace_to(sc_core::sc_trace_file* file) {
    const std::string prefix = std::string(this->name()) + ".";
    sc_core::sc_trace(file, clk_i, prefix + "clk_i");
    sc_core::sc_trace(file, rst_ni, prefix + "rst_ni");
    sc_core::sc_trace(file, a_valid_i, prefix + "a_valid_i");
    sc_core::sc_trace(file, a_ready_o, prefix + "a_ready_o");
    sc_core::sc_trace(file, b_valid_i, prefix + "b_valid_i");
    sc_core::sc_trace(file, b_ready_o, prefix + "b_ready_o");
    sc_core::sc_trace(file, d_valid_o, prefix + "d_valid_o");
    sc_core::sc_trace(file, d_ready_i, prefix + "d_ready_i");
    sc_core::sc_trace(file, d_o, prefix + "d_o");
  }

 private:
  void settle() {
    if (!rst_ni.read()) {
      handshakes_.reset();
      results_.clear();
    } else if (clk_i.posedge()) {
      advance();
    }
    const bool d_ready = d_ready_i.read();
    a_ready_o.write(handshakes_.a_ready(d_ready));
    b_ready_o.write(handshakes_.b_ready(d_ready));
    d_valid_o.write(handshakes_.d_valid());
  }

  void advance() {
    const bool a_offered = a_valid_i.read(), b_offered = b_valid_i.read();
    const bool d_ready = d_ready_i.read();
    const bool takes_a = a_offered && handshakes_.a_ready(d_ready);
    const bool takes_b = b_offered && handshakes_.b_ready(d_ready);
    if (handshakes_.issues(d_ready)) issue();
    if (handshakes_.d_valid() && d_ready) results_.pop_front();
    handshakes_.advance(a_offered, b_offered, d_ready);
    if (takes_a) take_a();
    if (takes_b) take_b();
    if (handshakes_.d_valid()) d_o.write(results_.front());
  }

  /// Computes the products of a whole word of A in its first phase; B stays for the whole tile.
  void issue() {
    const int phase = handshakes_.phase();
    if (phase == 0) core_.multiply_rows({a_, scale_a_}, {b_, scale_b_}, c_, d_);
    write_pin<pins::sum>(part_of(d_, phase, pins::words.phases()), results_.emplace_back());
  }
  void take_a() {
    read_pin<pins::element>(a_i.read(), a_);
    read_pin<pins::scale>(scale_a_i.read(), scale_a_);
    read_pin<pins::sum>(c_i.read(), c_);
  }
  void take_b() {
    read_pin<pins::element>(b_i.read(), b_);
    read_pin<pins::scale>(scale_b_i.read(), scale_b_);
  }

  handshakes handshakes_;
  functional_core core_{mx::model_named("blackwell.mxf4")->model};
  std::array<std::uint8_t, pins::a / pins::element> a_ = {};
  std::array<std::uint8_t, pins::b / pins::element> b_ = {};
  std::array<std::uint8_t, pins::scale_a / pins::scale> scale_a_ = {};
  std::array<std::uint8_t, pins::scale_b / pins::scale> scale_b_ = {};
  std::array<std::uint32_t, pins::c / pins::sum> c_ = {}, d_ = {};
  std::deque<sc_dt::sc_bv<pins::d>> results_;  // of the stages, the last stage's first
};

}  // namespace hardware
