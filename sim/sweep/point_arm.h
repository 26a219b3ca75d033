// SPDX-License-Identifier: Apache-2.0
// sim/sweep/point_arm.h: a point of a sweep as an arm of a study.
#pragma once
#include <memory>
#include <string>

#include "sim/study/study.h"
#include "sim/sweep/sweep_point.h"

namespace sim {

/// An arm whose operands all have a point's format, and whose products have its model.
///   model  with the point's accumulation; null where a named model has it. The arm points to it
struct point_arm {
  std::shared_ptr<const mx::named_model> model;
  arm of;
};

/// Must not outlive the point.
[[nodiscard]] point_arm arm_of(const sweep_point& p);

/// Why a policy cannot compute its products under a point, as a sentence; empty if it can.
///   passes  that are computed
[[nodiscard]] std::string refusal_of(const sweep_point& p, const policy_shape& policy,
                                     const std::vector<pass>& passes);

}  // namespace sim
