// SPDX-License-Identifier: Apache-2.0
// sim/claims/origin.cpp: see origin.h.
#include "sim/claims/origin.h"

#include <fmt/format.h>

#include <thread>

#include "sim/study/processor_name.h"

namespace sim {

std::string machine_words(const std::filesystem::path& cpuinfo) {
  return fmt::format("{}, {} threads, {}", processor_name(cpuinfo),
                     std::thread::hardware_concurrency(), build_compiler());
}

}  // namespace sim
