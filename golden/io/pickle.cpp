// SPDX-License-Identifier: Apache-2.0
// golden/io/pickle.cpp: recognizes and refuses Python pickles, which are programs; never reads
// them.
#include "golden/io/pickle.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace golden::io {
namespace {

constexpr std::array<std::string_view, 5> pickle_extensions{".pt", ".pth", ".ckpt", ".pkl",
                                                            ".pickle"};

[[noreturn]] void refuse(const file_place& place) {
  throw file_error(place,
                   "is a Python pickle, which runs code when it is read, so it is never read here; "
                   "save the tensors as .safetensors: in Python, where you trust the file, "
                   "safetensors.torch.save_file(torch.load(FILE, weights_only=True), "
                   "'NAME.safetensors')");
}

bool begins_with(byte_view file, std::string_view bytes) {
  return file.size() >= bytes.size() &&
         std::equal(bytes.begin(), bytes.end(), file.begin(), [](char c, std::uint8_t byte) {
           return static_cast<unsigned char>(c) == byte;
         });
}

/// Whether the archive's first file name has this ending. Its length is at byte 26, its text at 30.
bool first_name_ends_with(byte_view archive, std::string_view ending) {
  constexpr std::size_t length_at = 26, name_at = 30;
  if (archive.size() < name_at) return false;
  const std::size_t length = archive[length_at] + archive[length_at + 1] * std::size_t{256};
  if (length > archive.size() - name_at) return false;
  return std::string_view(reinterpret_cast<const char*>(archive.data()) + name_at, length)
      .ends_with(ending);
}

}  // namespace

void refuse_pickle_name(const std::string& path) {
  const std::string extension = std::filesystem::path(path).extension().string();
  if (std::find(pickle_extensions.begin(), pickle_extensions.end(), extension) !=
      pickle_extensions.end()) {
    refuse(path);
  }
}

void refuse_pickle(const std::string& path, byte_view file) {
  if (begins_with(file, "PK\x03\x04")) {
    if (!first_name_ends_with(file, ".npy")) refuse({path, 0});
    throw file_error({path, 0},
                     "is an archive of arrays (.npz); save each as .npy, or all as .safetensors");
  }
  // Protocols 2 to 5; protocols 0 and 1 have no signature.
  if (file.size() > 1 && file[0] == 0x80 && file[1] >= 2 && file[1] <= 5) refuse({path, 0});
}

}  // namespace golden::io
