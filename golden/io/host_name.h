// SPDX-License-Identifier: Apache-2.0
// golden/io/host_name.h: the name of this machine.
#pragma once
#include <string>

namespace golden::io {

/// Empty if it is not known.
[[nodiscard]] std::string host_name();

}  // namespace golden::io
