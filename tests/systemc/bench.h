// SPDX-License-Identifier: Apache-2.0
// tests/systemc/bench.h: tensor cores and memories in one simulation, which is elaborated once for
// all tests, and a thread of SystemC in which a test can act.
#pragma once
#include <tlm_utils/simple_initiator_socket.h>

#include <functional>
#include <map>
#include <vector>

#include "rtl_models/systemc/tensor_core_at.h"
#include "rtl_models/systemc/tensor_core_lt.h"
#include "rtl_models/systemc/tlm_memory.h"
#include "tests/systemc/waiting_link.h"

namespace systemc {

/// Payloads that live as long as they are referenced.
class payload_pool final : public tlm::tlm_mm_interface {
 public:
  [[nodiscard]] tlm::tlm_generic_payload& make();
  void free(tlm::tlm_generic_payload* payload) override;

  int alive = 0;
};

/// Plays software: runs a test's steps in a thread, and sends payloads of any kind.
class software : public sc_core::sc_module {
 public:
  tlm_utils::simple_initiator_socket<software> lt{"lt"}, at{"at"};

  SC_HAS_PROCESS(software);
  explicit software(const sc_core::sc_module_name& name);

  /// Runs the steps to their end. Checks inside may not throw.
  void run(const std::function<void()>& steps);

  /// Phases of a transaction, in order.
  std::map<const tlm::tlm_generic_payload*, std::vector<int>> phases;
  int responses = 0;
  payload_pool pool;

 private:
  tlm::tlm_sync_enum nb_transport_bw(tlm::tlm_generic_payload& payload, tlm::tlm_phase& phase,
                                     sc_core::sc_time& delay);
  void run_forever();
  void end_responses();

  std::function<void()> steps_;
  sc_core::sc_event requested_, answered_;
  tlm::tlm_generic_payload* to_end_ = nullptr;
};

struct bench {
  hardware::tlm_memory memory_lt{"memory_lt", 1 << 20};
  hardware::tlm_memory memory_at{"memory_at", 1 << 20};
  waiting_link to_memory_lt{"to_memory_lt"}, to_memory_at{"to_memory_at"};
  hardware::tensor_core_lt lt{"lt"};
  hardware::tensor_core_at at{"at"};
  software initiator{"initiator"};

  bench();
};

[[nodiscard]] bench& the_bench();

/// A payload for `count` registers from `first` on, or any bytes.
struct request {
  tlm::tlm_command command = tlm::TLM_READ_COMMAND;
  std::uint64_t address = 0;
  std::vector<std::uint64_t> words = {};

  void fill(tlm::tlm_generic_payload& payload);
};

/// A product of 33 x 21 x 128 and its expected result.
struct product_case {
  hardware::descriptor requested;
  std::vector<std::uint8_t> operands;  ///< in memory from address 0 on
  std::vector<std::uint32_t> d;
};
[[nodiscard]] product_case product_of(const char* model);

/// Registers after a product.
struct outcome {
  hardware::engine_status status = hardware::engine_status::idle;
  std::uint64_t cycles = 0, bytes = 0;

  friend bool operator==(const outcome&, const outcome&) = default;
};

/// Checks them after products one of whose matrices lies beyond memory, each after one that
/// succeeds.
void check_refused(const product_case& of,
                   const std::function<outcome(const hardware::descriptor&)>& multiply);

/// The descriptor's registers, followed by the doorbell.
[[nodiscard]] std::vector<std::uint64_t> words_of(const hardware::descriptor& requested);

/// D as stored in memory.
[[nodiscard]] std::vector<std::uint32_t> d_in(const hardware::tlm_memory& memory,
                                              const product_case& of);

}  // namespace systemc
