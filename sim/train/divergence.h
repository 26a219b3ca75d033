// SPDX-License-Identifier: Apache-2.0
// sim/train/divergence.h: numbers of a training step that end it: one that is not finite in a
// forward pass, the loss, the gradient or the moments, and a weight of 2^64 or more. The square of
// such a weight is no finite FP32 number, so that RMSNorm, whose mean square is then Inf, returns
// zeros: the policy becomes uniform, with finite numbers everywhere, and never recovers.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/policy/parameters.h"
#include "sim/study/input_error.h"
#include "sim/train/optimizer.h"

namespace sim {

inline constexpr float saturated_weight = 0x1p64F;

/// The first such number of a step.
///   pass    rollout, forward, backward or update
///   tensor  by its Hugging Face name, which contains the layer; a gradient ends in ".gradient",
///           and the mean square of a norm's input in ".mean_square"
struct divergence : input_error {
  divergence(std::string pass, std::string tensor, double value);
  std::string pass, tensor;
  double value;
};

/// norm  of the gradient
///   errors  divergence, with the first tensor in the order of the backward pass
void expect_finite(const parameter_table& table, const std::vector<float>& gradient, float norm);

/// Numbers that an update changes.
enum class updated_numbers : std::uint8_t { weights, means, squares };

/// Takes what an update gives, tensor by tensor in the table's order.
class update_watch {
 public:
  void take(const parameter& p, std::span<const float> values, updated_numbers what);
  ///   errors  divergence, with the first tensor of the table, weights before moments
  void expect_finite() const;

 private:
  std::array<std::optional<divergence>, 3> found_;
};

/// The first number of one tensor of a vector of all parameters that is NaN, or not below the
/// limit; no value if there is none.
[[nodiscard]] std::optional<float> first_outside(const parameter& p,
                                                 const std::vector<float>& values, float limit);

}  // namespace sim
