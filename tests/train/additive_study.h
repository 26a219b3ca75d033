// SPDX-License-Identifier: Apache-2.0
// tests/train/additive_study.h: a tiny study of the arms that additivity is defined by, in the
// order FP32, scale, deadzone, grid, all.
#pragma once
#include "tiny_study.h"

namespace test {

inline sim::arm injected_arm(const std::string& name, mx::component part) {
  mx::operand injected = mxfp4();
  injected.toggle = mx::toggle::injection;
  injected.parts = part;
  return {name, everywhere(injected), {}, {}};
}

inline sim::study additive_study() {
  sim::study s = tiny_study();
  s.warm_up.steps = 48;
  s.outliers.factors = {1};
  s.grpo.steps = 3;
  s.grpo.clip = 0.125F;
  s.measurement.additivity_steps = {1, 3};
  s.arms = {{"fp32", {}, {}, {}},
            injected_arm("inj-s", mx::component::scale),
            injected_arm("inj-d", mx::component::deadzone),
            injected_arm("inj-g", mx::component::grid),
            {"mxfp4", everywhere(mxfp4()), {}, {}}};
  return s;
}

}  // namespace test
