// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/code_view.h: codes of a tensor as numbers, whatever their width in the file.
#pragma once
#include <bit>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>
#include <string>

#include "golden/io/owned_tensor.h"
#include "mx/number/format.h"

namespace sim::cli {

/// Codes of 4 (two a byte, low nibble first), 8, 16 or 32 bits, little-endian.
class code_view {
 public:
  code_view() = default;
  explicit code_view(const golden::io::tensor& t);

  [[nodiscard]] std::uint32_t operator[](std::uint64_t i) const;
  /// Codes [first, first + count).
  template <class Code>
  void copy(std::uint64_t first, std::uint64_t count, Code* out) const {
    if (bits_ == 8 * sizeof(Code)) {
      if (count > 0) std::memcpy(out, first_ + first * sizeof(Code), count * sizeof(Code));
      return;
    }
    for (std::uint64_t i = 0; i < count; ++i) out[i] = static_cast<Code>((*this)[first + i]);
  }
  /// Code `first` and those after it where the file has them as this type, aligned; else null.
  template <class Code>
  [[nodiscard]] const Code* in_place(std::uint64_t first) const {
    const auto address = reinterpret_cast<std::uintptr_t>(first_);
    if (bits_ != 8 * sizeof(Code) || address % alignof(Code) != 0 || first_ == nullptr) {
      return nullptr;
    }
    return reinterpret_cast<const Code*>(first_) + first;
  }
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] unsigned bits() const { return bits_; }
  /// The first of `count` codes with more bits than `width`; `count` if there is none. Threaded.
  [[nodiscard]] std::uint64_t first_wider(unsigned width, std::uint64_t count) const;

 private:
  [[nodiscard]] std::uint64_t first_wider(unsigned width, std::uint64_t first,
                                          std::uint64_t end) const;

  static_assert(std::endian::native == std::endian::little,
                "codes are copied as they lie in files");
  const std::uint8_t* first_ = nullptr;
  unsigned bits_ = 8;
};

/// The unsigned type that holds codes of a format.
[[nodiscard]] golden::io::dtype container_of(const mx::format& f);

/// The format of elements of a type; no value where the type is only a width.
[[nodiscard]] std::optional<mx::format> format_of(golden::io::dtype type);

/// The type of a format's elements in a file: its own, U8 for other elements of up to 8 bits.
[[nodiscard]] golden::io::dtype type_of(const mx::format& f);

/// Codes as they lie in a tensor of a type of whole bytes.
[[nodiscard]] golden::io::byte_buffer code_bytes(std::span<const std::uint32_t> codes,
                                                 golden::io::dtype type);

/// Refuses (file_error) a tensor whose type cannot hold codes of a format, or has another; accepts
/// U8 up to 8 bits, U16 up to 16, else U32; or the type of the format itself.
void expect_codes_of(const golden::io::tensor& t, const mx::format& f, const std::string& name);

/// Refuses (file_error) codes with more bits than the format has.
///   count  codes of the tensor
void expect_narrow(const golden::io::tensor& t, std::uint64_t count, const mx::format& f,
                   const std::string& name);

}  // namespace sim::cli
