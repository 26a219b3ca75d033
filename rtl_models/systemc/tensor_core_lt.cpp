// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_lt.cpp: a tensor core, loosely timed.
#include "rtl_models/systemc/tensor_core_lt.h"

namespace hardware {

std::uint64_t engine_timing::cycles_of(const product_job& job) const {
  if (!job.is_computed()) return 0;
  const descriptor& requested = job.requested();
  return static_cast<std::uint64_t>(core.cycles_of(static_cast<std::int64_t>(requested.m),
                                                   static_cast<std::int64_t>(requested.n),
                                                   static_cast<std::int64_t>(requested.k)));
}

tensor_core_lt::tensor_core_lt(const sc_core::sc_module_name& name, const engine_timing& timing)
    : sc_module(name), timing_(timing) {
  if (!timing.core.is_sound()) SC_REPORT_ERROR("/mx/tensor_core_lt", "a timing out of range");
  target.register_b_transport(this, &tensor_core_lt::b_transport);
  target.register_transport_dbg(this, &tensor_core_lt::transport_dbg);
  target.register_get_direct_mem_ptr(this, &tensor_core_lt::no_direct_memory);
  memory.register_invalidate_direct_mem_ptr(this, &tensor_core_lt::forget);
}

void tensor_core_lt::reset() {
  state_ = {};
  ++resets_;
  port_.abandon();
}

void tensor_core_lt::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  payload.set_dmi_allowed(false);
  settle(sc_core::sc_time_stamp() + delay);
  const register_access access = access_of(payload);
  payload.set_response_status(access.refusal);
  if (access.refusal != tlm::TLM_OK_RESPONSE) return;
  move_words(state_, access, payload);
  if (access.rings && !state_.ring()) {
    payload.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  } else if (access.rings) {
    multiply(delay);
  }
  delay += static_cast<double>(access.count) * timing_.access;
}

unsigned tensor_core_lt::transport_dbg(tlm::tlm_generic_payload& payload) {
  const register_access access = access_of(payload, {}, transport::debug);
  payload.set_response_status(access.refusal);
  if (access.refusal != tlm::TLM_OK_RESPONSE) return 0;
  settle(sc_core::sc_time_stamp());
  move_words(state_, access, payload);
  return payload.get_data_length();
}

bool tensor_core_lt::no_direct_memory(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.allow_none();
  dmi.set_start_address(0);
  dmi.set_end_address(~sc_dt::uint64{0});
  return false;
}

void tensor_core_lt::settle(const sc_core::sc_time& now) {
  if (state_.status != engine_status::busy || now < finish_) return;
  state_.error = outcome_;
  state_.status = outcome_ == product_error::none ? engine_status::done : engine_status::failed;
}

void tensor_core_lt::multiply(sc_core::sc_time& delay) {
  const std::uint64_t reset_count = resets_;
  const sc_core::sc_time rung = sc_core::sc_time_stamp() + delay;
  product_job job(state_.requested);
  finish_ = sc_core::sc_max_time();  // unknown until all data is moved
  while (is_moving_) wait(moved_);
  product_error outcome = product_error::none;
  if (reset_count == resets_) outcome = move(job, time_until(rung));
  delay = time_until(rung);
  if (reset_count != resets_) return;
  outcome_ = outcome;
  state_.bytes = job.bytes();
  state_.cycles = timing_.cycles_of(job);
  finish_ =
      sc_core::sc_time_stamp() + port_.delay + static_cast<double>(state_.cycles) * timing_.period;
}

product_error tensor_core_lt::move(product_job& job, const sc_core::sc_time& delay) {
  is_moving_ = true;
  port_.delay = delay;
  const bool fetched = job.fetch(port_);
  if (fetched) job.compute();
  const bool stored = fetched && job.store(port_);
  is_moving_ = false;
  moved_.notify();
  return stored ? product_error::none : product_error::bus;
}

}  // namespace hardware
