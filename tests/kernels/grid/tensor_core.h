// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/tensor_core.h: tcgen05 for a block of threads on the CPU: tensor memory,
// barriers of asynchronous work, and instructions that decode their descriptors as the PTX manual
// defines them. Asynchronous work is done as early or as late as a device may, by the block's
// number.
#pragma once
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <vector>

#include "gemm/native_descriptors.h"

namespace kernels_test {

/// When asynchronous work is done: as soon as it is started, or not before a thread waits for it.
struct moments {
  enum class moment : std::uint8_t { early, late } copies, instructions;
};

/// One instruction's operands, as in tcgen05.mma.
struct tensor_operands {
  std::uint32_t d;
  std::uint64_t a, b;
  std::uint32_t instruction, scales_a, scales_b;
};

class tensor_core {
 public:
  explicit tensor_core(moments when);

  /// Start address of the block's shared memory.
  void use_shared(const std::uint8_t* first) { shared_ = first; }

  // Barriers, by their address.
  void begin_barrier(const void* barrier);
  void expect_bytes(const void* barrier, std::uint32_t bytes);
  /// Does the work that the barrier waits for, if any is left; returns whether its phase is over.
  [[nodiscard]] bool poll(const void* barrier, int parity);
  void copy_bulk(void* to, const void* from, std::size_t bytes, const void* barrier);

  void allot(std::uint32_t& base);
  void release(std::uint32_t base);
  [[nodiscard]] bool is_allotted() const { return allotted_; }
  /// Called by a thread in a warp.
  void load(int thread, std::uint32_t* to, std::uint32_t from, int columns);
  void store(int thread, std::uint32_t to, const std::uint32_t* from, int columns);
  void wait_for_loads(int thread);
  void wait_for_stores(int thread);

  void copy_scales(std::uint32_t to, std::uint64_t from);
  template <mx::kernels::native_kind Kind>
  void multiply(const tensor_operands& operands);
  void commit(const void* barrier);

 private:
  struct barrier_state {
    int pending = 1, phase = 0;
    std::int64_t bytes = 0;
  };
  struct pending_copy {
    void* to;
    const void* from;
    std::size_t bytes;
    const void* barrier;
  };
  /// A null barrier: an instruction; else a commit.
  struct started {
    std::function<void()> run;
    const void* barrier;
  };
  struct pending_cells {
    std::uint32_t address;
    std::uint32_t* to;
    std::vector<std::uint32_t> from;
  };

  struct scaled_line {
    std::uint8_t codes[64], scales[4];
  };

  void end_phase_if_over(barrier_state& barrier);
  void arrive(const void* barrier);
  void run_copies(const void* barrier);
  void run_instructions(const void* up_to);
  void start(std::function<void()> run, const void* barrier);
  [[nodiscard]] std::uint32_t& cell(std::uint32_t address, int lane, int column);
  [[nodiscard]] std::uint8_t scale(std::uint32_t address, int line, int byte);
  [[nodiscard]] std::vector<scaled_line> lines_of(std::uint64_t codes, std::uint32_t scales,
                                                  int count, int first, int blocks);
  template <mx::kernels::native_kind Kind>
  void multiply_now(const tensor_operands& operands);

  moments when_;
  const std::uint8_t* shared_ = nullptr;
  std::vector<std::uint32_t> cells_;
  bool allotted_ = false;
  std::map<const void*, barrier_state> barriers_;
  std::vector<pending_copy> copies_;
  std::deque<started> started_;
  std::map<int, std::vector<pending_cells>> loads_, stores_;
};

}  // namespace kernels_test
