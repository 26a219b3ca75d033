// SPDX-License-Identifier: Apache-2.0
// sim/claims/origin.h: where a table comes from: the program's commit, and the machine.
#pragma once
#include <filesystem>
#include <string>

namespace sim {

/// The commit that the program was built from, with a mark if the sources had changes; or why it is
/// unknown.
[[nodiscard]] const char* build_commit() noexcept;
/// "GNU 12.2.0"
[[nodiscard]] const char* build_compiler() noexcept;

/// Processor, threads and compiler: "AMD EPYC 7B13, 2 threads, GNU 12.2.0".
///   cpuinfo  of processor_name
[[nodiscard]] std::string machine_words(const std::filesystem::path& cpuinfo = "/proc/cpuinfo");

}  // namespace sim
