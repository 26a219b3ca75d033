// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_at.h: a tensor core as an approximately timed target of TLM-2.0.
#pragma once
#include <tlm_utils/peq_with_cb_and_phase.h>

#include <deque>
#include <set>

#include "rtl_models/systemc/tensor_core_lt.h"

namespace hardware {

/// The registers of tensor_core_lt, in four phases: a request is accepted when it arrives, executed
/// `access` later, and answered in order; several may be outstanding. A product runs concurrently:
/// it reads, multiplies for its number of cycles, and writes; its memory may wait. Payloads require
/// a memory manager; one without is refused at once.
class tensor_core_at : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<tensor_core_at> target{"target"};
  tlm_utils::simple_initiator_socket<tensor_core_at> memory{"memory"};

  SC_HAS_PROCESS(tensor_core_at);
  explicit tensor_core_at(const sc_core::sc_module_name& name, const engine_timing& timing = {});

  /// Clears registers and the product in progress, which writes nothing further but a burst that
  /// its memory already has. Requests not yet executed are answered with an error.
  void reset();

 private:
  using payload = tlm::tlm_generic_payload;

  tlm::tlm_sync_enum nb_transport_fw(payload& request, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  unsigned transport_dbg(payload& request);
  void forget(sc_dt::uint64 first, sc_dt::uint64 last) { port_.forget(first, last); }

  void handle(payload& request, const tlm::tlm_phase& phase);
  void accept(payload& request);
  void carry_out(payload& request);
  void respond(payload& request);
  void end_response(payload& request);
  void multiply_forever();
  [[nodiscard]] product_error multiply(std::uint64_t reset_count);
  /// Returns whether no reset occurred meanwhile.
  [[nodiscard]] bool wait_for(const sc_core::sc_time& time, std::uint64_t reset_count);

  engine_timing timing_;
  tlm_memory_port port_{memory};
  engine_state state_;
  descriptor started_;  // registers as they were at the doorbell
  tlm_utils::peq_with_cb_and_phase<tensor_core_at> queue_;
  std::set<const payload*> accepted_,
      spoiled_;                       // not executed yet; of those, from before a reset
  std::deque<payload*> carried_out_;  // the first one is being answered
  sc_core::sc_event rung_, was_reset_;
  std::uint64_t resets_ = 0;
};

}  // namespace hardware
