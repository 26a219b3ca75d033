// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/pack.h: adversarial packs: inputs that decide between right and nearly right,
// each with what must come out and why it is there. Expected bits are those of the emulator's core.
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
///   rows  which list of sentences tells what each index of the first axis is for
struct pack_file {
  std::string name, rows;
  std::vector<pack_array> arrays;
  io::metadata notes;
};

/// NAME.mem: codes for $readmemh, one word a row.
///   what   is in it, in words
///   width  bits of a code
///   along  codes of a row; code 0 lies in the lowest bits of the word
struct pack_memory {
  std::string name, rows, what;
  int width = 8;
  std::size_t along = 1;
  std::vector<std::uint32_t> codes;
};

/// What a pack holds.
///   rows   sentences by list and index: why a row is there
///   notes  what else there is to say, by keyword
struct pack_contents {
  std::vector<pack_file> files;
  std::vector<pack_memory> memories;
  std::map<std::string, std::vector<std::string>> rows;
  std::map<std::string, std::vector<std::string>> notes;
};

/// A pack by name.
///   version  counts changes of its bytes
struct pack {
  std::string_view name;
  int version;
  std::string_view sentence;
  pack_contents (*contents)();
};

[[nodiscard]] std::span<const pack> all_packs();
/// Null where there is none of that name.
[[nodiscard]] const pack* find_pack(std::string_view name);

[[nodiscard]] pack_contents tie_pack();
[[nodiscard]] pack_contents nvfp4_tie_pack();
[[nodiscard]] pack_contents scale_pack();
[[nodiscard]] pack_contents special_pack();
[[nodiscard]] pack_contents decode_pack();
[[nodiscard]] pack_contents layout_pack();
[[nodiscard]] pack_contents accumulator_pack();

}  // namespace golden::packs
