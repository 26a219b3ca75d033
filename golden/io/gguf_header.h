// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_header.h: the contents of a GGUF file before its data.
// Source: ggml, docs/gguf.md, "File Structure": gguf_header_t, gguf_tensor_info_t.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/io/gguf_note.h"

namespace golden::io {

/// Description of one tensor, not yet checked against the data.
struct gguf_entry {
  std::string name;
  std::uint32_t type = 0;
  std::vector<std::uint64_t> shape;  ///< the last axis fastest, as in all of golden/io
  std::uint64_t offset = 0;          ///< bytes from the start of the data
  std::uint64_t byte = 0;            ///< of the file, where it is described
};

struct gguf_header {
  std::vector<gguf_note> notes;     ///< in the order of the file
  std::vector<gguf_entry> entries;  ///< in the order of the file
  std::uint64_t alignment = 32;     ///< of the data, and of each tensor in it
  std::uint64_t data = 0;           ///< offset of the data; beyond the file if it has none
};

/// Key of the metadata entry for an alignment other than the default.
inline const std::string alignment_key = "general.alignment";

/// Reads versions 2 and 3, which differ only in that 3 may be big-endian, which is refused.
///   errors  file_error that names the field and what was expected
[[nodiscard]] gguf_header parse_gguf_header(byte_view file, const std::string& source);

/// The next multiple of an alignment, a power of two; 2^64 - 1 if it does not fit.
[[nodiscard]] std::uint64_t aligned(std::uint64_t position, std::uint64_t alignment);

}  // namespace golden::io
