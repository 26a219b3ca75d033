// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/engine_state.cpp: the registers of a tensor core.
#include "rtl_models/systemc/engine_state.h"

#include <bit>
#include <cstring>

namespace hardware {
namespace {

static_assert(std::endian::native == std::endian::little, "registers lie as payloads have them");

/// The field of a writable register; null for the others.
std::uint64_t* field_of(descriptor& requested, engine_register which) {
  std::uint64_t* const fields[] = {
      &requested.a, &requested.b, &requested.scale_a, &requested.scale_b, &requested.c,
      &requested.d, &requested.m, &requested.n,       &requested.k,       &requested.model};
  const auto index = static_cast<std::size_t>(which);
  return index < std::size(fields) ? fields[index] : nullptr;
}

tlm::tlm_response_status shape_refusal(const tlm::tlm_generic_payload& payload, int registers,
                                       transport by) {
  const bool timed = by == transport::timed;
  const std::uint64_t length = payload.get_data_length();
  if (payload.get_command() == tlm::TLM_IGNORE_COMMAND) return tlm::TLM_COMMAND_ERROR_RESPONSE;
  if (timed && payload.get_byte_enable_ptr() != nullptr) {
    return tlm::TLM_BYTE_ENABLE_ERROR_RESPONSE;
  }
  const bool streams = timed && payload.get_streaming_width() < length;
  const bool whole =
      payload.get_data_ptr() != nullptr && length > 0 && length % register_bytes == 0 && !streams;
  if (!whole) return tlm::TLM_BURST_ERROR_RESPONSE;
  const std::uint64_t end = static_cast<std::uint64_t>(registers) * register_bytes;
  const std::uint64_t address = payload.get_address();
  const bool inside = address % register_bytes == 0 && address < end && length <= end - address;
  return inside ? tlm::TLM_OK_RESPONSE : tlm::TLM_ADDRESS_ERROR_RESPONSE;
}

}  // namespace

std::uint64_t engine_state::read(engine_register which) const {
  descriptor copy = requested;
  if (const std::uint64_t* field = field_of(copy, which)) return *field;
  switch (which) {
    case engine_register::status:
      return static_cast<std::uint64_t>(status);
    case engine_register::error:
      return static_cast<std::uint64_t>(error);
    case engine_register::cycles:
      return cycles;
    case engine_register::bytes:
      return bytes;
    default:
      return 0;
  }
}

void engine_state::write(engine_register which, std::uint64_t value) {
  if (std::uint64_t* field = field_of(requested, which)) *field = value;
}

bool engine_state::ring() {
  if (status == engine_status::busy) {
    error = product_error::busy;
    return false;
  }
  error = refusal_of(requested);
  status = error == product_error::none ? engine_status::busy : engine_status::failed;
  return error == product_error::none;
}

register_access access_of(const tlm::tlm_generic_payload& payload, const register_file& file,
                          transport by) {
  register_access access;
  access.refusal = shape_refusal(payload, file.registers, by);
  if (access.refusal != tlm::TLM_OK_RESPONSE) return access;
  access.first = static_cast<int>(payload.get_address() / register_bytes);
  access.count = static_cast<int>(payload.get_data_length() / register_bytes);
  if (!payload.is_write()) return access;
  const int last = access.first + access.count - 1;
  if (last > file.doorbell) access.refusal = tlm::TLM_COMMAND_ERROR_RESPONSE;
  access.rings = last == file.doorbell;
  return access;
}

void move_words(engine_state& state, const register_access& access,
                tlm::tlm_generic_payload& payload) {
  for (int i = 0; i < access.count; ++i) {
    const auto which = static_cast<engine_register>(access.first + i);
    unsigned char* at = payload.get_data_ptr() + i * register_bytes;
    std::uint64_t word = state.read(which);
    if (payload.is_write()) {
      std::memcpy(&word, at, sizeof word);
      state.write(which, word);
    } else {
      std::memcpy(at, &word, sizeof word);
    }
  }
}

}  // namespace hardware
