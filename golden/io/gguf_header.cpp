// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_header.cpp: the contents of a GGUF file before its data.
#include "golden/io/gguf_header.h"

#include <algorithm>
#include <cstring>
#include <unordered_set>

namespace golden::io {
namespace {

constexpr std::uint64_t smallest_note = 8 + 4 + 1;
constexpr std::uint64_t smallest_entry = 8 + 4 + 4 + 8;
constexpr std::uint32_t most_axes = 4;
constexpr std::uint64_t widest_alignment = std::uint64_t{1} << 30;

void expect_version(gguf_cursor& from, const std::string& source) {
  const std::uint32_t version = from.u32("the version");
  if (version == 2 || version == 3) return;
  if ((version & 0xFFFFU) == 0) {
    throw file_error({source, 4},
                     "is big-endian; expected a little-endian file: convert it again on a "
                     "little-endian machine");
  }
  throw file_error({source, 4}, "is of GGUF version " + std::to_string(version) +
                                    "; expected 2 or 3: convert it again with a newer llama.cpp");
}

/// The alignment is a metadata entry, hence known only once all are read.
std::uint64_t alignment_in(const std::vector<gguf_note>& notes, const std::string& source) {
  for (const gguf_note& note : notes) {
    if (note.key != alignment_key) continue;
    std::uint32_t alignment = 0;
    if (note.kind == gguf_kind::u32) std::memcpy(&alignment, note.value.data(), 4);
    const std::string shown =
        note.kind == gguf_kind::string ? printable(text_of(note)) : text_of(note);
    const bool power = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (power && alignment <= widest_alignment) return alignment;
    throw file_error({source, note.byte}, "its metadata `general.alignment` is " + shown +
                                              "; expected a power of two, as UINT32");
  }
  return 32;
}

std::vector<gguf_note> taken_notes(gguf_cursor& from, std::uint64_t count,
                                   const std::string& source) {
  std::unordered_set<std::string> keys;
  std::vector<gguf_note> notes;
  for (std::uint64_t i = 0; i < count; ++i) {
    notes.push_back(taken_note(from));
    if (!keys.insert(notes.back().key).second) {
      throw file_error({source, notes.back().byte},
                       "the key " + printable(notes.back().key) + " appears twice");
    }
  }
  return notes;
}

gguf_entry taken_entry(gguf_cursor& from) {
  gguf_entry entry;
  entry.byte = from.position();
  entry.name = from.name("the name of a tensor");
  const std::uint32_t axes = from.u32("the number of axes");
  if (axes > most_axes) {
    from.fail("tensor " + printable(entry.name) + " has " + std::to_string(axes) +
              " axes; expected at most 4");
  }
  for (std::uint32_t i = 0; i < axes; ++i) entry.shape.push_back(from.u64("an extent"));
  std::reverse(entry.shape.begin(), entry.shape.end());
  entry.type = from.u32("the type of a tensor");
  entry.offset = from.u64("the offset of a tensor");
  return entry;
}

std::vector<gguf_entry> taken_entries(gguf_cursor& from, std::uint64_t count,
                                      const std::string& source) {
  std::unordered_set<std::string> names;
  std::vector<gguf_entry> entries;
  for (std::uint64_t i = 0; i < count; ++i) {
    entries.push_back(taken_entry(from));
    const std::string& name = entries.back().name;
    if (!names.insert(name).second)
      throw file_error({source, entries.back().byte}, name, "the name appears twice");
  }
  return entries;
}

}  // namespace

std::uint64_t aligned(std::uint64_t position, std::uint64_t alignment) {
  const std::uint64_t rest = position % alignment;
  if (rest == 0) return position;
  const std::uint64_t step = alignment - rest;
  return position > ~std::uint64_t{0} - step ? ~std::uint64_t{0} : position + step;
}

gguf_header parse_gguf_header(byte_view file, const std::string& source) {
  if (file.size() < 4 || std::memcmp(file.data(), "GGUF", 4) != 0) {
    throw file_error({source, 0}, "is not a GGUF file: expected the bytes GGUF at its start");
  }
  gguf_cursor from(file, source);
  static_cast<void>(from.bytes(4, "GGUF"));
  expect_version(from, source);
  const std::uint64_t entries = from.count(smallest_entry, "the number of tensors");
  const std::uint64_t notes = from.count(smallest_note, "the number of keys");
  gguf_header header;
  header.notes = taken_notes(from, notes, source);
  header.entries = taken_entries(from, entries, source);
  header.alignment = alignment_in(header.notes, source);
  header.data = aligned(from.position(), header.alignment);
  return header;
}

}  // namespace golden::io
