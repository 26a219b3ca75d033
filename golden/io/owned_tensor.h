// SPDX-License-Identifier: Apache-2.0
// golden/io/owned_tensor.h: a tensor that owns its bytes.
#pragma once
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "golden/io/tensor.h"

namespace golden::io {

/// Uninitialized bytes: the creator writes every one.
class byte_buffer {
 public:
  byte_buffer() = default;
  explicit byte_buffer(std::uint64_t size)
      : bytes_(std::make_unique_for_overwrite<std::uint8_t[]>(size)), size_(size) {}

  [[nodiscard]] std::uint8_t* data() { return bytes_.get(); }
  [[nodiscard]] const std::uint8_t* data() const { return bytes_.get(); }
  [[nodiscard]] byte_view view() const { return {bytes_.get(), size_}; }

 private:
  std::unique_ptr<std::uint8_t[]> bytes_;
  std::uint64_t size_ = 0;
};

struct owned_tensor {
  std::string name;
  dtype type = dtype::u8;
  std::vector<std::uint64_t> shape;
  byte_buffer bytes;

  /// The tensor as file writers accept it; valid as long as this object.
  [[nodiscard]] tensor view(const std::string& path, const std::string& prefix = "") const {
    return {prefix + name, type, shape, bytes.view(), path};
  }
};

/// An F32 tensor of these values.
[[nodiscard]] inline owned_tensor float_tensor(std::string name, std::vector<std::uint64_t> shape,
                                               const std::vector<float>& values) {
  owned_tensor made{std::move(name), dtype::f32, std::move(shape),
                    byte_buffer(values.size() * sizeof(float))};
  if (!values.empty()) {
    std::memcpy(made.bytes.data(), values.data(), values.size() * sizeof(float));
  }
  return made;
}

}  // namespace golden::io
