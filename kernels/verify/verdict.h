// SPDX-License-Identifier: Apache-2.0
// kernels/verify/verdict.h: the results of mx_verify, machine-readable.
#pragma once
#include <filesystem>
#include <string>
#include <vector>

#include "../bench/figure.h"

namespace mx::kernels {

///   different  cases whose bytes are not the core's
///   skipped    cases whose instructions the device lacks
struct verdict {
  device_in_use device;
  int cases = 0, different = 0, skipped = 0;
  std::vector<figure> figures;
};

/// {"device", "compute_capability", "driver", "runtime", "cases", "different", "skipped",
/// "figures": [...]}
[[nodiscard]] std::string json_of(const verdict& found);

/// Writes the file atomically.
///   errors  std::runtime_error if it cannot be written
void write_json(const std::filesystem::path& path, const verdict& found);

}  // namespace mx::kernels
