// SPDX-License-Identifier: Apache-2.0
// tests/file_size_limit.h: files of this process that cannot grow beyond a size, as on a full disk.
#pragma once
#include <sys/resource.h>

#include <csignal>

namespace test {

class file_size_limit {
 public:
  explicit file_size_limit(rlim_t bytes) {
    std::signal(SIGXFSZ, SIG_IGN);
    ::getrlimit(RLIMIT_FSIZE, &before_);
    const rlimit limited{bytes, before_.rlim_max};
    ::setrlimit(RLIMIT_FSIZE, &limited);
  }
  ~file_size_limit() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  file_size_limit(const file_size_limit&) = delete;
  file_size_limit& operator=(const file_size_limit&) = delete;

 private:
  rlimit before_{};
};

}  // namespace test
