// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_header.h: what a GGUF file says before its data.
// Source: ggml, docs/gguf.md, "File Structure": gguf_header_t, gguf_tensor_info_t.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/io/gguf_note.h"

namespace golden::io {

/// What the file says of one tensor; nothing of it is compared with the data yet.
struct gguf_entry {
  std::string name;
  std::uint32_t type = 0;
  std::vector<std::uint64_t> shape;  ///< the last axis fastest, as everywhere here
  std::uint64_t offset = 0;          ///< bytes from the start of the data
  std::uint64_t byte = 0;            ///< of the file, where it is described
};

struct gguf_header {
  std::vector<gguf_note> notes;     ///< in the order of the file
  std::vector<gguf_entry> entries;  ///< in the order of the file
  std::uint64_t alignment = 32;     ///< of the data, and of each tensor in it
  std::uint64_t data = 0;           ///< where the data begins; beyond the file where there is none
};

/// The note that says an alignment other than the usual one.
inline const std::string alignment_key = "general.alignment";

/// Reads versions 2 and 3, which differ in nothing but that 3 may be big-endian; that is refused.
///   errors  file_error that names the field and what was expected
[[nodiscard]] gguf_header parse_gguf_header(byte_view file, const std::string& source);

/// The next multiple of an alignment, a power of two; 2^64 - 1 where there is none.
[[nodiscard]] std::uint64_t aligned(std::uint64_t position, std::uint64_t alignment);

}  // namespace golden::io
