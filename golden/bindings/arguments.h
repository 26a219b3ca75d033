// SPDX-License-Identifier: Apache-2.0
// golden/bindings/arguments.h: validation of caller arguments before anything reads or writes them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "golden/bindings/guard.h"
#include "mxprism/mxprism.h"

namespace bindings {

/// Exclusive upper limit of every size, so that sums of a few sizes cannot overflow.
inline constexpr std::uint64_t size_limit = std::uint64_t{1} << 60;

/// a * b.
///   errors  mx_status_bad_argument if it is size_limit or more
[[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b);

/// Bytes of a structure as first published, which callers compiled at that time still pass.
template <class T>
inline constexpr std::uint64_t first_size = 0;
template <>
inline constexpr std::uint64_t first_size<mx_coded> = 136;
template <>
inline constexpr std::uint64_t first_size<mx_format_facts> = 48;
template <>
inline constexpr std::uint64_t first_size<mx_energy> = 168;
template <>
inline constexpr std::uint64_t first_size<mx_model_facts> = 56;
template <>
inline constexpr std::uint64_t first_size<mx_words> = 120;
template <>
inline constexpr std::uint64_t first_size<mx_tile> = 208;
template <>
inline constexpr std::uint64_t first_size<mx_plan> = 48;
template <>
inline constexpr std::uint64_t first_size<mx_product> = 160;
template <>
inline constexpr std::uint64_t first_size<mx_search> = 16;
template <>
inline constexpr std::uint64_t first_size<mx_verdict_facts> = 104;
template <>
inline constexpr std::uint64_t first_size<mx_explanation> = 56;
template <>
inline constexpr std::uint64_t first_size<mx_change> = 32;
template <>
inline constexpr std::uint64_t first_size<mx_difference> = 96;
template <>
inline constexpr std::uint64_t first_size<mx_candidate> = 64;
template <>
inline constexpr std::uint64_t first_size<mx_distinction> = 40;
template <>
inline constexpr std::uint64_t first_size<mx_bound> = 40;
template <>
inline constexpr std::uint64_t first_size<mx_breach> = 64;

/// The size of a structure according to its caller.
///   errors  mx_status_bad_argument for null and for an impossible size
[[nodiscard]] std::uint64_t struct_size_of(const void* structure, std::uint64_t first,
                                           const char* name);

/// Refuses nonzero bytes beyond the known structure: they request an unsupported feature.
void expect_zeros(const void* structure, std::uint64_t known, std::uint64_t size, const char* name);

/// Copies a structure filled in by a caller; members missing from an older one are 0.
template <class T>
[[nodiscard]] T read(const T* structure, const char* name) {
  static_assert(first_size<T> > 0 && first_size<T> <= sizeof(T));
  const std::uint64_t size = struct_size_of(structure, first_size<T>, name);
  T copy = {};
  std::memcpy(&copy, structure, std::min<std::uint64_t>(size, sizeof(T)));
  expect_zeros(structure, sizeof(T), size, name);
  return copy;
}

/// Fills in the members that both the caller's structure and this library have.
template <class T>
void write(T* structure, T content, const char* name) {
  static_assert(first_size<T> > 0 && first_size<T> <= sizeof(T));
  const std::uint64_t size = struct_size_of(structure, first_size<T>, name);
  content.struct_size = size;
  std::memcpy(structure, &content, std::min<std::uint64_t>(size, sizeof(T)));
}

/// Refuses a buffer without exactly the expected bytes, and null if any are expected.
void expect_bytes(const void* data, std::uint64_t bytes, std::uint64_t expected, const char* name);
inline void expect_bytes(const mx_buffer& buffer, std::uint64_t expected, const char* name) {
  expect_bytes(buffer.data, buffer.bytes, expected, name);
}

/// Refuses words that are not aligned to their size.
void expect_aligned(const void* data, std::uint64_t size, const char* name);

/// FP32 numbers of a buffer of any alignment.
[[nodiscard]] std::vector<float> floats_of(const mx_buffer& buffer);

}  // namespace bindings
