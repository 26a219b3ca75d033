// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tlm_memory_port.cpp: memory behind an initiator socket.
#include "rtl_models/systemc/tlm_memory_port.h"

#include <algorithm>
#include <cstring>

namespace hardware {

bool tlm_memory_port::read(std::uint64_t address, std::span<std::uint8_t> to) {
  return move(tlm::TLM_READ_COMMAND, address, to.data(), to.size());
}

bool tlm_memory_port::write(std::uint64_t address, std::span<const std::uint8_t> from) {
  // A payload has one pointer for both directions; a write does not modify the data.
  return move(tlm::TLM_WRITE_COMMAND, address, const_cast<unsigned char*>(from.data()),
              from.size());
}

void tlm_memory_port::forget(std::uint64_t first, std::uint64_t last) {
  if (first <= granted_.get_end_address() && granted_.get_start_address() <= last) {
    is_granted_ = false;
  }
}

bool tlm_memory_port::move(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                           std::uint64_t size) {
  if (size > 0 && address > ~std::uint64_t{0} - (size - 1)) return false;
  const std::uint64_t abandoned_before = abandoned_;
  for (std::uint64_t moved = 0; moved < size;) {
    const std::uint64_t rest = size - moved;
    if (move_directly(command, address + moved, bytes + moved, rest)) return true;
    const std::uint64_t part = std::min(burst, rest);
    if (!send(command, address + moved, bytes + moved, part)) return false;
    if (abandoned_ != abandoned_before) return false;
    moved += part;
  }
  return true;
}

bool tlm_memory_port::move_directly(tlm::tlm_command command, std::uint64_t address,
                                    unsigned char* bytes, std::uint64_t size) {
  const std::uint64_t first = granted_.get_start_address(), last = granted_.get_end_address();
  const bool covered =
      is_granted_ && first <= address && address <= last && size - 1 <= last - address;
  const bool reads = command == tlm::TLM_READ_COMMAND;
  if (!covered || !(reads ? granted_.is_read_allowed() : granted_.is_write_allowed())) return false;
  unsigned char* memory = granted_.get_dmi_ptr() + (address - first);
  std::memcpy(reads ? bytes : memory, reads ? memory : bytes, size);
  const std::uint64_t bursts = (size + burst - 1) / burst;
  const sc_core::sc_time latency =
      reads ? granted_.get_read_latency() : granted_.get_write_latency();
  delay += static_cast<double>(bursts) * latency;
  return true;
}

bool tlm_memory_port::send(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                           std::uint64_t size) {
  tlm::tlm_generic_payload payload;
  payload.set_command(command);
  payload.set_address(address);
  payload.set_data_ptr(bytes);
  payload.set_data_length(static_cast<unsigned>(size));
  payload.set_streaming_width(static_cast<unsigned>(size));
  socket_->b_transport(payload, delay);
  if (payload.is_response_error()) return false;
  if (payload.is_dmi_allowed() && !is_granted_) {
    granted_ = {};
    is_granted_ = socket_->get_direct_mem_ptr(payload, granted_);
  }
  return true;
}

}  // namespace hardware
