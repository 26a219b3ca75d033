// SPDX-License-Identifier: Apache-2.0
// tests/cosim/bench.cpp: all backends in one simulation.
#include "bench.h"

/// The library's main() requires one; Catch2 has its own.
int sc_main(int, char**) { return 0; }

namespace cosim {
namespace {

/// The cycle model of eight lanes behind the same pins, two of which report wrong values.
template <bench_fault Fault>
class faulty_core : public sc_core::sc_module {
 public:
  using pins = hardware::tensor_core_pins<8>;
  using word = sc_dt::sc_bv<pins::d>;

  sc_core::sc_in<bool> clk_i, rst_ni, a_valid_i, b_valid_i, d_ready_i;
  sc_core::sc_out<bool> a_ready_o, b_ready_o, d_valid_o;
  sc_core::sc_in<sc_dt::sc_bv<pins::a>> a_i;
  sc_core::sc_in<sc_dt::sc_bv<pins::scale_a>> scale_a_i;
  sc_core::sc_in<sc_dt::sc_bv<pins::c>> c_i;
  sc_core::sc_in<sc_dt::sc_bv<pins::b>> b_i;
  sc_core::sc_in<sc_dt::sc_bv<pins::scale_b>> scale_b_i;
  sc_core::sc_out<word> d_o;

  SC_HAS_PROCESS(faulty_core);
  explicit faulty_core(const sc_core::sc_module_name& name) : sc_module(name) {
    core_.clk_i(clk_i), core_.rst_ni(rst_ni), core_.d_ready_i(d_ready_i);
    core_.a_valid_i(a_valid_i), core_.a_ready_o(a_ready_o), core_.a_i(a_i);
    core_.scale_a_i(scale_a_i), core_.c_i(c_i);
    core_.b_valid_i(b_valid_i), core_.b_ready_o(b_ready_o), core_.b_i(b_i);
    core_.scale_b_i(scale_b_i), core_.d_valid_o(valid_), core_.d_o(d_);
    SC_METHOD(lie);
    sensitive << clk_i.pos() << valid_ << d_;
  }

 private:
  /// Hides a word in every other cycle, or shows another word in every cycle.
  void lie() {
    if (clk_i.posedge()) ++cycles_;
    const bool hides = Fault == bench_fault::valid_falls && cycles_ % 2 == 0;
    word said = d_.read();
    if (Fault == bench_fault::word_changes) said.set_word(0, cycles_);
    d_valid_o.write(valid_.read() && !hides);
    d_o.write(said);
  }

  hardware::tensor_core_cycles<8> core_{"core"};
  sc_core::sc_signal<bool> valid_{"valid"};
  sc_core::sc_signal<word> d_{"d"};
  unsigned cycles_ = 0;
};

template <bench_fault Fault>
using faulty_backend = hardware::pin_backend<faulty_core<Fault>, 8>;

struct whole_bench {
  sc_core::sc_clock clock{"clock", 1, sc_core::SC_NS};
  std::vector<bench_lanes> all;
  std::vector<bench_quantizer> quantizers;
  faulty_backend<bench_fault::valid_falls> falls{"falls", "falls", clock};
  faulty_backend<bench_fault::word_changes> changes{"changes", "changes", clock};

  whole_bench() {
    hardware::allow_fst();
    for (const int lanes : {1, 8, 32}) {
      bench_lanes of{lanes, hardware::make_clocked_backend("cycles", lanes, clock), nullptr,
                     hardware::make_clocked_backend("verilated", lanes, clock)};
      of.other_cycles = second_cycles(lanes);
      all.push_back(std::move(of));
    }
    for (const mx::format& in : {mx::formats::bfloat16, mx::formats::binary32}) {
      for (const mx::format& scale : {mx::formats::e8m0, mx::formats::e8m(3)}) {
        const hardware::quantizer_kind made{in, scale, 8};
        quantizers.push_back({made, hardware::make_clocked_quantizer(made, clock)});
      }
    }
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
  }
  std::unique_ptr<hardware::clocked_backend> second_cycles(int lanes) {
    using namespace hardware;
    if (lanes != 8) return nullptr;
    return std::make_unique<pin_backend<tensor_core_cycles<8>, 8>>("other_cycles_8", "cycles",
                                                                   clock);
  }
};

whole_bench& the_bench() {
  static whole_bench whole;
  return whole;
}

}  // namespace

const std::vector<bench_lanes>& bench() { return the_bench().all; }
const std::vector<bench_quantizer>& quantizers() { return the_bench().quantizers; }

hardware::clocked_backend& faulty(bench_fault how) {
  whole_bench& of = the_bench();
  if (how == bench_fault::valid_falls) return of.falls;
  return of.changes;
}

void restart(const bench_lanes& of, const hardware::stalls& how) {
  for (auto* backend : {of.cycles.get(), of.other_cycles.get(), of.verilated.get()}) {
    if (backend == nullptr) continue;
    backend->reset();
    backend->wait_at(how);
  }
  run_cycles(4);
  // Both sides of a comparison begin with the same draws.
  for (auto* backend : {of.cycles.get(), of.other_cycles.get(), of.verilated.get()}) {
    if (backend != nullptr) backend->wait_at(how);
  }
}

void run_cycles(int count) { sc_core::sc_start(count, sc_core::SC_NS); }

}  // namespace cosim
