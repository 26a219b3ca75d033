// SPDX-License-Identifier: Apache-2.0
// golden/io/regular_file.cpp: see regular_file.h.
#include "golden/io/regular_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "golden/io/file.h"

namespace golden::io {
namespace {

[[noreturn]] void fail(const std::string& path, const char* what, int error) {
  throw file_error(path, what + std::generic_category().message(error));
}

/// Without O_NONBLOCK, opening a pipe would wait for a writer.
int opened(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  if (descriptor < 0) fail(path, "cannot open: ", errno);
  return descriptor;
}

/// Size of a regular file.
std::uint64_t size_of(int descriptor, const std::string& path) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail(path, "cannot read: ", errno);
  if (S_ISDIR(status.st_mode)) throw file_error(path, "is a folder; expected a file");
  if (!S_ISREG(status.st_mode)) throw file_error(path, "is not a regular file");
  return static_cast<std::uint64_t>(status.st_size);
}

}  // namespace

regular_file::regular_file(const std::string& path) : descriptor_(opened(path)) {
  try {
    size_ = size_of(descriptor_, path);
  } catch (...) {
    ::close(descriptor_);
    throw;
  }
}

regular_file::~regular_file() { ::close(descriptor_); }

}  // namespace golden::io
