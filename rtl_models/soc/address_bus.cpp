// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/address_bus.cpp: a bus that routes by address.
#include "rtl_models/soc/address_bus.h"

#include <algorithm>

namespace hardware {

address_bus::address_bus(const sc_core::sc_module_name& name) : sc_module(name) {
  from.register_b_transport(this, &address_bus::b_transport);
  from.register_transport_dbg(this, &address_bus::transport_dbg);
  from.register_get_direct_mem_ptr(this, &address_bus::get_direct_mem_ptr);
  to.register_invalidate_direct_mem_ptr(this, &address_bus::invalidate);
}

void address_bus::b_transport(int, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay) {
  const int target = target_of(payload);
  if (target < 0) {
    payload.set_response_status(tlm::TLM_ADDRESS_ERROR_RESPONSE);
    return;
  }
  const std::uint64_t address = payload.get_address();
  bytes += payload.get_data_length();
  payload.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
  to[target]->b_transport(payload, delay);
  payload.set_address(address);
}

unsigned address_bus::transport_dbg(int, tlm::tlm_generic_payload& payload) {
  const int target = target_of(payload);
  if (target < 0) return 0;
  const std::uint64_t address = payload.get_address();
  payload.set_address(address - ranges_[static_cast<std::size_t>(target)].first);
  const unsigned moved = to[target]->transport_dbg(payload);
  payload.set_address(address);
  return moved;
}

bool address_bus::get_direct_mem_ptr(int, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi) {
  const std::uint64_t address = payload.get_address();
  const int target = target_at(address);
  if (target < 0) {
    deny_gap(address, dmi);
    return false;
  }
  const range& of = ranges_[static_cast<std::size_t>(target)];
  payload.set_address(address - of.first);
  const bool granted = to[target]->get_direct_mem_ptr(payload, dmi);
  payload.set_address(address);
  dmi.set_start_address(of.first + dmi.get_start_address());
  dmi.set_end_address(of.first + std::min<std::uint64_t>(dmi.get_end_address(), of.size - 1));
  return granted;
}

void address_bus::invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last) {
  const range& of = ranges_[static_cast<std::size_t>(target)];
  const sc_dt::uint64 end = std::min<sc_dt::uint64>(last, of.size - 1);
  for (unsigned i = 0; i < from.size(); ++i) {
    from[static_cast<int>(i)]->invalidate_direct_mem_ptr(of.first + first, of.first + end);
  }
}

int address_bus::target_at(std::uint64_t address) const {
  for (std::size_t i = 0; i < ranges_.size(); ++i) {
    const range& of = ranges_[i];
    if (address >= of.first && address - of.first < of.size) return static_cast<int>(i);
  }
  return -1;
}

int address_bus::target_of(const tlm::tlm_generic_payload& payload) const {
  const std::uint64_t address = payload.get_address();
  const int target = target_at(address);
  if (target < 0) return -1;
  const range& of = ranges_[static_cast<std::size_t>(target)];
  return payload.get_data_length() <= of.size - (address - of.first) ? target : -1;
}

void address_bus::deny_gap(std::uint64_t address, tlm::tlm_dmi& dmi) const {
  std::uint64_t first = 0, last = ~std::uint64_t{0};
  for (const range& of : ranges_) {
    if (of.first > address) {
      last = std::min(last, of.first - 1);
    } else {
      first = std::max(first, of.first + of.size);
    }
  }
  dmi.allow_none();
  dmi.set_start_address(first);
  dmi.set_end_address(last);
}

}  // namespace hardware
