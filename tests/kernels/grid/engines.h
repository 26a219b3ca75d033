// SPDX-License-Identifier: Apache-2.0
// tests/kernels/grid/engines.h: asynchronous units beside the threads of a block on sm_90a:
// counting barriers, the copy engine, and the matrix instructions of four warps. They act as late
// or early as CUDA allows.
#pragma once
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <vector>

namespace kernels_test {

/// The engines of one block. Addresses in shared memory count from `first_address`.
///   copies    are made at once in blocks of even number, else only when a thread waits for them
///   products  read shared memory only when their thread waits for them; until then sums are noise
///   errors    std::logic_error for behaviour that CUDA leaves undefined
class engines {
 public:
  static constexpr std::uint32_t first_address = 1024;

  engines(std::uint64_t block, int threads)
      : is_late_(block % 2 == 1), warps_((threads + 31) / 32) {}

  void begin_counter(const void* counter, int arrivals);
  void arrive(const void* counter, int bytes);
  void copy(void* to, const void* from, std::size_t bytes, const void* counter);
  /// Whether the counter's phase of that parity has ended.
  [[nodiscard]] bool has_ended(const void* counter, int parity);

  /// A warp's products; its 32 threads report them one by one, in the same order.
  ///   sum, e4m3_sum  4 for each 8 lines of B: of bytes, or of E4M3; one of them is null
  struct product {
    std::uint64_t a = 0, b = 0;
    int columns = 0;
    std::int32_t* sum = nullptr;
    float* e4m3_sum = nullptr;
  };
  void fence(int thread);
  void multiply(int thread, const product& of);
  void commit(int thread);
  /// Whether all groups but the newest `newest` can end: all four warps have begun them.
  [[nodiscard]] bool can_end(int thread, int newest);
  ///   shared  where shared memory begins
  void end(int thread, int newest, const unsigned char* shared, std::size_t bytes);

 private:
  struct pending_copy {
    void* to;
    const void* from;
    std::size_t bytes;
  };
  struct counter {
    int arrivals = 0, missing = 0, phase = 0;
    std::int64_t bytes_missing = 0;
    std::vector<pending_copy> copies;
  };
  struct worker {
    bool is_fenced = false;
    std::size_t begun = 0;  ///< products since the kernel began
    std::vector<product> open;
    std::deque<std::vector<product>> groups;
  };

  counter& known(const void* at);
  static void make(counter& of);
  static void end_phase(counter& of);
  void expect_same(int thread, const product& of);

  bool is_late_;
  int warps_;
  std::map<const void*, counter> counters_;
  std::map<int, worker> workers_;
  std::map<int, std::vector<product>> begun_by_group_;
};

}  // namespace kernels_test
