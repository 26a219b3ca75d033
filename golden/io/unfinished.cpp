// SPDX-License-Identifier: Apache-2.0
// golden/io/unfinished.cpp: lists that a signal handler reads with system calls only and no lock.
#include "golden/io/unfinished.h"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace golden::io {
namespace {

template <std::size_t N>
using name_list = std::array<std::atomic<const char*>, N>;
static_assert(std::atomic<const char*>::is_always_lock_free);

name_list<64> files{};
name_list<8> folders{};

template <std::size_t N>
void replace_in(name_list<N>& list, const char* from, const char* to) {
  for (std::atomic<const char*>& slot : list) {
    const char* expected = from;
    if (slot.compare_exchange_strong(expected, to)) return;
  }
}

/// An entry as getdents64(2) lays it out; readdir(3) allocates, which a handler may not.
struct directory_entry {
  std::uint64_t inode;
  std::int64_t offset;
  unsigned short length;
  unsigned char type;
  char name[1];
};

void remove_files_in(int folder) noexcept {
  alignas(directory_entry) static char entries[16384];
  ::lseek(folder, 0, SEEK_SET);
  for (;;) {
    const long bytes = ::syscall(SYS_getdents64, folder, entries, sizeof entries);
    if (bytes <= 0) return;
    for (long at = 0; at < bytes;) {
      unsigned short length = 0;
      std::memcpy(&length, entries + at + offsetof(directory_entry, length), sizeof length);
      ::unlinkat(folder, entries + at + offsetof(directory_entry, name), 0);
      at += length;
    }
  }
}

}  // namespace

// Entries may be skipped while others are removed, and another thread may still write, hence a
// bounded number of attempts.
void remove_folder_of_files(const char* name) noexcept {
  const int folder = ::open(name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (folder < 0) return;
  for (int attempt = 0; attempt < 100; ++attempt) {
    remove_files_in(folder);
    if (::rmdir(name) == 0) break;
  }
  ::close(folder);
}

void remember_unfinished_file(const char* name) noexcept { replace_in(files, nullptr, name); }
void forget_unfinished_file(const char* name) noexcept { replace_in(files, name, nullptr); }
void remember_unfinished_folder(const char* name) noexcept { replace_in(folders, nullptr, name); }
void forget_unfinished_folder(const char* name) noexcept { replace_in(folders, name, nullptr); }

void remove_unfinished_files() noexcept {
  for (const std::atomic<const char*>& slot : files) {
    if (const char* name = slot.load()) ::unlink(name);
  }
  for (const std::atomic<const char*>& slot : folders) {
    if (const char* name = slot.load()) remove_folder_of_files(name);
  }
}

}  // namespace golden::io
