// SPDX-License-Identifier: Apache-2.0
// sim/train/available_memory.h: the memory that this process may still take, and what it has.
#pragma once
#include <filesystem>

namespace sim {

/// Bytes that the machine and every control group of the process have left. Pages of files that
/// nobody used lately count as free, as in the working set of Kubernetes.
///   root     of the file systems proc and sysfs
///   returns  infinity where the kernel tells nothing
///   source   Linux, Documentation/filesystems/proc.rst (MemAvailable), Documentation/admin-guide:
///            cgroup-v2.rst (memory.max, memory.current), cgroup-v1/memory.rst
[[nodiscard]] double available_memory(const std::filesystem::path& root = "/");

/// Bytes of this process in memory: now, and at most since forget_peak. 0 where the kernel does not
/// tell.
[[nodiscard]] double resident_memory();
[[nodiscard]] double peak_memory();
/// Returns freed memory to the system, and starts the peak at what is left.
void forget_peak();

/// Bytes of the least block that return_freed_blocks has mapped, and that programs keep in huge
/// pages.
inline constexpr int least_mapped_block = 4 << 20;

/// From now on the allocator maps blocks of 4 MiB or more, and returns them when they are freed: it
/// would keep some, by a threshold that grows with the blocks. Of smaller ones it keeps at most 64
/// MiB at the heap's end.
void return_freed_blocks();

}  // namespace sim
