// SPDX-License-Identifier: Apache-2.0
// kernels/verify/verdict.cpp: the results of mx_verify, machine-readable.
#include "verdict.h"

#include <fstream>
#include <stdexcept>

namespace mx::kernels {

std::string json_of(const verdict& found) {
  const device_in_use& d = found.device;
  return "{\"device\": " + json_string(d.name) +
         ", \"compute_capability\": " + json_string(d.compute_capability) +
         ", \"driver\": " + json_string(d.driver) + ", \"runtime\": " + json_string(d.runtime) +
         ", \"cases\": " + std::to_string(found.cases) +
         ", \"different\": " + std::to_string(found.different) +
         ", \"skipped\": " + std::to_string(found.skipped) +
         ", \"figures\": " + json_of(found.figures) + "}\n";
}

void write_json(const std::filesystem::path& path, const verdict& found) {
  const std::filesystem::path partial = path.string() + ".partial";
  std::ofstream out(partial, std::ios::binary);
  out << json_of(found) << std::flush;
  if (!out.good()) throw std::runtime_error(partial.string() + ": cannot be written");
  out.close();
  std::filesystem::rename(partial, path);
}

}  // namespace mx::kernels
