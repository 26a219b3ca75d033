// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tlm_memory_port.h: memory behind an initiator socket of TLM-2.0: direct access
// if granted, bursts otherwise.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <tlm>

#include "rtl_models/systemc/product_job.h"

namespace hardware {

/// Offset of a time from the simulation's: what is left of a delay if its payload's memory waited.
[[nodiscard]] inline sc_core::sc_time time_until(const sc_core::sc_time& time) {
  const sc_core::sc_time& now = sc_core::sc_time_stamp();
  return time > now ? time - now : sc_core::SC_ZERO_TIME;
}

/// Reads and writes, and accumulates their time. Used by one module, which owns the socket.
class tlm_memory_port final : public memory_port {
 public:
  /// unit: bytes of a transaction, and bytes that a granted pointer's latency applies to
  static constexpr std::uint64_t burst = 4096;

  explicit tlm_memory_port(tlm::tlm_initiator_socket<>& socket) : socket_(socket) {}

  [[nodiscard]] bool read(std::uint64_t address, std::span<std::uint8_t> to) override;
  [[nodiscard]] bool write(std::uint64_t address, std::span<const std::uint8_t> from) override;

  /// For the socket's backward call: invalidates pointers into [first, last].
  void forget(std::uint64_t first, std::uint64_t last);

  /// The transfer in progress begins no further transaction, and returns false.
  void abandon() { ++abandoned_; }

  /// Offset from the simulation time due to transactions: annotated, not waited for.
  sc_core::sc_time delay;

 private:
  [[nodiscard]] bool move(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                          std::uint64_t size);
  [[nodiscard]] bool move_directly(tlm::tlm_command command, std::uint64_t address,
                                   unsigned char* bytes, std::uint64_t size);
  [[nodiscard]] bool send(tlm::tlm_command command, std::uint64_t address, unsigned char* bytes,
                          std::uint64_t size);

  tlm::tlm_initiator_socket<>& socket_;
  tlm::tlm_dmi granted_;
  bool is_granted_ = false;
  std::uint64_t abandoned_ = 0;
};

}  // namespace hardware
