// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_lt.h: a tensor core as a loosely timed target of TLM-2.0.
#pragma once
#include <tlm_utils/simple_target_socket.h>

#include <systemc>

#include "rtl_models/systemc/engine_state.h"
#include "rtl_models/systemc/tensor_core_timing.h"
#include "rtl_models/systemc/tlm_memory_port.h"

namespace hardware {

/// Times of a tensor core in a system.
struct engine_timing {
  tensor_core_timing core;
  sc_core::sc_time period{1, sc_core::SC_NS};   ///< of the core's clock
  sc_core::sc_time access{10, sc_core::SC_NS};  ///< of a register

  /// Cycles of a product; 0 if its operands were not read.
  [[nodiscard]] std::uint64_t cycles_of(const product_job& job) const;
};

/// Registers of `engine_register` behind `target`, memory behind `memory`.
/// A write to the doorbell moves all data at once, and waits only if the memory does, or still has
/// a burst from before a reset; status reads busy until the time at which the product is done:
/// bursts and cycles, one after the other. A refused doorbell returns an error; the memory's
/// refusals are in status and error.
class tensor_core_lt : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<tensor_core_lt> target{"target"};
  tlm_utils::simple_initiator_socket<tensor_core_lt> memory{"memory"};

  explicit tensor_core_lt(const sc_core::sc_module_name& name, const engine_timing& timing = {});

  /// Clears registers and the product in progress, whose D stays where it was written; a burst that
  /// its memory already has is the last.
  void reset();

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool no_direct_memory(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void forget(sc_dt::uint64 first, sc_dt::uint64 last) { port_.forget(first, last); }

  void settle(const sc_core::sc_time& now);
  void multiply(sc_core::sc_time& delay);
  [[nodiscard]] product_error move(product_job& job, const sc_core::sc_time& delay);

  engine_timing timing_;
  tlm_memory_port port_{memory};
  engine_state state_;
  product_error outcome_ = product_error::none;  // of the product in progress
  sc_core::sc_time finish_;
  sc_core::sc_event moved_;
  bool is_moving_ = false;
  std::uint64_t resets_ = 0;
};

}  // namespace hardware
