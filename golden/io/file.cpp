// SPDX-License-Identifier: Apache-2.0
// golden/io/file.cpp: whole files, mapped for reading; what is wrong with one, in one line.
#include "golden/io/file.h"

#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "golden/io/regular_file.h"
#include "golden/io/utf8.h"

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
  constexpr char digits[] = "0123456789abcdef";
  std::string text = "'";
  std::size_t at = 0;
  while (at < name.size() && at < longest) {
    const auto byte = static_cast<unsigned char>(name[at]);
    const std::size_t length = character_length(name.substr(at));
    if (length > 0 && byte >= 0x20 && byte != 0x7f) {
      text += name.substr(at, length);
    } else {
      text += {'\\', 'x', digits[byte / 16], digits[byte % 16]};
    }
    at += std::max<std::size_t>(length, 1);
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
