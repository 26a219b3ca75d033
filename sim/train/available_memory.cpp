// SPDX-License-Identifier: Apache-2.0
// sim/train/available_memory.cpp: see available_memory.h.
#include "sim/train/available_memory.h"

#include <malloc.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace sim {
namespace {

namespace fs = std::filesystem;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The number after a word in a file of "word number" lines.
std::optional<double> number_after(const fs::path& file, const std::string& word) {
  std::ifstream in(file);
  for (std::string found; in >> found; in.ignore(1 << 20, '\n')) {
    double value = 0;
    if (found == word && in >> value) return value;
  }
  return {};
}

/// The number that a file consists of; no value for "max".
std::optional<double> number_in(const fs::path& file) {
  std::ifstream in(file);
  double value = 0;
  return in >> value ? std::optional(value) : std::nullopt;
}

/// Names of the files of one version of control groups.
struct group_files {
  const char *limit, *usage, *inactive;
};
constexpr group_files version_1{"memory.limit_in_bytes", "memory.usage_in_bytes",
                                "total_inactive_file"};
constexpr group_files version_2{"memory.max", "memory.current", "inactive_file"};

/// Left in one group.
double left_in(const fs::path& group, const group_files& files) {
  const auto limit = number_in(group / files.limit), usage = number_in(group / files.usage);
  if (!limit || !usage) return unlimited;
  const double inactive = number_after(group / "memory.stat", files.inactive).value_or(0);
  return std::max(0.0, *limit - std::max(0.0, *usage - inactive));
}

/// The least that a group and those above it have left. A container may see its own group as the
/// root.
double left_in_groups(const fs::path& mount, fs::path group, const group_files& files) {
  double left = left_in(mount, files);
  for (; group.has_relative_path(); group = group.parent_path()) {
    left = std::min(left, left_in(mount / group.relative_path(), files));
  }
  return left;
}

/// Lines "number:controllers:path"; those of version 2 have no controllers.
double left_in_own_groups(const fs::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  double left = unlimited;
  for (std::string line; std::getline(in, line);) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    const fs::path mount = root / "sys/fs/cgroup", group = line.substr(second + 1);
    if (controllers.empty()) left = std::min(left, left_in_groups(mount, group, version_2));
    if (controllers == "memory") {
      left = std::min(left, left_in_groups(mount / "memory", group, version_1));
    }
  }
  return left;
}

}  // namespace

double available_memory(const fs::path& root) {
  const auto machine = number_after(root / "proc/meminfo", "MemAvailable:");
  return std::min(machine ? *machine * 1024 : unlimited, left_in_own_groups(root));
}

double resident_memory() { return number_after("/proc/self/status", "VmRSS:").value_or(0) * 1024; }

double peak_memory() { return number_after("/proc/self/status", "VmHWM:").value_or(0) * 1024; }

void return_freed_blocks() {
  mallopt(M_MMAP_THRESHOLD, least_mapped_block);
  // Set thresholds no longer grow, and with 128 KiB, the default, every step would return the
  // heap's end and take it again: a fifth of a rank's time.
  mallopt(M_TRIM_THRESHOLD, 64 << 20);
}

void forget_peak() {
  malloc_trim(0);
  std::ofstream("/proc/self/clear_refs") << 5;
}

}  // namespace sim
