// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/memory_path.h: bytes under a path, for readers that open files by name.
#pragma once
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string>

#include "require.h"

namespace fuzz {

/// A file in memory that is removed with the object.
class memory_path {
 public:
  memory_path(const std::uint8_t* data, std::size_t size)
      : descriptor_(::memfd_create("fuzz", MFD_CLOEXEC)) {
    require(descriptor_ >= 0, "there is memory for a file");
    require(::write(descriptor_, data, size) == static_cast<ssize_t>(size), "it takes all bytes");
  }
  ~memory_path() { ::close(descriptor_); }
  memory_path(const memory_path&) = delete;
  memory_path& operator=(const memory_path&) = delete;

  [[nodiscard]] std::string name() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

}  // namespace fuzz
