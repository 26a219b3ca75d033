// SPDX-License-Identifier: Apache-2.0
// tests/hostile/faulty_calls.cpp: a library to preload, whose read, write and fsync do less than
// asked for, are interrupted, or fail after MX_FAULT_AT bytes. MX_FAULT says which. Standard
// streams are left alone.
#include <dlfcn.h>
#include <sys/types.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <cstring>

namespace {

std::atomic<long> read_so_far{0}, written_so_far{0}, calls{0};

bool is(const char* fault) {
  const char* wanted = std::getenv("MX_FAULT");
  return wanted != nullptr && std::strcmp(wanted, fault) == 0;
}

long amount() {
  const char* text = std::getenv("MX_FAULT_AT");
  return text == nullptr ? 0 : std::atol(text);
}

/// The function of this name that the program would have called.
template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

int failed(int error) {
  errno = error;
  return -1;
}

/// Every other call is interrupted.
bool interrupts() { return is("interrupted") && calls++ % 2 == 0; }

/// 1 to 7 bytes at the beginning, more later: a file of many bytes takes no hours.
std::size_t short_of(std::size_t size, long so_far) {
  const auto most = static_cast<std::size_t>(1 + so_far % 7 + so_far / 16);
  return size < most ? size : most;
}

}  // namespace

extern "C" ssize_t read(int file, void* bytes, size_t size) {
  static auto* const call = real<ssize_t(int, void*, size_t)>("read");
  if (file <= STDERR_FILENO) return call(file, bytes, size);
  if (interrupts()) return failed(EINTR);
  if (is("unreadable-after") && read_so_far >= amount()) return failed(EIO);
  const ssize_t done = call(file, bytes, is("short-reads") ? short_of(size, read_so_far) : size);
  if (done > 0) read_so_far += done;
  return done;
}

extern "C" ssize_t write(int file, const void* bytes, size_t size) {
  static auto* const call = real<ssize_t(int, const void*, size_t)>("write");
  if (file <= STDERR_FILENO) return call(file, bytes, size);
  if (interrupts()) return failed(EINTR);
  const long left = amount() - written_so_far;
  if (is("full-after") && left <= 0 && size > 0) return failed(ENOSPC);
  if (is("full-after") && static_cast<long>(size) > left) size = static_cast<size_t>(left);
  if (is("short-writes")) size = short_of(size, written_so_far);
  const ssize_t done = call(file, bytes, size);
  if (done > 0) written_so_far += done;
  return done;
}

extern "C" int fsync(int file) {
  static auto* const call = real<int(int)>("fsync");
  // Some file systems say only here that the disk is full.
  if (is("full-after") && written_so_far >= amount()) return failed(ENOSPC);
  return call(file);
}
