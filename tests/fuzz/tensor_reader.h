// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/tensor_reader.h: properties of a reader of tensor files for any input.
#pragma once
#include <functional>

#include "golden/io/file_frame.h"

namespace fuzz {

/// A format of files: its reader, and what comes before the data of a file that is written.
struct tensor_format {
  std::function<golden::io::tensor_list(golden::io::byte_view, const std::string&)> parse;
  std::function<golden::io::file_frame(const std::vector<golden::io::tensor_plan>&,
                                       const golden::io::metadata&)>
      frame;
};

/// Reads a file. If it is refused, the message begins with the file and a byte of it, or its end. If
/// it is taken: no name appears twice; all tensors lie inside the file, apart from each other, with
/// as many bytes as their shapes take; codes among them lie inside the tensors; and written again,
/// it is read as the same.
void check_reader(const tensor_format& format, golden::io::byte_view file);

}  // namespace fuzz
