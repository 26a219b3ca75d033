// SPDX-License-Identifier: Apache-2.0
// golden/io/npy_header.h: the Python dictionary at the head of a .npy file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace golden::io {

enum class memory_order : unsigned char { row_major, column_major };

struct npy_header {
  std::string descr;  ///< NumPy's name of the type, such as <f4
  memory_order order = memory_order::row_major;
  std::vector<std::uint64_t> shape;
};

/// Reads {'descr': '<f4', 'fortran_order': False, 'shape': (2, 32), } in any order of its keys.
///   errors  file_error that names the key and what was expected
[[nodiscard]] npy_header parse_npy_header(std::string_view text, const std::string& source);

}  // namespace golden::io
