// SPDX-License-Identifier: Apache-2.0
// sim/train/model_differences.h: results of an arm's first training batch that its models of
// products change: how many differ from those of `fp32.fma` on the same operands.
#pragma once
#include <string>
#include <vector>

#include "sim/train/trainer.h"

namespace sim {

/// Results of all quantized products of one pass.
///   different  in any bit from those of `fp32.fma`
struct model_difference {
  sim::pass pass = pass::rollout;
  long long results = 0, different = 0;

  [[nodiscard]] double share() const {
    return static_cast<double>(different) / static_cast<double>(results);
  }
};

/// Of the passes under another model than `fp32.fma`, in the order of the passes; on the rollouts
/// of step 0, whose tokens weigh as much as their advantage, or alike where no group has a spread.
///   weights  of the policy
[[nodiscard]] std::vector<model_difference> model_differences(const setting& s, const arm& a,
                                                              const std::vector<float>& weights);

/// One line: the share of each pass, and whether there is nothing to train; names the arm of the
/// study that computes the same.
[[nodiscard]] std::string line_of(const study& s, const arm& a,
                                  const std::vector<model_difference>& differences);

}  // namespace sim
