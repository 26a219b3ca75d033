// SPDX-License-Identifier: Apache-2.0
// kernels/verify/user_arrays.h: the arrays of one request of a user's library, and what the library
// may not have written.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "user_backend.h"

namespace mx::kernels {

/// Arrays in a library's memory, each with guard bytes behind it.
class user_arrays {
 public:
  explicit user_arrays(const user_memory& memory) : memory_(memory) {}

  /// An array with contents; null if it has none.
  ///   errors  std::runtime_error: no memory
  [[nodiscard]] void* input(const std::string& name, const std::vector<std::uint8_t>& bytes) {
    return bytes.empty() ? nullptr : added(name, bytes, access::read).at;
  }
  [[nodiscard]] void* result(const std::string& name, const std::vector<std::uint8_t>& bytes) {
    return added(name, bytes, access::written).at;
  }
  [[nodiscard]] void* workspace(std::uint64_t bytes) {
    if (bytes == 0) return nullptr;
    return added("workspace", std::vector<std::uint8_t>(bytes, guard), access::written).at;
  }
  /// The results in the order in which they were added, without workspaces.
  ///   errors  std::runtime_error: an input or the guard of an array was written
  [[nodiscard]] std::vector<std::vector<std::uint8_t>> fetched() const;

 private:
  static constexpr std::uint8_t guard = 0xEE;
  static constexpr std::size_t guard_bytes = 256;
  enum class access : std::uint8_t { read, written };

  struct array {
    std::string name;
    std::vector<std::uint8_t> before;
    access use;
    std::shared_ptr<void> owner;
    void* at;
  };

  const array& added(const std::string& name, const std::vector<std::uint8_t>& bytes, access use);
  [[nodiscard]] std::vector<std::uint8_t> checked(const array& one) const;

  const user_memory& memory_;
  std::vector<array> arrays_;
};

}  // namespace mx::kernels
