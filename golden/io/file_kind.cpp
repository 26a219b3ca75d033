// SPDX-License-Identifier: Apache-2.0
// golden/io/file_kind.cpp: formats of tensor files, by file name extension.
#include "golden/io/file_kind.h"

#include <array>
#include <filesystem>

#include "golden/io/gguf.h"
#include "golden/io/npy.h"
#include "golden/io/pickle.h"
#include "golden/io/safetensors.h"

namespace golden::io {

const file_kind& kind_of(const std::string& path) {
  static constexpr std::array kinds{file_kind{".safetensors", parse_safetensors, safetensors_frame},
                                    file_kind{".npy", parse_npy, npy_frame},
                                    file_kind{".gguf", parse_gguf, gguf_frame}};
  const std::string extension = std::filesystem::path(path).extension().string();
  for (const file_kind& kind : kinds) {
    if (kind.extension == extension) return kind;
  }
  refuse_pickle_name(path);
  throw file_error(
      path, "unknown extension " + printable(extension) + "; expected .safetensors, .npy or .gguf");
}

}  // namespace golden::io
