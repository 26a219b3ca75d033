// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/grid.h: a grid of CUDA threads on the CPU, so that a kernel's body runs
// unchanged as on a device: the threads of a block are fibers, which switch at exchanges and
// barriers; the blocks are distributed over processors.
#pragma once
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

namespace kernels_test {

class running_block;

/// The value that a lane exchanges with its warp.
using lane_words = std::array<std::uint32_t, 8>;

/// The CPU counterpart of mx::kernels::device_thread.
class host_thread {
 public:
  host_thread(running_block& of, int index) : of_(of), index_(index) {}

  [[nodiscard]] std::uint64_t block() const;
  [[nodiscard]] int index() const { return index_; }
  [[nodiscard]] int block_size() const;
  [[nodiscard]] std::uint32_t exchange(std::uint32_t value, int mask) const;
  void warp_barrier() const { static_cast<void>(exchange(0, 1)); }
  void barrier() const;

  /// The values that all lanes of the warp exchange in this call.
  [[nodiscard]] std::array<lane_words, 32> all_words(const lane_words& own) const;
  /// Yields until other warps have made the condition true, the same in all threads of the warp.
  void wait_until(const std::function<bool()>& condition) const;
  /// Offset of an object in the block's shared memory.
  [[nodiscard]] std::uint32_t shared_offset(const void* of) const;

  // The interface of mx::kernels::device_thread.
  [[nodiscard]] std::int32_t unknown(std::int32_t value) const { return value; }
  void mma_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
               std::uint32_t b1, std::int32_t start) const;
  void mma_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t b,
               std::int32_t start) const;
  void any_k32(std::int32_t (&sum)[4], const std::uint32_t (&a)[4], std::uint32_t b0,
               std::uint32_t b1) const;
  void any_k16(std::int32_t (&sum)[4], std::uint32_t a0, std::uint32_t a1, std::uint32_t b) const;
  [[nodiscard]] std::uint32_t united(std::uint32_t word) const;
  void add_to(std::uint64_t* number, std::uint32_t more) const {
    std::atomic_ref(*number).fetch_add(more);
  }
  template <class T>
  void copy_later(T* to, const T* from) const {
    static_assert(sizeof(T) == 16);
    copy_bytes_later(to, from);
  }
  void commit_copies() const;
  template <int Newest>
  void wait_for_copies() const {
    wait_for_copies_but(Newest);
  }

  template <class T>
  [[nodiscard]] T* shared() const {
    return static_cast<T*>(shared_memory());
  }

  // The interface of mx::kernels::warpgroup_thread; see engines.h.
  [[nodiscard]] int uniform(int value) const { return value; }
  [[nodiscard]] std::uint32_t shared_address(const void* at) const;
  void show_to_engines() const {}
  void begin_counter(std::uint64_t* counter, int arrivals) const;
  void arrive(std::uint64_t* counter) const { arrive_expecting(counter, 0); }
  void arrive_expecting(std::uint64_t* counter, int bytes) const;
  void copy_counted(void* to, const void* from, int bytes, std::uint64_t* counter) const;
  void wait_for_phase(std::uint64_t* counter, int parity) const;
  void begin_products() const;
  void commit_products() const;
  void multiply_64(std::int32_t (&sum)[32], std::uint64_t a, std::uint64_t b) const {
    multiply(sum, 64, a, b);
  }
  void multiply_64(float (&sum)[32], std::uint64_t a, std::uint64_t b) const {
    multiply(sum, 64, a, b);
  }
  template <int First, class Number>
  void multiply_32(Number (&sum)[32], std::uint64_t a, std::uint64_t b) const {
    multiply(sum + First, 32, a, b);
  }
  template <int Newest, class Number>
  void wait_for_products(Number (&)[32]) const {
    wait_for_products_but(Newest);
  }

 private:
  void multiply(std::int32_t* sum, int columns, std::uint64_t a, std::uint64_t b) const;
  void multiply(float* sum, int columns, std::uint64_t a, std::uint64_t b) const;
  void wait_for_products_but(int newest) const;
  [[nodiscard]] void* shared_memory() const;
  void copy_bytes_later(void* to, const void* from) const;
  void wait_for_copies_but(int newest) const;

  running_block& of_;
  int index_;
};

/// Launch configuration: blocks, threads a block, bytes of shared memory a block.
struct grid_shape {
  std::uint64_t blocks = 0;
  int threads = 0;
  std::size_t shared_bytes = 0;
};

/// Runs a body in every thread. Shared memory begins with arbitrary bytes.
///   copies  are made only when their thread waits for them
///   errors  std::logic_error if the threads of a warp do not meet at an exchange, or those of a
///           block at a barrier, which is undefined on a device; and if all warps yield to each
///           other without end
void run_grid(const grid_shape& shape, const std::function<void(const host_thread&)>& body);

}  // namespace kernels_test
