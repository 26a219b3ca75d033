// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack.h: adversarial packs: inputs that expose subtle errors, each with the
// expected result and its purpose. Expected bits are those of the emulator's core.
#pragma once
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::packs {

/// An array of a file, with its bytes.
struct pack_array {
  std::string name;
  io::dtype type = io::dtype::u8;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint8_t> bytes;
};

/// NAME.safetensors.
///   rows  key of the sentences that describe each index of the first axis
struct pack_file {
  std::string name, rows;
  std::vector<pack_array> arrays;
  io::metadata notes;
};

/// NAME.mem: codes for $readmemh, one word a row.
///   what   description of the contents
///   width  bits of a code
///   along  codes of a row; code 0 occupies the lowest bits of the word
struct pack_memory {
  std::string name, rows, what;
  int width = 8;
  std::size_t along = 1;
  std::vector<std::uint32_t> codes;
};

/// Contents of a pack.
///   rows   sentences by list and index: the purpose of each row
///   notes  further remarks, by keyword
struct pack_contents {
  std::vector<pack_file> files;
  std::vector<pack_memory> memories;
  std::map<std::string, std::vector<std::string>> rows;
  std::map<std::string, std::vector<std::string>> notes;
};

/// A pack by name.
///   version  incremented when its bytes change
struct pack {
  std::string_view name;
  int version;
  std::string_view sentence;
  pack_contents (*contents)();
};

[[nodiscard]] std::span<const pack> all_packs();
/// Null if no pack has that name.
[[nodiscard]] const pack* find_pack(std::string_view name);

[[nodiscard]] pack_contents tie_pack();
[[nodiscard]] pack_contents nvfp4_tie_pack();
[[nodiscard]] pack_contents scale_pack();
[[nodiscard]] pack_contents special_pack();
[[nodiscard]] pack_contents decode_pack();
[[nodiscard]] pack_contents layout_pack();
[[nodiscard]] pack_contents accumulator_pack();

}  // namespace golden::packs
