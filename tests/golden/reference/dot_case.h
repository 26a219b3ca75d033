// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/dot_case.h: a dot product given in numbers instead of codes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/reference/device_models.h"

namespace test {

/// A word of a model: zeros, +0 as addend and scales of 1, except for what is set.
class dot_case {
 public:
  dot_case(golden::device_model model, std::size_t size);
  dot_case(const std::string& model, std::size_t size);  ///< of a model identified by its name

  /// a[k] and b[k], which must be representable in the formats. A zero is +0.
  dot_case& product(std::size_t k, const golden::rational& a, const golden::rational& b);
  dot_case& codes(std::size_t k, std::uint32_t a, std::uint32_t b);
  dot_case& all_codes(std::uint32_t a, std::uint32_t b);
  dot_case& addend(const golden::rational& c);
  dot_case& addend_bits(std::uint32_t c);
  dot_case& scale(std::size_t block, std::uint32_t code_a, std::uint32_t code_b);

  [[nodiscard]] std::uint32_t result() const;

 private:
  golden::device_model model_;
  std::vector<std::uint32_t> a_, b_, scale_a_, scale_b_;
  std::uint32_t c_ = 0;
};

/// A generic model whose elements are of one format.
golden::device_model generic(const std::string& name, const golden::number_format& element,
                             const golden::number_format* scale = nullptr);

/// The code of a number that is representable in the format.
std::uint32_t code_of(const golden::number_format& format, const golden::rational& value);
std::uint32_t fp32_bits(const golden::rational& value);
std::uint32_t fp16_bits(const golden::rational& value);

}  // namespace test
