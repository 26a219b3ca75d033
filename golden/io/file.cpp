// SPDX-License-Identifier: Apache-2.0
// golden/io/file.cpp: whole files mapped for reading, and one-line file errors.
#include "golden/io/file.h"

#include <sys/mman.h>

#include <cerrno>
#include <system_error>
#include <utility>

#include "golden/io/regular_file.h"
#include "golden/io/shown_text.h"

namespace golden::io {
namespace {

std::string reason(int error) { return std::generic_category().message(error); }

std::string text_of(const file_place& place) {
  return place.path + ": " + (place.byte ? "byte " + std::to_string(*place.byte) + ": " : "");
}

}  // namespace

file_error::file_error(const file_place& place, std::string_view what)
    : std::runtime_error(text_of(place) + std::string(what)), byte_(place.byte) {}

file_error::file_error(const file_place& place, std::string_view tensor_name, std::string_view what)
    : std::runtime_error(text_of(place) + "tensor " + printable(tensor_name) + ": " +
                         std::string(what)),
      byte_(place.byte) {}

std::string printable(std::string_view name) {
  constexpr std::size_t longest = 80;
  std::string text = "'";
  std::size_t at = 0;
  while (at < name.size() && at < longest) {
    const shown_character next = first_shown(name.substr(at));
    text += next.text;
    at += next.length;
  }
  return text + (at < name.size() ? "...'" : "'");
}

mapped_file::mapped_file(const std::string& path) {
  const regular_file file(path);
  if (file.size() == 0) throw file_error({path, 0}, "is empty");
  const auto size = static_cast<std::size_t>(file.size());
  void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.descriptor(), 0);
  if (start == MAP_FAILED) throw file_error(path, "cannot read: " + reason(errno));
  bytes_ = {static_cast<const std::uint8_t*>(start), size};
}

mapped_file::~mapped_file() {
  if (!bytes_.empty()) ::munmap(const_cast<std::uint8_t*>(bytes_.data()), bytes_.size());
}

mapped_file::mapped_file(mapped_file&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

mapped_file& mapped_file::operator=(mapped_file&& other) noexcept {
  std::swap(bytes_, other.bytes_);
  return *this;
}

}  // namespace golden::io
