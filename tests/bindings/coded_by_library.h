// SPDX-License-Identifier: Apache-2.0
// tests/bindings/coded_by_library.h: a tensor through the C ABI, with arrays of the sizes it
// requires.
#pragma once
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "catch.h"
#include "mxprism/mxprism.h"

namespace library {

using bytes = std::vector<std::uint8_t>;
using floats = std::vector<float>;
using format_handle = std::unique_ptr<mx_format, decltype(&mx_format_destroy)>;
using model_handle = std::unique_ptr<mx_model, decltype(&mx_model_destroy)>;

inline format_handle format(const std::string& name, const std::string& options = {}) {
  std::string text(500, '\0');
  mx_error error{text.data(), text.size(), 0};
  mx_format* made = nullptr;
  const mx_status status = mx_format_create(name.c_str(), options.c_str(), &made, &error);
  INFO(name << " " << options << ": " << text.c_str());
  REQUIRE(status == mx_status_ok);
  return {made, mx_format_destroy};
}

inline model_handle model(const std::string& name, const std::string& options = {}) {
  std::string text(500, '\0');
  mx_error error{text.data(), text.size(), 0};
  mx_model* made = nullptr;
  const mx_status status = mx_model_create(name.c_str(), options.c_str(), &made, &error);
  INFO(name << " " << options << ": " << text.c_str());
  REQUIRE(status == mx_status_ok);
  return {made, mx_model_destroy};
}

/// All arrays of a tensor.
struct coded {
  std::vector<bytes> arrays;
  std::uint64_t special = 0;
  friend bool operator==(const coded&, const coded&) = default;
};

inline mx_buffer buffer_of(bytes& array) { return {array.data(), array.size()}; }

/// The structure of the C ABI over arrays of the sizes that the library requires.
class coded_arrays {
 public:
  coded_arrays(const mx_format* f, const mx_shape& shape) {
    made_.struct_size = sizeof made_;
    if (mx_coded_sizes(f, &shape, &made_, nullptr) != mx_status_ok) return;
    for (mx_buffer* buffer : {&made_.codes, &made_.scales, &made_.tensor_scales, &made_.tensor_amax,
                              &made_.macro_fractions, &made_.residual_codes, &made_.residual_scales,
                              &made_.residual_macro_fractions}) {
      buffers_.push_back(std::make_unique<bytes>(buffer->bytes, 0xA5));
      buffer->data = buffers_.back()->data();
    }
  }
  [[nodiscard]] const mx_coded* get() const { return &made_; }
  [[nodiscard]] coded copy() const {
    coded c;
    for (const auto& b : buffers_) c.arrays.push_back(*b);
    return c;
  }

 private:
  mx_coded made_{};
  std::vector<std::unique_ptr<bytes>> buffers_;
};

struct there_and_back {
  coded codes;
  std::vector<std::uint32_t> values;
  mx_status quantized = mx_status_internal, dequantized = mx_status_internal;
  friend bool operator==(const there_and_back&, const there_and_back&) = default;
};

/// Quantizes and dequantizes.
inline there_and_back through(const mx_format* f, const std::vector<std::uint64_t>& extents,
                              int axis, const floats& x) {
  const mx_shape shape{extents.data(), static_cast<std::uint32_t>(extents.size()), axis};
  const mx_numbers numbers{x.data(), x.size() * sizeof(float), mx_number_fp32};
  const coded_arrays arrays(f, shape);
  there_and_back result;
  result.values.resize(x.size());
  const mx_buffer values{result.values.data(), x.size() * sizeof(float)};
  result.quantized =
      mx_tensor_quantize(f, &shape, &numbers, arrays.get(), &result.codes.special, nullptr);
  result.dequantized = mx_tensor_dequantize(f, &shape, arrays.get(), &values, nullptr);
  const std::uint64_t special = result.codes.special;
  result.codes = arrays.copy();
  result.codes.special = special;
  return result;
}

/// Numbers of several binades and both signs, some of them zero.
inline floats numbers(std::size_t count, std::uint32_t seed = 1) {
  floats x(count);
  std::uint32_t state = seed;
  for (float& v : x) {
    state = state * 1664525 + 1013904223;
    const int exponent = static_cast<int>(state >> 28) - 8;
    const float fraction = static_cast<float>(static_cast<int>(state >> 8 & 0xFFFFF) - 0x80000);
    v = fraction * (exponent < 0 ? 1.0F / static_cast<float>(1 << -exponent)
                                 : static_cast<float>(1 << exponent));
    if (state % 17 == 0) v = 0;
  }
  return x;
}

}  // namespace library
