// SPDX-License-Identifier: Apache-2.0
// golden/io/npy_header.h: the Python dictionary at the head of a .npy file.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/file.h"

namespace golden::io {

enum class memory_order : unsigned char { row_major, column_major };

/// A value of the dictionary, and the byte of the file where it begins.
template <class Value>
struct npy_value {
  Value value;
  std::uint64_t byte = 0;
};

struct npy_header {
  npy_value<std::string> descr;  ///< NumPy's name of the type, such as <f4
  npy_value<memory_order> order;
  npy_value<std::vector<std::uint64_t>> shape;
};

/// Parses {'descr': '<f4', 'fortran_order': False, 'shape': (2, 32), } with its keys in any order.
///   start   of the text in its file
///   errors  file_error that names the byte, the key and what was expected
[[nodiscard]] npy_header parse_npy_header(std::string_view text, const file_place& start);

}  // namespace golden::io
