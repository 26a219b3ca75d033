// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/gemm_cases.h: operands of whole products, with their elements by the core.
#pragma once
#include <random>
#include <vector>

#include "mx/dot/bulk_gemm.h"

namespace tests {

/// Scale codes and addends of a case.
///   near     exponents that hardly differ, C is +0
///   spread   uniform exponents within +-8
///   far      anything within +-40, and the ends of the code now and then
///   any      every scale code, C of every kind
///   sparse   nearly all elements zero, most scales 0
enum class operand_kind { near, spread, far, any, sparse };
inline constexpr operand_kind operand_kinds[] = {operand_kind::near, operand_kind::spread,
                                                 operand_kind::far, operand_kind::any,
                                                 operand_kind::sparse};

/// A factor with a code a byte.
struct byte_lines {
  std::int64_t lines = 0, k = 0;
  std::vector<std::uint8_t> codes, scales;

  [[nodiscard]] mx::gemm_operand operand() const {
    return {codes.data(), mx::code_storage::bytes, k, scales.empty() ? nullptr : scales.data()};
  }
  [[nodiscard]] mx::dot_operand<std::uint8_t> line(std::int64_t i) const {
    const std::int64_t blocks = lines > 0 ? static_cast<std::int64_t>(scales.size()) / lines : 0;
    return {{codes.data() + i * k}, {scales.empty() ? nullptr : scales.data() + i * blocks}};
  }
};

/// The same lines with two codes a byte; an odd line ends with an unused code.
[[nodiscard]] inline std::vector<std::uint8_t> packed_lines(const byte_lines& from) {
  const std::int64_t bytes = (from.k + 1) / 2;
  std::vector<std::uint8_t> packed(static_cast<std::size_t>(from.lines * bytes), 0xF0);
  for (std::int64_t i = 0; i < from.lines; ++i) {
    for (std::int64_t k = 0; k < from.k; ++k) {
      std::uint8_t& byte = packed[static_cast<std::size_t>(i * bytes + k / 2)];
      const std::uint8_t code = from.codes[static_cast<std::size_t>(i * from.k + k)];
      byte =
          static_cast<std::uint8_t>(k % 2 == 0 ? (byte & 0xF0) | code : (byte & 0x0F) | code << 4);
    }
  }
  return packed;
}

[[nodiscard]] inline std::uint8_t draw_scale(const mx::format& f, operand_kind kind,
                                             std::mt19937& random) {
  const auto word = static_cast<std::uint32_t>(random());
  if (f.exponent_bits < 8) {
    const std::uint32_t codes = 1U << f.width();
    return static_cast<std::uint8_t>(kind == operand_kind::near ? codes / 3 + word % 16
                                                                : word % codes);
  }
  switch (kind) {
    case operand_kind::near:
      return static_cast<std::uint8_t>(125 + word % 4);
    case operand_kind::spread:
      return static_cast<std::uint8_t>(119 + word % 17);
    case operand_kind::far:
      return static_cast<std::uint8_t>(word % 64 != 0 ? 87 + word / 64 % 81 : word >> 24);
    case operand_kind::any:
      return static_cast<std::uint8_t>(word);
    case operand_kind::sparse:
      return static_cast<std::uint8_t>(word % 4 == 0 ? 120 + word / 4 % 8 : 0);
  }
  return 0;
}

[[nodiscard]] inline byte_lines draw_lines(const mx::format& element, const mx::dot_model& model,
                                           operand_kind kind, std::int64_t lines, std::int64_t k,
                                           std::mt19937& random) {
  byte_lines drawn{lines, k, std::vector<std::uint8_t>(static_cast<std::size_t>(lines * k)), {}};
  const std::uint32_t mask = (1U << element.width()) - 1;
  for (std::uint8_t& code : drawn.codes) {
    const bool zero = kind == operand_kind::sparse && random() % 16 != 0;
    code =
        static_cast<std::uint8_t>(zero ? random() % 2 << (element.width() - 1) : random() & mask);
  }
  if (model.block == 0) return drawn;
  drawn.scales.resize(static_cast<std::size_t>(lines * ((k + model.block - 1) / model.block)));
  for (std::uint8_t& scale : drawn.scales) scale = draw_scale(model.scale, kind, random);
  return drawn;
}

/// Bits of FP32 addends.
[[nodiscard]] inline std::vector<std::uint32_t> draw_addends(operand_kind kind, std::size_t count,
                                                             std::mt19937& random) {
  std::vector<std::uint32_t> c(count);
  if (kind == operand_kind::near || kind == operand_kind::spread) return c;
  for (std::uint32_t& bits : c) {
    const auto word = static_cast<std::uint32_t>(random());
    constexpr std::uint32_t some[] = {0, 0x80000000, 0x3F800000, 0x7F800000, 0xFF800000, 1};
    bits = kind == operand_kind::far ? 0x30000000 + (word & 0x9FFFFFFF) % 0x20000000
                                     : (word % 3 == 0 ? some[word / 4 % 6] : word);
  }
  return c;
}

}  // namespace tests
