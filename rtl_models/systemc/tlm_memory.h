// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/tlm_memory.h: memory of a system, as a loosely timed target of TLM-2.0.
#pragma once
#include <tlm_utils/simple_target_socket.h>

#include <cstdint>
#include <systemc>
#include <vector>

namespace hardware {

/// Whether direct memory interface pointers are granted.
enum class direct_memory : std::uint8_t { refused, granted };

/// Bytes from address 0 on. Annotates its latency to every transaction, never waits.
class tlm_memory : public sc_core::sc_module {
 public:
  tlm_utils::simple_target_socket<tlm_memory> target{"target"};

  tlm_memory(const sc_core::sc_module_name& name, std::size_t size,
             direct_memory direct = direct_memory::granted,
             const sc_core::sc_time& latency = {100, sc_core::SC_NS});

  /// Invalidates granted pointers, or grants them again.
  void set_direct_memory(direct_memory direct);

  std::vector<unsigned char> bytes;
  std::uint64_t transactions = 0;  ///< excluding direct accesses

 private:
  void b_transport(tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  /// Byte enables and streaming widths, which debug transport does not have.
  [[nodiscard]] static tlm::tlm_response_status shape_refusal(
      const tlm::tlm_generic_payload& payload);
  [[nodiscard]] tlm::tlm_response_status move(tlm::tlm_generic_payload& payload);

  direct_memory direct_;
  sc_core::sc_time latency_;
};

}  // namespace hardware
