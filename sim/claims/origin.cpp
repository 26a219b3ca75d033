// SPDX-License-Identifier: Apache-2.0
// sim/claims/origin.cpp: see origin.h.
#include "sim/claims/origin.h"

#include <fmt/format.h>

#include <thread>

#include "golden/io/counted.h"
#include "sim/study/processor_name.h"

namespace sim {

std::string machine_words(const std::filesystem::path& cpuinfo) {
  return fmt::format("{}, {}, {}", processor_name(cpuinfo),
                     golden::io::counted(std::thread::hardware_concurrency(), "thread"),
                     build_compiler());
}

}  // namespace sim
