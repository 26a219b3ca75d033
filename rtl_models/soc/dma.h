// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/dma.h: copies memory, as a loosely timed target of TLM-2.0 with registers.
#pragma once
#include <array>

#include "rtl_models/systemc/tensor_core_lt.h"

namespace hardware {

/// Registers of 64 bits; register r is at address 8 * r.
///   from, to, size  bytes
///   doorbell        any write starts the copy; reads as 0
///   status          engine_status, read-only
enum class dma_register : std::uint8_t { from, to, size, doorbell, status };

/// Behaves as tensor_core_lt does: a doorbell moves all data at once and status reads busy until
/// the time of its transactions has passed. A doorbell returns an error while a copy is in
/// progress, and if the size is 0 or above `largest`.
class dma : public sc_core::sc_module {
 public:
  static constexpr int registers = 5;
  static constexpr std::uint64_t largest = std::uint64_t{1} << 28;

  tlm_utils::simple_target_socket<dma> target{"target"};
  tlm_utils::simple_initiator_socket<dma> memory{"memory"};

  explicit dma(const sc_core::sc_module_name& name,
               const sc_core::sc_time& access = {10, sc_core::SC_NS});

  std::uint64_t bytes = 0;  ///< copied so far

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  void forget(sc_dt::uint64 first, sc_dt::uint64 last) { port_.forget(first, last); }
  [[nodiscard]] bool copy(sc_core::sc_time& delay);

  sc_core::sc_time access_;
  tlm_memory_port port_{memory};
  std::array<std::uint64_t, registers> values_ = {};
  engine_status outcome_ = engine_status::idle;
  sc_core::sc_time finish_;
};

}  // namespace hardware
