// SPDX-License-Identifier: Apache-2.0
// kernels/src/device/matrix_descriptor.h: the wgmma descriptor of a matrix in shared memory.
// Source: PTX ISA, "Asynchronous Warpgroup Level Matrix Shared Memory Layout", "Matrix Descriptor
// Format": without swizzling a matrix whose k runs along its lines consists of core matrices, 8
// contiguous lines of 16 bytes; all distances are multiples of 16 bytes.
#pragma once
#include <cstdint>

#include "mx/number/config.h"

namespace mx::kernels {

/// A matrix of bytes, 32 of k.
///   address      of the first core matrix, in shared memory
///   along_k      from the core matrix of the first 16 of k to that of the others, in bytes
///   along_lines  from the core matrix of 8 lines to that of the next 8, in bytes
struct placed_matrix {
  std::uint32_t address = 0, along_k = 0, along_lines = 0;

  friend constexpr bool operator==(const placed_matrix&, const placed_matrix&) = default;
};

inline constexpr int group_sums = 32;  // of a thread, where four warps multiply 64 lines by 64

inline constexpr std::uint32_t descriptor_field = 0x3FFF;  // of 16 bytes

[[nodiscard]] MX_HD constexpr std::uint64_t descriptor_of(const placed_matrix& matrix) noexcept {
  const auto field = [](std::uint32_t bytes, int place) {
    return static_cast<std::uint64_t>(bytes >> 4 & descriptor_field) << place;
  };
  return field(matrix.address, 0) | field(matrix.along_k, 16) | field(matrix.along_lines, 32);
}

/// The same matrix at a higher address in shared memory.
[[nodiscard]] MX_HD constexpr std::uint64_t moved(std::uint64_t descriptor,
                                                  std::uint32_t bytes) noexcept {
  return descriptor + bytes / 16;
}
/// The same with only the first 16 of k moved; the core matrices of the other 16 stay.
[[nodiscard]] MX_HD constexpr std::uint64_t first_moved(std::uint64_t descriptor,
                                                        std::uint32_t bytes) noexcept {
  return descriptor - std::uint64_t{bytes / 16} * 0xFFFF;
}

static_assert(descriptor_of({0x1230, 0x400, 0x80}) == 0x0000'0008'0040'0123);
static_assert(moved(descriptor_of({0x1230, 0x400, 0x80}), 0x800) ==
              descriptor_of({0x1A30, 0x400, 0x80}));
static_assert(first_moved(descriptor_of({0x1230, 0x4000, 0x80}), 0x800) ==
              descriptor_of({0x1A30, 0x3800, 0x80}));

}  // namespace mx::kernels
