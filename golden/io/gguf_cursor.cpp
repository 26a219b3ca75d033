// SPDX-License-Identifier: Apache-2.0
// golden/io/gguf_cursor.cpp: a bounds-checked read position in a GGUF file.
#include "golden/io/gguf_cursor.h"

#include "golden/io/utf8.h"

namespace golden::io {

byte_view gguf_cursor::bytes(std::uint64_t count, std::string_view field) {
  if (count > left()) {
    throw file_error({source_, position_}, "is truncated or damaged: " + std::string(field) +
                                               " takes " + std::to_string(count) +
                                               " bytes, and the file has " +
                                               std::to_string(left()) + " from there");
  }
  field_ = position_;
  const byte_view taken = file_.subspan(position_, count);
  position_ += count;
  return taken;
}

std::uint64_t gguf_cursor::integer(std::uint64_t size, std::string_view field) {
  const byte_view taken = bytes(size, field);
  std::uint64_t value = 0;
  for (std::size_t i = taken.size(); i-- > 0;) value = value * 256 + taken[i];
  return value;
}

std::string_view gguf_cursor::text(std::string_view field) {
  const byte_view taken = bytes(u64(field), field);
  return {reinterpret_cast<const char*>(taken.data()), taken.size()};
}

std::string_view gguf_cursor::name(std::string_view field) {
  const std::string_view taken = text(field);
  if (const auto wrong = first_byte_that_is_not_utf8(taken)) {
    field_ += *wrong;
    fail(std::string(field) + ", " + printable(taken) + ", is not UTF-8");
  }
  return taken;
}

std::uint64_t gguf_cursor::count(std::uint64_t smallest, std::string_view field) {
  const std::uint64_t items = u64(field);
  if (items > left() / smallest) {
    fail(std::string(field) + " is " + std::to_string(items) + ", more than the " +
         std::to_string(left()) + " bytes that follow can hold");
  }
  return items;
}

void gguf_cursor::fail(std::string_view what) const { throw file_error({source_, field_}, what); }

}  // namespace golden::io
