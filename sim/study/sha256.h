// SPDX-License-Identifier: Apache-2.0
// sim/study/sha256.h: SHA-256 of several pieces, one after the other.
// Source: FIPS 180-4, as implemented by OpenSSL.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sim {

class sha256 {
 public:
  ///   errors  std::runtime_error where OpenSSL has no SHA-256
  sha256();

  void add(std::span<const std::uint8_t> bytes);
  template <class T>
  void add(const std::vector<T>& values) {
    add({reinterpret_cast<const std::uint8_t*>(values.data()), values.size() * sizeof(T)});
  }
  /// Its length, then its bytes, so that the boundary between two texts is hashed.
  void add_text(std::string_view text);

  /// Of everything added; nothing can be added afterwards.
  [[nodiscard]] std::string hexadecimal();

 private:
  struct freed {
    void operator()(void* context) const noexcept;
  };
  std::unique_ptr<void, freed> context_;
};

[[nodiscard]] std::string sha256_of(std::string_view text);

}  // namespace sim
