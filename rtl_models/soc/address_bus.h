// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/address_bus.h: a bus of TLM-2.0 that routes to targets by address.
#pragma once
#include <tlm_utils/multi_passthrough_initiator_socket.h>
#include <tlm_utils/multi_passthrough_target_socket.h>

#include <cstdint>
#include <systemc>
#include <vector>

namespace hardware {

/// Any number of initiators and targets; each target sees addresses from 0 on. Adds no time.
/// errors  TLM_ADDRESS_ERROR_RESPONSE unless exactly one target contains all of the bytes
class address_bus : public sc_core::sc_module {
 public:
  tlm_utils::multi_passthrough_target_socket<address_bus> from{"from"};
  tlm_utils::multi_passthrough_initiator_socket<address_bus> to{"to"};

  explicit address_bus(const sc_core::sc_module_name& name);

  /// Binds the next target, which has `size` bytes from `first` on.
  template <class Socket>
  void connect(Socket& target, std::uint64_t first, std::uint64_t size) {
    ranges_.push_back({first, size});
    to.bind(target);
  }

  std::uint64_t bytes = 0;  ///< transferred over the bus, excluding direct accesses

 private:
  struct range {
    std::uint64_t first, size;
  };

  void b_transport(int initiator, tlm::tlm_generic_payload& payload, sc_core::sc_time& delay);
  unsigned transport_dbg(int initiator, tlm::tlm_generic_payload& payload);
  bool get_direct_mem_ptr(int initiator, tlm::tlm_generic_payload& payload, tlm::tlm_dmi& dmi);
  void invalidate(int target, sc_dt::uint64 first, sc_dt::uint64 last);
  /// The target that contains an address; -1: none.
  [[nodiscard]] int target_at(std::uint64_t address) const;
  /// The target that contains all of the payload's bytes; -1: none.
  [[nodiscard]] int target_of(const tlm::tlm_generic_payload& payload) const;
  /// Denies direct access to all addresses around one without a target.
  void deny_gap(std::uint64_t address, tlm::tlm_dmi& dmi) const;

  std::vector<range> ranges_;
};

}  // namespace hardware
