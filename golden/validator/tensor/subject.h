// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/subject.h: one tensor, and the bytes that a kernel made of it.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "mx/tensor/blocks.h"

namespace golden::validator {

using byte_span = std::span<const std::uint8_t>;

/// The arrays of a second pass; empty where there is none.
struct residual_bytes {
  byte_span codes = {}, scales = {}, macro_fractions = {};
};

/// Caller-owned bytes that outlive this.
///   shown          its name in texts; empty: the name
///   values         the tensor's numbers, row-major, little-endian, any alignment
///   shape          at least one axis
///   codes, scales  as the kernel wrote them
///   tensor_scales  one, or one a row; empty where the kernel wrote none
///   macro_fractions, residual  of corrections
struct subject {
  std::string name = {}, shown = {};
  mx::number_type type = mx::number_type::fp32;
  byte_span values = {};
  std::vector<std::uint64_t> shape = {};
  byte_span codes = {}, scales = {};
  std::vector<float> tensor_scales = {};
  byte_span macro_fractions = {};
  residual_bytes residual = {};

  [[nodiscard]] std::uint64_t elements() const {
    std::uint64_t count = 1;
    for (const std::uint64_t extent : shape) count *= extent;
    return count;
  }
};

}  // namespace golden::validator
