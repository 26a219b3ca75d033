// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/product_job.h: a product from memory to memory: reads and multiplies operands,
// and writes D, over any bus.
#pragma once
#include <span>
#include <vector>

#include "rtl_models/systemc/descriptor.h"

namespace hardware {

/// A bus to memory.
class memory_port {
 public:
  virtual ~memory_port() = default;

  /// false: the memory refused.
  [[nodiscard]] virtual bool read(std::uint64_t address, std::span<std::uint8_t> to) = 0;
  [[nodiscard]] virtual bool write(std::uint64_t address, std::span<const std::uint8_t> from) = 0;
};

/// The phases of one product, in order. Requires an accepted descriptor.
class product_job {
 public:
  explicit product_job(const descriptor& requested) : requested_(requested) {}

  /// Reads A, B, their scales, and C.
  [[nodiscard]] bool fetch(memory_port& memory);
  void compute();
  /// Writes D.
  [[nodiscard]] bool store(memory_port& memory);

  /// Whether D was computed.
  [[nodiscard]] bool is_computed() const { return !d_.empty(); }
  /// unit: bytes; total of the matrices that were read and written so far.
  [[nodiscard]] std::uint64_t bytes() const { return moved_; }
  [[nodiscard]] const descriptor& requested() const { return requested_; }

 private:
  [[nodiscard]] bool read(memory_port& memory, std::uint64_t address, std::span<std::uint8_t> to);

  descriptor requested_;
  std::uint64_t moved_ = 0;
  std::vector<std::uint8_t> a_, b_, scale_a_, scale_b_;
  std::vector<std::uint32_t> c_, d_;
};

}  // namespace hardware
