// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack_folder.h: a pack as a folder of files, whole or not at all.
#pragma once
#include <string>
#include <vector>

#include "golden/vectors/packs/pack.h"

namespace golden::packs {

struct written_file {
  std::string name;
  std::uint64_t bytes = 0;
  std::string sha256;
};

/// Contents of the folder after writing.
///   manifest_sha256  of manifest.json, which contains the hashes of all other files
///   unchanged        the folder already had exactly these bytes
struct written_pack {
  std::vector<written_file> files;
  std::string manifest_sha256;
  enum class state : unsigned char { written, unchanged } state = state::written;
};

/// Writes a pack's .safetensors and .mem files, and manifest.json with version, hashes and the
/// purpose of each index.
///   folder  created if missing; its parent must exist
///   errors  file_error; also if it contains anything other than this pack
[[nodiscard]] written_pack write_pack(const pack& which, const std::string& folder);

/// SHA-256 in hexadecimal.
[[nodiscard]] std::string sha256_of(io::byte_view bytes);

}  // namespace golden::packs
