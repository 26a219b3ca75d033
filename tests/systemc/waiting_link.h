// SPDX-License-Identifier: Apache-2.0
// tests/systemc/waiting_link.h: a link to memory that waits, as b_transport may.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>
#include <tlm_utils/simple_target_socket.h>

namespace systemc {

/// With a pause each transaction takes its delay and the pause in simulation time, and no pointers
/// are granted; without one everything is passed on.
class waiting_link : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<waiting_link> from{"from"};
  tlm_utils::simple_initiator_socket<waiting_link> to{"to"};
  sc_core::sc_time pause;

  explicit waiting_link(const sc_core::sc_module_name& name) : sc_module(name) {
    from.register_b_transport(this, &waiting_link::b_transport);
    from.register_get_direct_mem_ptr(this, &waiting_link::get_direct_mem_ptr);
    to.register_invalidate_direct_mem_ptr(this, &waiting_link::invalidate);
  }

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
    const bool waits = pause != sc_core::SC_ZERO_TIME;
    if (waits) {
      wait(delay + pause);
      delay = sc_core::SC_ZERO_TIME;
    }
    to->b_transport(payload, delay);
    if (waits) payload.set_dmi_allowed(false);
  }
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
    return to->get_direct_mem_ptr(payload, dmi);
  }
  void invalidate(sc_dt::uint64 first, sc_dt::uint64 last) {
    from->invalidate_direct_mem_ptr(first, last);
  }
};

/// Runs steps in a thread of their own, beside those of a test.
template <class Steps>
void run_beside(const Steps& steps) {
  sc_core::sc_spawn_options options;
  options.set_stack_size(1 << 20);
  sc_core::sc_spawn(steps, nullptr, &options);
}

}  // namespace systemc
