// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/gguf_parts.h: GGUF files assembled byte by byte.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/io/gguf.h"

namespace test {

using golden::io::byte_view;
using golden::io::dtype;
using golden::io::tensor;

inline std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i, value /= 256) bytes += static_cast<char>(value % 256);
  return bytes;
}

inline std::string gguf_text(const std::string& words) {
  return little_endian(words.size(), 8) + words;
}

inline std::string gguf_note_of(const std::string& key, std::uint32_t kind,
                                const std::string& value) {
  return gguf_text(key) + little_endian(kind, 4) + value;
}

/// Extents as GGUF orders them: the fastest first.
inline std::string gguf_entry_of(const std::string& name, const std::vector<std::uint64_t>& extents,
                                 std::uint32_t type, std::uint64_t offset) {
  std::string bytes = gguf_text(name) + little_endian(extents.size(), 4);
  for (const std::uint64_t extent : extents) bytes += little_endian(extent, 8);
  return bytes + little_endian(type, 4) + little_endian(offset, 8);
}

struct gguf_parts {
  std::uint32_t version = 3;
  std::vector<std::string> notes, entries;
  std::size_t alignment = 32;
  std::string data;
};

inline std::string gguf_file_of(const gguf_parts& p) {
  std::string bytes = "GGUF" + little_endian(p.version, 4) + little_endian(p.entries.size(), 8) +
                      little_endian(p.notes.size(), 8);
  for (const std::string& piece : p.notes) bytes += piece;
  for (const std::string& piece : p.entries) bytes += piece;
  bytes.resize((bytes.size() + p.alignment - 1) / p.alignment * p.alignment);
  return bytes + p.data;
}

inline std::string numbered(std::size_t count) {
  std::string data(count, '\0');
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<char>(i % 251);
  return data;
}

/// MXFP4 of (2, 32), then NVFP4 of (1, 64), then F32 of (8).
inline gguf_parts good_gguf() {
  return {3,
          {gguf_note_of("general.name", 8, gguf_text("small"))},
          {gguf_entry_of("mx", {32, 2}, 39, 0), gguf_entry_of("nv", {64, 1}, 40, 64),
           gguf_entry_of("x", {8}, 0, 128)},
          32,
          numbered(160)};
}

inline golden::io::tensor_list parse_gguf(golden::io::byte_view bytes) {
  return golden::io::parse_gguf(bytes, "f");
}

inline golden::io::byte_view bytes_of(const std::string& contents) {
  return {reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size()};
}

}  // namespace test
