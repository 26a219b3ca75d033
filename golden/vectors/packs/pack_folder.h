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

/// What is in the folder now.
///   manifest_sha256  of manifest.json, which holds the hashes of all other files
///   unchanged        the folder was there already, with these very bytes
struct written_pack {
  std::vector<written_file> files;
  std::string manifest_sha256;
  enum class state : unsigned char { written, unchanged } state = state::written;
};

/// Writes a pack's .safetensors and .mem files, and manifest.json, which tells version, hashes and,
/// for each index, what it is for.
///   folder  made if it is not there; its parent is
///   errors  file_error; also where it holds anything else than this pack
[[nodiscard]] written_pack write_pack(const pack& which, const std::string& folder);

/// SHA-256 in hexadecimal.
[[nodiscard]] std::string sha256_of(io::byte_view bytes);

}  // namespace golden::packs
