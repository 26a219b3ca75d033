// SPDX-License-Identifier: Apache-2.0
// sim/train/folder_lock.h: a run folder belongs to one process at a time. The lock is the kernel's,
// on DIR/run.lock, and ends with the process, however that ends; the file stays, and its text is
// only for messages.
#pragma once
#include <filesystem>

namespace sim {

inline constexpr const char* lock_name = "run.lock";

/// An exclusive lock, held until destruction. On NFS it holds between machines too, where the
/// server keeps locks; a file system without locks protects nothing.
class folder_lock {
 public:
  /// errors  run_error where another process holds it, or where the file cannot be made
  explicit folder_lock(const std::filesystem::path& folder);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

 private:
  int descriptor_;
};

/// Creates nothing.
///   errors  run_error where another process holds the lock of the folder
void refuse_locked(const std::filesystem::path& folder);

}  // namespace sim
