// SPDX-License-Identifier: Apache-2.0
// golden/io/host_name.cpp: see host_name.h.
#include "golden/io/host_name.h"

#include <unistd.h>

#include <array>

namespace golden::io {

std::string host_name() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

}  // namespace golden::io
