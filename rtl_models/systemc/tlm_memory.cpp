// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tlm_memory.cpp: memory of a system.
#include "rtl_models/systemc/tlm_memory.h"

#include <cstring>

namespace hardware {

tlm_memory::tlm_memory(const sc_core::sc_module_name& name, std::size_t size, direct_memory direct,
                       const sc_core::sc_time& latency)
    : sc_module(name), bytes(size), direct_(direct), latency_(latency) {
  target.register_b_transport(this, &tlm_memory::b_transport);
  target.register_transport_dbg(this, &tlm_memory::transport_dbg);
  target.register_get_direct_mem_ptr(this, &tlm_memory::get_direct_mem_ptr);
}

void tlm_memory::set_direct_memory(direct_memory direct) {
  direct_ = direct;
  if (direct == direct_memory::refused) target->invalidate_direct_mem_ptr(0, ~sc_dt::uint64{0});
}

void tlm_memory::b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  ++transactions;
  delay += latency_;
  const tlm::tlm_response_status refusal = shape_refusal(payload);
  payload.set_response_status(refusal == tlm::TLM_OK_RESPONSE ? move(payload) : refusal);
  payload.set_dmi_allowed(direct_ == direct_memory::granted);
}

unsigned tlm_memory::transport_dbg(tlm::tlm_generic_payload& payload) {
  payload.set_response_status(move(payload));
  return payload.is_response_ok() ? payload.get_data_length() : 0;
}

bool tlm_memory::get_direct_mem_ptr(tlm::tlm_generic_payload&, tlm::tlm_dmi& dmi) {
  dmi.set_start_address(0);
  dmi.set_end_address(bytes.size() - 1);
  dmi.set_dmi_ptr(bytes.data());
  dmi.set_read_latency(latency_);
  dmi.set_write_latency(latency_);
  if (direct_ == direct_memory::granted) {
    dmi.allow_read_write();
  } else {
    dmi.allow_none();
  }
  return direct_ == direct_memory::granted;
}

tlm::tlm_response_status tlm_memory::shape_refusal(const tlm::tlm_generic_payload& payload) {
  if (payload.get_byte_enable_ptr() != nullptr) return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  const bool streams = payload.get_streaming_width() < payload.get_data_length();
  return streams ? tlm::TLM_BURST_ERROR_RESPONSE : tlm::TLM_OK_RESPONSE;
}

tlm::tlm_response_status tlm_memory::move(tlm::tlm_generic_payload& payload) {
  const std::uint64_t address = payload.get_address(), length = payload.get_data_length();
  if (length == 0) return tlm::TLM_BURST_ERROR_RESPONSE;
  if (address >= bytes.size() || length > bytes.size() - address) {
    return tlm::TLM_ADDRESS_ERROR_RESPONSE;
  }
  unsigned char* at = bytes.data() + address;
  if (payload.is_read()) std::memcpy(payload.get_data_ptr(), at, length);
  if (payload.is_write()) std::memcpy(at, payload.get_data_ptr(), length);
  return tlm::TLM_OK_RESPONSE;
}

}  // namespace hardware
