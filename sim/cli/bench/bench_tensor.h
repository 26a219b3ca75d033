// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/bench_tensor.h: the input of the benches of blocks, and their time beside that of a
// pass over memory.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <new>
#include <vector>

#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {

/// Line-aligned memory, touched once so that every page is mapped.
template <class T>
class lines {
 public:
  explicit lines(std::uint64_t count)
      : memory_(static_cast<T*>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096)),
                std::free) {
    if (memory_ == nullptr) throw std::bad_alloc();
    std::fill_n(memory_.get(), count, T{});
  }
  [[nodiscard]] T* get() const { return memory_.get(); }

 private:
  std::unique_ptr<T, void (*)(void*)> memory_;
};

/// N(0, 1), with the same bits on every run.
struct bench_tensor {
  static constexpr std::uint64_t elements = std::uint64_t{64} << 20;  ///< 256 MiB of FP32
  /// A part that no cache holds.
  static constexpr std::uint64_t large_part = elements / 4;

  lines<float> x{elements}, values{elements};
  lines<std::uint8_t> codes{elements / 2 + elements / 32}, scales{elements / 32};

  bench_tensor();
  [[nodiscard]] static const bench_tensor& shared();
};

inline constexpr int block_rounds = 9;

[[nodiscard]] inline double gigabytes(std::uint64_t count, double seconds) {
  return static_cast<double>(count * sizeof(float)) / seconds * 1e-9;
}

/// Median seconds of each work, interleaved with one another and with the yardstick.
[[nodiscard]] std::vector<double> by_turns(const std::vector<std::function<void()>>& works,
                                           memory_yardstick& yardstick);

}  // namespace sim::cli
