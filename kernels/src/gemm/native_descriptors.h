// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/native_descriptors.h: tcgen05's descriptors of its operands, as numbers.
// Source: PTX ISA, "tcgen05: Shared memory descriptor", "Instruction descriptor for .kind::mxf4 and
// .kind::mxf4nvf4", "Scale Factor A ID", "Tensor Memory Addressing".
#pragma once
#include "gemm/native_lines.h"

namespace mx::kernels {

inline constexpr int tensor_rows = 128, tensor_columns = 256;  // of D in one instruction
inline constexpr int tensor_memory_columns = 512;              // of 128 lanes of 32 bits

/// A matrix in shared memory: core matrices of 8 lines of 16 bytes, K-major, not swizzled.
///   address  of the first; a multiple of 16
///   leading  bytes to the next core matrix along k      stride  bytes to the next 8 lines
[[nodiscard]] MX_HD constexpr std::uint64_t tensor_descriptor(std::uint32_t address, int leading,
                                                              int stride) noexcept {
  const auto field = [](std::uint32_t bytes) -> std::uint64_t { return (bytes & 0x3FFFF) >> 4; };
  constexpr std::uint64_t version = 1;
  return field(address) | field(static_cast<std::uint32_t>(leading)) << 16 |
         field(static_cast<std::uint32_t>(stride)) << 32 | version << 46;
}

/// Codes of a step as native_layout::core_matrices lays them out.
[[nodiscard]] MX_HD constexpr std::uint64_t codes_descriptor(std::uint32_t address) noexcept {
  return tensor_descriptor(address, 128, 256);
}
/// Words of scales of 128 lines: 32 times 16 bytes, one core matrix wide.
[[nodiscard]] MX_HD constexpr std::uint64_t scales_descriptor(std::uint32_t address) noexcept {
  return tensor_descriptor(address, 0, 128);
}

/// Formats of scales, as an instruction's descriptor encodes them.
enum class scale_type : std::uint8_t { ue4m3, ue8m0 };

/// An instruction with scales: tensor_rows by `columns`, neither negated nor transposed.
///   type         of A and B, encoded per kind: E2M1 is 1 for mxf4 and mxf4nvf4
///   first_scale  first byte read from a word of scales
struct scaled_operands {
  std::uint32_t type;
  scale_type scales;
  int first_scale, columns;
};
[[nodiscard]] MX_HD constexpr std::uint32_t scaled_instruction(const scaled_operands& of) noexcept {
  const auto id = static_cast<std::uint32_t>(of.first_scale);
  return id << 4 | of.type << 7 | of.type << 10 | static_cast<std::uint32_t>(of.columns / 8) << 17 |
         static_cast<std::uint32_t>(of.scales) << 23 |
         static_cast<std::uint32_t>(tensor_rows / 128) << 27 | id << 29;
}

/// E2M1, all columns.
///   first_scale  0, or for mxf4 2
[[nodiscard]] MX_HD constexpr std::uint32_t native_instruction(native_kind kind,
                                                               int first_scale) noexcept {
  const auto scales = kind == native_kind::mxf4 ? scale_type::ue8m0 : scale_type::ue4m3;
  return scaled_instruction({1, scales, first_scale, tensor_columns});
}

/// A cell of tensor memory, relative to an allocation.
[[nodiscard]] MX_HD constexpr std::uint32_t tensor_address(std::uint32_t base, int lane,
                                                           int column) noexcept {
  return base + (static_cast<std::uint32_t>(lane) << 16) + static_cast<std::uint32_t>(column);
}

/// Columns of tensor memory: those of D, then for every stage those of B's scales, then those of
/// A's; four columns for 128 lines' words: line l in lane l mod 32, replicated in the other three
/// quarters, column l / 32.
template <native_kind Kind, int Stages>
struct tensor_columns_of {
  static constexpr int words = native_scale_words(Kind);
  static constexpr int a_word = tensor_rows / 32, b_word = tensor_columns / 32;
  static constexpr int count = tensor_columns + Stages * words * (a_word + b_word);
  static_assert(count <= tensor_memory_columns);

  [[nodiscard]] static MX_HD constexpr int scales_of_b(int stage, int word) noexcept {
    return tensor_columns + (stage * words + word) * b_word;
  }
  [[nodiscard]] static MX_HD constexpr int scales_of_a(int stage, int word) noexcept {
    return scales_of_b(Stages, 0) + (stage * words + word) * a_word;
  }
};

static_assert(codes_descriptor(0x1000) == 0x0000'4010'0008'0100);
static_assert(native_instruction(native_kind::mxf4, 2) == 0x4880'04A0 + (32U << 17));
static_assert(tensor_address(0, 32, 7) == 0x0020'0007);

}  // namespace mx::kernels
