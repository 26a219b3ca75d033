// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tensor_core_at.cpp: a tensor core, approximately timed.
#include "rtl_models/systemc/tensor_core_at.h"

namespace hardware {
namespace {

DECLARE_EXTENDED_PHASE(carry_out_phase);

constexpr std::size_t stack_bytes = std::size_t{1} << 20;  // mx::gemm runs on this stack

}  // namespace

tensor_core_at::tensor_core_at(const sc_core::sc_module_name& name, const engine_timing& timing)
    : sc_module(name), timing_(timing), queue_(this, &tensor_core_at::handle) {
  if (!timing.core.is_sound()) SC_REPORT_ERROR("/mx/tensor_core_at", "a timing out of range");
  target.register_nb_transport_fw(this, &tensor_core_at::nb_transport_fw);
  target.register_transport_dbg(this, &tensor_core_at::transport_dbg);
  memory.register_invalidate_direct_mem_ptr(this, &tensor_core_at::forget);
  SC_THREAD(multiply_forever);
  set_stack_size(stack_bytes);
}

void tensor_core_at::reset() {
  state_ = {};
  spoiled_ = accepted_;
  ++resets_;
  port_.abandon();
  if (sc_core::sc_is_running()) was_reset_.notify();  // before that, nothing waits
}

tlm::tlm_sync_enum tensor_core_at::nb_transport_fw(payload& request, tlm::tlm_phase& phase,
                                                   sc_core::sc_time& delay) {
  if (phase != tlm::BEGIN_REQ && phase != tlm::END_RESP) return tlm::TLM_ACCEPTED;
  if (phase == tlm::BEGIN_REQ) {
    request.set_dmi_allowed(false);
    if (!request.has_mm()) {
      request.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
      return tlm::TLM_COMPLETED;
    }
    request.acquire();
  }
  queue_.notify(request, phase, delay);
  return tlm::TLM_ACCEPTED;
}

unsigned tensor_core_at::transport_dbg(payload& request) {
  const register_access access = access_of(request, {}, transport::debug);
  request.set_response_status(access.refusal);
  if (access.refusal != tlm::TLM_OK_RESPONSE) return 0;
  move_words(state_, access, request);
  return request.get_data_length();
}

void tensor_core_at::handle(payload& request, const tlm::tlm_phase& phase) {
  if (phase == tlm::BEGIN_REQ) {
    accept(request);
  } else if (phase == tlm::END_RESP) {
    end_response(request);
  } else {
    carry_out(request);
  }
}

void tensor_core_at::accept(payload& request) {
  accepted_.insert(&request);
  const register_access access = access_of(request);
  queue_.notify(request, carry_out_phase, static_cast<double>(access.count) * timing_.access);
  tlm::tlm_phase phase = tlm::END_REQ;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  target->nb_transport_bw(request, phase, delay);
}

void tensor_core_at::carry_out(payload& request) {
  accepted_.erase(&request);
  const register_access access = access_of(request);
  request.set_response_status(access.refusal);
  if (spoiled_.erase(&request) > 0) {
    request.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
  } else if (access.refusal == tlm::TLM_OK_RESPONSE) {
    move_words(state_, access, request);
    if (access.rings && !state_.ring()) {
      request.set_response_status(tlm::TLM_GENERIC_ERROR_RESPONSE);
    } else if (access.rings) {
      started_ = state_.requested;
      rung_.notify();
    }
  }
  carried_out_.push_back(&request);
  if (carried_out_.size() == 1) respond(request);
}

void tensor_core_at::respond(payload& request) {
  tlm::tlm_phase phase = tlm::BEGIN_RESP;
  sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
  const tlm::tlm_sync_enum answer = target->nb_transport_bw(request, phase, delay);
  const bool ended = answer == tlm::TLM_UPDATED && phase == tlm::END_RESP;
  if (ended || answer == tlm::TLM_COMPLETED) queue_.notify(request, tlm::END_RESP, delay);
}

void tensor_core_at::end_response(payload& request) {
  if (carried_out_.empty() || carried_out_.front() != &request) return;  // never answered
  carried_out_.pop_front();
  request.release();
  if (!carried_out_.empty()) respond(*carried_out_.front());
}

void tensor_core_at::multiply_forever() {
  for (;;) {
    if (state_.status != engine_status::busy) wait(rung_);
    const std::uint64_t reset_count = resets_;
    const product_error outcome = multiply(reset_count);
    if (reset_count != resets_) continue;
    state_.error = outcome;
    state_.status = outcome == product_error::none ? engine_status::done : engine_status::failed;
  }
}

product_error tensor_core_at::multiply(std::uint64_t reset_count) {
  product_job job(started_);
  port_.delay = sc_core::SC_ZERO_TIME;
  const bool fetched = job.fetch(port_);
  if (!wait_for(port_.delay, reset_count)) return product_error::none;
  if (fetched) job.compute();
  state_.cycles = timing_.cycles_of(job);
  state_.bytes = job.bytes();
  if (!fetched) return product_error::bus;
  const sc_core::sc_time time = static_cast<double>(state_.cycles) * timing_.period;
  if (!wait_for(time, reset_count)) return product_error::none;
  port_.delay = sc_core::SC_ZERO_TIME;
  const bool stored = job.store(port_);
  if (!wait_for(port_.delay, reset_count)) return product_error::none;
  state_.bytes = job.bytes();
  return stored ? product_error::none : product_error::bus;
}

bool tensor_core_at::wait_for(const sc_core::sc_time& time, std::uint64_t reset_count) {
  if (reset_count == resets_) wait(time, was_reset_);
  return reset_count == resets_;
}

}  // namespace hardware
