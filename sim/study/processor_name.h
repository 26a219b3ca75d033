// SPDX-License-Identifier: Apache-2.0
// sim/study/processor_name.h: the name of this machine's processor.
#pragma once
#include <filesystem>
#include <string>

namespace sim {

/// "AMD EPYC 7B13"; where Linux names no model, as on 64-bit Arm, "processor of aarch64".
///   cpuinfo  Linux' list of processors
[[nodiscard]] std::string processor_name(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

}  // namespace sim
