// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/engine_state.h: the registers of a tensor core, and which generic payloads of
// TLM-2.0 may access them.
#pragma once
#include <tlm>

#include "rtl_models/systemc/descriptor.h"

namespace hardware {

/// Values of all registers.
struct engine_state {
  descriptor requested;
  engine_status status = engine_status::idle;
  product_error error = product_error::none;
  std::uint64_t cycles = 0, bytes = 0;

  [[nodiscard]] std::uint64_t read(engine_register which) const;
  /// Writes the registers before the doorbell; writes to others are ignored.
  void write(engine_register which, std::uint64_t value);
  /// Whether a product may start; otherwise sets the error.
  [[nodiscard]] bool ring();
};

/// The access of a payload.
///   what  registers that it covers        rings  it writes the doorbell
struct register_access {
  tlm::tlm_response_status refusal = tlm::TLM_OK_RESPONSE;
  int first = 0, count = 0;
  bool rings = false;
};

/// Registers that a payload may access: those after the doorbell are read-only.
struct register_file {
  int registers = engine_registers;
  int doorbell = static_cast<int>(engine_register::doorbell);
};

/// Whose attributes a payload has: debug transport ignores byte enables and the streaming width.
enum class transport : std::uint8_t { timed, debug };

/// Accepts whole registers, without byte enables and streaming; no writes to read-only ones.
[[nodiscard]] register_access access_of(const tlm::tlm_generic_payload& payload,
                                        const register_file& file = {},
                                        transport by = transport::timed);

/// Moves the payload's words; the caller handles the doorbell. Requires an accepted access.
void move_words(engine_state& state, const register_access& access,
                tlm::tlm_generic_payload& payload);

}  // namespace hardware
