// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_note.cpp: the metadata of a GGUF file: keys and values of thirteen kinds.
#include "golden/io/gguf_note.h"

#include <array>
#include <charconv>
#include <cstring>

namespace golden::io {
namespace {

constexpr int deepest = 8;  // nesting of arrays; ggml itself writes no nested ones

template <class Number>
std::string number_text(byte_view value) {
  Number number{};
  std::memcpy(&number, value.data(), sizeof number);
  std::array<char, 64> text{};
  if constexpr (sizeof(Number) == 1) return std::to_string(static_cast<int>(number));
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), number);
  return {text.data(), end};
}

std::string boolean_text(byte_view value) { return value[0] != 0 ? "true" : "false"; }

std::string string_text(byte_view value) {
  return {reinterpret_cast<const char*>(value.data()) + 8, value.size() - 8};
}

std::string array_text(byte_view value);

/// Kinds in the order of gguf_kind.
struct kind_row {
  std::string_view name;
  std::uint64_t size;  // bytes of a value; the minimum for strings and arrays
  std::string (*text)(byte_view value);
};

constexpr std::array kind_table{
    kind_row{"UINT8", 1, number_text<std::uint8_t>},
    kind_row{"INT8", 1, number_text<std::int8_t>},
    kind_row{"UINT16", 2, number_text<std::uint16_t>},
    kind_row{"INT16", 2, number_text<std::int16_t>},
    kind_row{"UINT32", 4, number_text<std::uint32_t>},
    kind_row{"INT32", 4, number_text<std::int32_t>},
    kind_row{"FLOAT32", 4, number_text<float>},
    kind_row{"BOOL", 1, boolean_text},
    kind_row{"STRING", 8, string_text},
    kind_row{"ARRAY", 12, array_text},
    kind_row{"UINT64", 8, number_text<std::uint64_t>},
    kind_row{"INT64", 8, number_text<std::int64_t>},
    kind_row{"FLOAT64", 8, number_text<double>},
};

const kind_row& row_of(gguf_kind kind) { return kind_table[static_cast<std::size_t>(kind)]; }

std::string array_text(byte_view value) {
  std::uint32_t kind = 0;
  std::memcpy(&kind, value.data(), sizeof kind);
  return "[" + number_text<std::uint64_t>(value.subspan(4)) + " of " +
         std::string(kind_table[kind].name) + "]";
}

gguf_kind taken_kind(gguf_cursor& from) {
  const std::uint32_t number = from.u32("the type of a value");
  if (number < kind_table.size()) return static_cast<gguf_kind>(number);
  from.fail("a value has the type " + std::to_string(number) + "; expected 0 to 12");
}

void skip(gguf_cursor& from, gguf_kind kind, std::uint64_t items, int depth);

void skip_array(gguf_cursor& from, int depth) {
  if (depth == deepest) from.fail("arrays are nested more than 8 deep");
  const gguf_kind kind = taken_kind(from);
  const std::uint64_t items = from.count(row_of(kind).size, "the length of an array");
  skip(from, kind, items, depth + 1);
}

void skip(gguf_cursor& from, gguf_kind kind, std::uint64_t items, int depth) {
  switch (kind) {
    case gguf_kind::string:
      for (std::uint64_t i = 0; i < items; ++i) static_cast<void>(from.text("a string"));
      return;
    case gguf_kind::array:
      for (std::uint64_t i = 0; i < items; ++i) skip_array(from, depth);
      return;
    case gguf_kind::boolean:
      for (const std::uint8_t value : from.bytes(items, "a value")) {
        if (value > 1) from.fail("a boolean is " + std::to_string(value) + "; expected 0 or 1");
      }
      return;
    default:
      static_cast<void>(from.bytes(items * row_of(kind).size, "a value"));
  }
}

}  // namespace

gguf_note taken_note(gguf_cursor& from) {
  gguf_note note;
  note.byte = from.position();
  note.key = from.name("a key");
  note.kind = taken_kind(from);
  gguf_cursor ahead = from;
  skip(ahead, note.kind, 1, 0);
  note.value = from.bytes(ahead.position() - from.position(), "a value");
  return note;
}

std::string text_of(const gguf_note& note) { return row_of(note.kind).text(note.value); }

}  // namespace golden::io
