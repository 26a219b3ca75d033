// SPDX-License-Identifier: Apache-2.0
// mx/dot/bulk_gemm.h: whole products under a model of a tensor core; threaded, vectorized, and
// equal to mx::gemm_element for every element bit for bit.
// Products of E2M1 blocks under `fp32.sequential`, `blackwell.mxf4` and `blackwell.mxf4nvf4` have
// kernels of their own. So have chains of steps, whatever the model's name: a truncated fused sum,
// a sum with a sticky bit, one with a late addend, exact steps, FP32 steps that flush subnormals.
// Of every other model, elements in which nothing can be rounded or cut are exact sums, which have
// kernels too; the rest is mx::dot itself, on all threads.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "mx/dot/gemm.h"
#include "mx/dot/models.h"

namespace mx {

/// How codes lie in memory.
///   pairs           of 4 bits, two a byte, the first in the low bits; a line begins with a byte
///   bytes           one a byte          halves, words   16 and 32 bits, in native byte order
enum class code_storage : std::uint8_t { pairs, bytes, halves, words };

/// A factor of a product: lines of codes along k, which are rows of A, columns of B.
///   codes        at least K a line; line i begins at codes + i * line_bytes
///   scales       ceil(K / block) a line, line after line; null if the model has no blocks
struct gemm_operand {
  const void* codes = nullptr;
  code_storage storage = code_storage::bytes;
  std::int64_t line_bytes = 0;
  const std::uint8_t* scales = nullptr;
};

/// A is (m, k), B is (k, n), C and D are (m, n).
struct gemm_shape {
  std::int64_t m = 0, n = 0, k = 0;
};

/// Called repeatedly with the number of elements of D finished since the last call, from any
/// thread.
using elements_done = std::function<void(std::uint64_t)>;

/// Computes D of a plan.
///   c       (m, n), row-major, bits of plan.model.sum.result; null: +0 everywhere
///   d       (m, n), row-major, bits of plan.output; may be c
///   errors  throws std::invalid_argument for refusal_of(plan), a negative size, a k above 2^30, a
///           null pointer, codes or scales wider than their storage
void gemm(const gemm_plan& plan, const gemm_shape& shape, const gemm_operand& a,
          const gemm_operand& b, const std::uint32_t* c, std::uint32_t* d,
          const elements_done& done = {});

/// Steps of products and words that the kernels of steps have left to mx::dot since the program
/// began: those with Inf, NaN, -0 or subnormal sums, and those whose sums may not fit a lane.
[[nodiscard]] std::uint64_t steps_left_to_core() noexcept;

/// Methods of adding products available on this machine under the chosen instruction set, best
/// first: "AMX" (matrices of bfloat16, which hold elements and their scales), "VNNI" (four products
/// of bytes by one instruction), "pairs" (by three); empty without a kernel.
[[nodiscard]] std::vector<std::string> dot_instructions();

/// Restricts products to `name`, one of dot_instructions(); an empty name lifts the restriction.
/// Must not be called while a product is being computed.
void use_dot_instruction(const std::string& name);

}  // namespace mx
