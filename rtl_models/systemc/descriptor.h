// SPDX-License-Identifier: Apache-2.0
// rtl_models/systemc/descriptor.h: a tensor core's product request from software, and the registers
// that hold it.
#pragma once
#include <cstdint>

#include "mx/dot/accumulation.h"

namespace hardware {

/// Registers of 64 bits; register r is at address 8 * r.
///   a, b, scale_a, scale_b, c, d  addresses in memory; layouts as in `descriptor`
///   m, n, k                       D is (m, n)
///   model                         number of an entry of mx::model_table
///   doorbell                      any write starts the product; reads as 0
///   status, error, cycles, bytes  read-only: engine_status; product_error; of the last product:
///                                 the cycles of its multiplication, 0 if its operands could not be
///                                 read, and the bytes of the matrices that were moved
enum class engine_register : std::uint8_t {
  a,
  b,
  scale_a,
  scale_b,
  c,
  d,
  m,
  n,
  k,
  model,
  doorbell,
  status,
  error,
  cycles,
  bytes,
};
inline constexpr int engine_registers = 15;
inline constexpr int register_bytes = 8;

[[nodiscard]] constexpr std::uint64_t address_of(engine_register r) {
  return static_cast<std::uint64_t>(r) * register_bytes;
}

enum class engine_status : std::uint8_t { idle, busy, done, failed };

enum class product_error : std::uint8_t {
  none,
  model,      ///< out of range, or without blocks, with elements above 8 bits, not to FP32
  shape,      ///< a size is 0, k is not a multiple of 64, or a matrix is above `largest_matrix`
  alignment,  ///< codes to 32 bytes, scales to 2, C and D to 4
  busy,       ///< a product is in progress
  bus,        ///< memory refused an access
};

/// Contents of the request registers. In memory:
///   a, b              (m, k) and (n, k), line by line; two 4-bit codes a byte, the first in the
///                     low bits, wider ones a byte each
///   scale_a, scale_b  k / block bytes a line
///   c, d              (m, n), row by row, 32 bits each, the lowest byte first
struct descriptor {
  static constexpr std::uint64_t no_matrix = ~std::uint64_t{0};            ///< as c: +0 everywhere
  static constexpr std::uint64_t largest_matrix = std::uint64_t{1} << 26;  ///< elements

  std::uint64_t a = 0, b = 0, scale_a = 0, scale_b = 0, c = no_matrix, d = 0;
  std::uint64_t m = 0, n = 0, k = 0;
  std::uint64_t model = 0;
};

/// The reason why tensor cores refuse the product.
[[nodiscard]] product_error refusal_of(const descriptor& requested);

/// The requested model; requires refusal_of to be none.
[[nodiscard]] const mx::dot_model& model_of(const descriptor& requested);

/// Number of a model in mx::model_table; -1 for an unknown name.
[[nodiscard]] int model_number(const char* name);

}  // namespace hardware
