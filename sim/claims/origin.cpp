// SPDX-License-Identifier: Apache-2.0
// sim/claims/origin.cpp: see origin.h.
#include "sim/claims/origin.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <fstream>
#include <thread>

namespace sim {
namespace {

std::string architecture() {
  utsname names{};
  return uname(&names) == 0 ? std::string("processor of ") + names.machine : "unknown processor";
}

std::string processor_in(const std::filesystem::path& cpuinfo) {
  std::ifstream file(cpuinfo);
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.starts_with("model name") && colon != std::string::npos) return line.substr(colon + 2);
  }
  return architecture();
}

}  // namespace

std::string machine_words(const std::filesystem::path& cpuinfo) {
  return fmt::format("{}, {} threads, {}", processor_in(cpuinfo),
                     std::thread::hardware_concurrency(), build_compiler());
}

}  // namespace sim
