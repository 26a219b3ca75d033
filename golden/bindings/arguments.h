// SPDX-License-Identifier: Apache-2.0
// golden/bindings/arguments.h: validation of caller arguments before anything reads or writes them.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "golden/bindings/guard.h"
#include "mx/block/names.h"
#include "mx/tensor/coded_shape.h"
#include "mxprism/mxprism.h"

namespace bindings {

/// Exclusive upper limit of every size.
using mx::size_limit;

/// a * b.
///   errors  mx_status_bad_argument if it is size_limit or more
[[nodiscard]] std::uint64_t product(std::uint64_t a, std::uint64_t b);

/// A structure's name, and its bytes as first published, which callers compiled then still pass.
struct publication {
  const char* name;
  std::uint64_t first_size;
};
constexpr publication published(const mx_coded*) { return {"mx_coded", 136}; }
constexpr publication published(const mx_format_facts*) { return {"mx_format_facts", 48}; }
constexpr publication published(const mx_energy*) { return {"mx_energy", 168}; }
constexpr publication published(const mx_model_facts*) { return {"mx_model_facts", 56}; }
constexpr publication published(const mx_words*) { return {"mx_words", 120}; }
constexpr publication published(const mx_tile*) { return {"mx_tile", 208}; }
constexpr publication published(const mx_plan*) { return {"mx_plan", 48}; }
constexpr publication published(const mx_product*) { return {"mx_product", 160}; }
constexpr publication published(const mx_search*) { return {"mx_search", 16}; }
constexpr publication published(const mx_verdict_facts*) { return {"mx_verdict_facts", 104}; }
constexpr publication published(const mx_explanation*) { return {"mx_explanation", 56}; }
constexpr publication published(const mx_change*) { return {"mx_change", 32}; }
constexpr publication published(const mx_difference*) { return {"mx_difference", 96}; }
constexpr publication published(const mx_places*) { return {"mx_places", 288}; }
constexpr publication published(const mx_candidate*) { return {"mx_candidate", 64}; }
constexpr publication published(const mx_distinction*) { return {"mx_distinction", 40}; }
constexpr publication published(const mx_bound*) { return {"mx_bound", 40}; }
constexpr publication published(const mx_breach*) { return {"mx_breach", 64}; }
template <class T>
inline constexpr publication publication_of = published(static_cast<const T*>(nullptr));

/// The size of a structure according to its caller.
///   errors  mx_status_bad_argument for null and for an impossible size
[[nodiscard]] std::uint64_t struct_size_of(const void* structure, const publication& known);

/// Refuses nonzero bytes beyond the known structure: they request an unsupported feature.
void expect_zeros(const void* structure, std::uint64_t known, std::uint64_t size, const char* name);

/// Copies a structure filled in by a caller; members missing from an older one are 0.
template <class T>
[[nodiscard]] T read(const T* structure) {
  static_assert(publication_of<T>.first_size <= sizeof(T));
  const std::uint64_t size = struct_size_of(structure, publication_of<T>);
  T copy = {};
  std::memcpy(&copy, structure, std::min<std::uint64_t>(size, sizeof(T)));
  expect_zeros(structure, sizeof(T), size, publication_of<T>.name);
  return copy;
}

/// Fills in the members that both the caller's structure and this library have.
template <class T>
void write(T* structure, T content) {
  static_assert(publication_of<T>.first_size <= sizeof(T));
  const std::uint64_t size = struct_size_of(structure, publication_of<T>);
  content.struct_size = size;
  std::memcpy(structure, &content, std::min<std::uint64_t>(size, sizeof(T)));
}

/// The body of an exported function that fills in a structure.
///   content  a function that returns it
template <class T, class Content>
[[nodiscard]] mx_status described(T* structure, mx_error* error, const Content& content) noexcept {
  return guarded(error, [&] { write(structure, content()); });
}

/// The core's value of a C enumerator.
template <class T, std::size_t Count>
T chosen(const T (&values)[Count], std::int32_t number, const char* sentence) {
  require(number >= 0 && static_cast<std::size_t>(number) < Count, sentence);
  return values[number];
}

/// The value that an enumerator of C has in a table of names, whose order is the enumerators'.
template <class T, std::size_t Count>
T chosen(const std::array<mx::named<T>, Count>& table, std::int32_t number, const char* sentence) {
  require(number >= 0 && static_cast<std::size_t>(number) < Count, sentence);
  return table[static_cast<std::size_t>(number)].value;
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
