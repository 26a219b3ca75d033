// SPDX-License-Identifier: Apache-2.0
// sim/train/folder_lock.cpp: see folder_lock.h.
#include "sim/train/folder_lock.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <system_error>

#include "golden/io/host_name.h"
#include "sim/train/run.h"

namespace sim {
namespace {

namespace fs = std::filesystem;

std::string lock_file_in(const fs::path& folder) { return (folder / lock_name).string(); }

/// "process 4711 on host", ended by a newline.
std::string text_of_this_process() {
  return fmt::format("process {} on {}\n", ::getpid(), golden::io::host_name());
}

/// What the holder wrote; it may not have done so yet, or its disk may have been full.
std::string holder_in(int descriptor) {
  std::array<char, 512> text{};
  const ssize_t size = ::pread(descriptor, text.data(), text.size(), 0);
  const std::string words(text.data(), size > 0 ? static_cast<std::size_t>(size) : 0);
  return words.ends_with('\n') ? words.substr(0, words.size() - 1) : "another process";
}

/// Takes a lock of that kind, unless the file system has none.
void take(int descriptor, int kind, const fs::path& folder) {
  if (::flock(descriptor, kind | LOCK_NB) == 0 || errno != EWOULDBLOCK) return;
  const std::string holder = holder_in(descriptor);
  ::close(descriptor);
  throw run_error(
      "{}: {} is running a study in this folder; let it end or stop it, or choose another folder "
      "with -o",
      folder.string(), holder);
}

}  // namespace

folder_lock::folder_lock(const fs::path& folder)
    : descriptor_(
          ::open(lock_file_in(folder).c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666)) {
  if (descriptor_ < 0) {
    throw run_error("{}: cannot be made: {}", lock_file_in(folder),
                    std::generic_category().message(errno));
  }
  take(descriptor_, LOCK_EX, folder);
  const std::string text = text_of_this_process();
  // Only for messages: a run is not refused because this failed.
  static_cast<void>(::ftruncate(descriptor_, 0) != 0 ||
                    ::pwrite(descriptor_, text.data(), text.size(), 0) < 0);
}

folder_lock::~folder_lock() { ::close(descriptor_); }

void refuse_locked(const fs::path& folder) {
  const int descriptor = ::open(lock_file_in(folder).c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW);
  if (descriptor < 0) return;
  take(descriptor, LOCK_SH, folder);  // two that only look do not refuse each other
  ::close(descriptor);
}

}  // namespace sim
