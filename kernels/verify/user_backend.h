// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_backend.h: cases computed by a user's library, in the memory that it asks
// for.
#pragma once
#include <functional>

#include "cross_check.h"
#include "user_library.h"

namespace mx::kernels {

/// Memory that a library's requests point to. Every function throws std::runtime_error if it fails.
///   allocate  aligned to 256 bytes
///   finish    waits for the stream
struct user_memory {
  std::function<void*(std::size_t bytes)> allocate;
  std::function<void(void*)> release;
  std::function<void(void*to, const void*from, std::size_t bytes)> fill, fetch;
  std::function<void()> finish;
  void* stream = nullptr;
};

/// Memory of the host, without a stream.
[[nodiscard]] user_memory host_memory();

/// A library's results; none of cases that it declines, and of corrected products. A failure, and a
/// byte written outside a result, are errors: std::runtime_error with the symbol and the array.
[[nodiscard]] backend user_backend(const user_library& library, const user_memory& memory);

}  // namespace mx::kernels
