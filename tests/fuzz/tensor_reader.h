// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tensor_reader.h: properties of a reader of tensor files for any input.
#pragma once
#include <functional>

#include "golden/io/file_frame.h"

namespace fuzz {

/// A file format: its reader, and the bytes that a writer puts before the data.
struct tensor_format {
  std::function<golden::io::tensor_list(golden::io::byte_view, const std::string&)> parse;
  std::function<golden::io::file_frame(const std::vector<golden::io::tensor_plan>&,
                                       const golden::io::metadata&)>
      frame;
};

/// Reads a file. If it is refused, the message begins with the file and a byte of it, or its end.
/// If it is accepted: no name appears twice; all tensors lie inside the file, do not overlap, and
/// have as many bytes as their shapes require; codes among them lie inside the tensors; and the
/// file, written again, reads as the same.
void check_reader(const tensor_format& format, golden::io::byte_view file);

}  // namespace fuzz
