// SPDX-License-Identifier: Apache-2.0
// sim/sweep/short_training.cpp: see short_training.h.
#include "sim/sweep/short_training.h"

#include <algorithm>
#include <cmath>

#include "sim/train/evaluation.h"
#include "sim/train/watched_step.h"

namespace sim {

training_end short_training::under(const arm& a, int steps) const {
  training_end end{0, std::nan(""), false};
  gradient_computer gradient(setting_);
  training_state state{*start_, {}, 0, start_};
  while (state.step < steps) {
    const auto outcome = watched_step(setting_, a, gradient, state);
    if (std::holds_alternative<divergence>(outcome)) {
      end.diverged = true;
      return end;
    }
    const std::vector<figure>& figures = std::get<rollout_step>(outcome).figures;
    end.entropy = std::ranges::find(figures, "entropy", &figure::name)->value;
  }
  end.accuracy = accuracy_of(state.weights);
  return end;
}

double short_training::accuracy_at_start() const { return accuracy_of(*start_); }

double short_training::accuracy_of(const std::vector<float>& weights) const {
  return accuracy_in_fp32(setting_, weights, setting_.constants.measurement.final_problems);
}

}  // namespace sim
