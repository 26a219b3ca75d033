// SPDX-License-Identifier: Apache-2.0
// sim/study/processor_name.cpp: see processor_name.h.
#include "sim/study/processor_name.h"

#include <sys/utsname.h>

#include <fstream>

namespace sim {
namespace {

std::string processor_of_architecture() {
  utsname names{};
  return uname(&names) == 0 ? std::string("processor of ") + names.machine : "unknown processor";
}

}  // namespace

std::string processor_name(const std::filesystem::path& cpuinfo) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return processor_of_architecture();
}

}  // namespace sim
