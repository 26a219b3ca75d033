// SPDX-License-Identifier: Apache-2.0
// rtl_models/soc/system.h: a system on a chip: software, a DMA engine, main and local memory, and a
// tensor core, all on one bus.
#pragma once
#include <functional>

#include "rtl_models/soc/address_bus.h"
#include "rtl_models/soc/dma.h"
#include "rtl_models/systemc/tlm_memory.h"

// Requires SystemC's headers before it.
#include <tlm_utils/tlm_quantumkeeper.h>

namespace hardware {

/// Address map of the bus.
struct system_map {
  static constexpr std::uint64_t main = 0, main_size = std::uint64_t{1} << 26;
  static constexpr std::uint64_t local = std::uint64_t{1} << 32;
  static constexpr std::uint64_t local_size = std::uint64_t{1} << 25;
  static constexpr std::uint64_t dma = std::uint64_t{1} << 33;
  static constexpr std::uint64_t core = dma + 4096;
};

/// Cost of a product.
///   time    from its first register to its last byte of D in main memory
///   cycles  of the tensor core     core_bytes  that it read and wrote     dma_bytes  copied
struct product_cost {
  sc_core::sc_time time;
  std::uint64_t cycles = 0, core_bytes = 0, dma_bytes = 0;
};

/// Operands of a product, laid out as in `descriptor`.
struct product_operands {
  std::uint64_t m = 0, n = 0, k = 0;
  std::span<const std::uint8_t> a, b, scale_a, scale_b;
};

class soc : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(soc);
  explicit soc(const sc_core::sc_module_name& name, const engine_timing& timing = {});

  /// D of a product under a model of mx::model_table, C being +0; runs the simulation.
  ///   errors  std::runtime_error if a component refused, or memory is too small
  [[nodiscard]] std::vector<std::uint32_t> multiply(const char* model,
                                                    const product_operands& operands,
                                                    product_cost& cost);

 private:
  void run_software();
  /// The whole product, in the software's thread; errors are exceptions.
  void run(const descriptor& requested, std::uint64_t operand_bytes, product_cost& cost);
  void copy(std::uint64_t from, std::uint64_t to, std::uint64_t size);
  void write(std::uint64_t address, std::vector<std::uint64_t> words);
  [[nodiscard]] std::uint64_t read(std::uint64_t address);
  void wait_for_status(std::uint64_t address);
  void send(tlm::tlm_command command, std::uint64_t address, std::vector<std::uint64_t>& words);

  tlm_utils::simple_initiator_socket<soc> software_{"software"};
  address_bus bus_{"bus"};
  tlm_memory main_{"main", system_map::main_size};
  tlm_memory local_{"local", system_map::local_size, direct_memory::granted,
                    sc_core::sc_time(20, sc_core::SC_NS)};
  dma dma_{"dma"};
  tensor_core_lt core_;
  sc_core::sc_event requested_;
  std::function<void()> steps_;
  std::string failure_;
  tlm_utils::tlm_quantumkeeper keeper_;
};

}  // namespace hardware
