// SPDX-License-Identifier: Apache-2.0
// golden/io/text_file.cpp: see text_file.h.
#include "golden/io/text_file.h"

#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "golden/io/file.h"
#include "golden/io/regular_file.h"

namespace golden::io {
namespace {

constexpr std::size_t piece = std::size_t{1} << 16;

std::size_t read_piece(const regular_file& file, const std::string& path, char* into) {
  while (true) {
    const ssize_t count = ::read(file.descriptor(), into, piece);
    if (count >= 0) return static_cast<std::size_t>(count);
    if (errno == EINTR) continue;
    throw file_error(path, "cannot read: " + std::generic_category().message(errno));
  }
}

[[noreturn]] void refuse_length(const std::string& path, std::uint64_t longest) {
  throw file_error(
      path, "is too long for a text: expected at most " + std::to_string(longest) + " bytes");
}

}  // namespace

std::string read_text(const std::string& path, std::uint64_t longest) {
  const regular_file file(path);
  if (file.size() > longest) refuse_length(path, longest);
  std::string text;
  text.reserve(static_cast<std::size_t>(file.size()) + piece);
  // To its end, not to its size: files that the kernel makes up have none, and others may grow.
  while (text.size() <= longest) {
    const std::size_t begin = text.size();
    text.resize(begin + piece);
    const std::size_t count = read_piece(file, path, text.data() + begin);
    text.resize(begin + count);
    if (count == 0) return text;
  }
  refuse_length(path, longest);
}

}  // namespace golden::io
