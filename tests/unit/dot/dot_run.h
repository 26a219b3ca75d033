// SPDX-License-Identifier: Apache-2.0
// tests/unit/dot/dot_run.h: one dot product of codes under a model, and codes of numbers.
#pragma once
#include <string_view>
#include <vector>

#include "catch.h"
#include "mx/dot/dot.h"
#include "mx/dot/models.h"

namespace tests {

using codes = std::vector<std::uint32_t>;

inline const mx::dot_model& model_of(std::string_view name) {
  CAPTURE(name);
  REQUIRE(mx::model_named(name) != nullptr);
  return mx::model_named(name)->model;
}

inline std::uint32_t code_of(const mx::format& f, double value) {
  const auto x = mx::unpack(static_cast<float>(value));
  return mx::encode(f, x, mx::rounding::ties_to_even, mx::overflow::saturate);
}

/// An element's code in its container: TF32 lies in the upper bits of 32.
inline std::uint32_t stored(const mx::dot_model& model, const mx::format& f, double value) {
  return code_of(f, value) << model.unread_bits;
}

inline std::uint32_t run(const mx::dot_model& model, const codes& a, const codes& b,
                         std::uint32_t c, const codes& scale_a = {}, const codes& scale_b = {}) {
  return mx::dot(model, a.data(), b.data(), static_cast<int>(a.size()), c,
                 scale_a.empty() ? nullptr : scale_a.data(),
                 scale_b.empty() ? nullptr : scale_b.data());
}

inline float value_of(const mx::dot_model& model, std::uint32_t code) {
  return mx::to_binary32(mx::decode(model.sum.result, code));
}

/// Whether a model is a device's, whose steps are padded with zeros.
inline bool is_device(const mx::named_model& entry) {
  return entry.operands == mx::operands::of_model;
}

inline std::uint32_t one(const mx::dot_model& m, const mx::format& f) { return stored(m, f, 1); }

}  // namespace tests
