// SPDX-License-Identifier: Apache-2.0
// golden/bindings/arguments.h: what callers give, checked before anything reads or writes it.
#pragma once
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "golden/bindings/guard.h"
#include "mxprism/tensor.h"

namespace bindings {

/// No size of anything reaches this, so that sums of a few sizes cannot overflow.
inline constexpr std::uint64_t size_limit = std::uint64_t{1} << 60;

/// The product.
///   errors  mxp_status_bad_argument where it is size_limit or more
[[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b);

/// Refuses a structure whose size no caller can have meant.
///   known  bytes of it that this library knows; a later one may have more
void expect_struct_size(std::uint64_t struct_size, std::uint64_t known, const char* name);

/// Refuses bytes behind what this library knows that are not 0: they ask for what it cannot do.
void expect_zeros(const void* structure, std::uint64_t known, std::uint64_t struct_size,
                  const char* name);

/// A copy of a structure that a caller filled in.
template <class T>
[[nodiscard]] T read(const T* structure, const char* name) {
  if (structure == nullptr) {
    throw refused(mxp_status_bad_argument, std::string(name) + " is null");
  }
  std::uint64_t size = 0;
  std::memcpy(&size, structure, sizeof size);
  expect_struct_size(size, sizeof(T), name);
  expect_zeros(structure, sizeof(T), size, name);
  return *structure;
}

/// Fills in a structure of a caller, which said its size.
template <class T>
void write(T* structure, T content, const char* name) {
  if (structure == nullptr) {
    throw refused(mxp_status_bad_argument, std::string(name) + " is null");
  }
  expect_struct_size(structure->struct_size, sizeof(T), name);
  content.struct_size = structure->struct_size;
  *structure = content;
}

/// Refuses a buffer that has not exactly so many bytes, or none where it needs some.
void expect_bytes(const void* data, std::uint64_t bytes, std::uint64_t expected, const char* name);
inline void expect_bytes(const mxp_buffer& buffer, std::uint64_t expected, const char* name) {
  expect_bytes(buffer.data, buffer.bytes, expected, name);
}

/// Refuses words that do not lie at a multiple of their size.
void expect_aligned(const void* data, std::uint64_t size, const char* name);

/// FP32 numbers of a buffer of any alignment.
[[nodiscard]] std::vector<float> floats_of(const mxp_buffer& buffer);

}  // namespace bindings
