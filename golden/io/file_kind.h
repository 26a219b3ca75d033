// SPDX-License-Identifier: Apache-2.0
// golden/io/file_kind.h: formats of tensor files, by file name extension.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "golden/io/file_frame.h"

namespace golden::io {

/// A format: how a whole file is parsed, and what is written around the data of planned tensors.
struct file_kind {
  std::string_view extension;
  tensor_list (*parse)(byte_view file, const std::string& source);
  file_frame (*frame)(std::span<const tensor_plan> plans, const metadata& notes,
                      const std::string& path);
};

///   errors  file_error: a pickle, recognized by its name, or an unknown extension
[[nodiscard]] const file_kind& kind_of(const std::string& path);

}  // namespace golden::io
