// SPDX-License-Identifier: Apache-2.0
// golden/io/npy.h: the .npy format: a Python dictionary describing one array, then its data.
// Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays", versions 1 to 3.
#pragma once
#include <span>
#include <string>

#include "golden/io/file_frame.h"

namespace golden::io {

/// The only tensor of a file, called `x`.
///   refused  big-endian, Python objects, structures, Fortran order of two axes or more: each with
///            its remedy
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_npy(byte_view file, const std::string& source);

/// Writes version 1.0, without name and metadata. The data begins at a multiple of 64.
///   errors  file_error for a type that NumPy lacks, and for any number of tensors but one
[[nodiscard]] file_frame npy_frame(std::span<const tensor_plan> plans, const metadata& notes,
                                   const std::string& path);

}  // namespace golden::io
