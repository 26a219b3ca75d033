// SPDX-License-Identifier: Apache-2.0
// golden/io/npy.h: the .npy format: a Python dictionary that describes one array, then its data.
// Source: NumPy Enhancement Proposal 1, "A simple file format for NumPy arrays", versions 1 to 3.
#pragma once
#include <string>

#include "golden/io/tensor.h"

namespace golden::io {

/// The one tensor of a whole file, called `x`.
///   refused  big-endian, Python objects, structures, Fortran order of two axes or more: each with
///            its remedy
///   source   names the file in errors (file_error)
[[nodiscard]] tensor_list parse_npy(byte_view file, const std::string& source);

/// Writes version 1.0.
///   errors  file_error, also for a type that NumPy has no name for
void write_npy(const std::string& path, const tensor& array);

}  // namespace golden::io
