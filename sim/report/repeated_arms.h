// SPDX-License-Identifier: Apache-2.0
// sim/report/repeated_arms.h: arms all of whose figures are those of another one, bit for bit.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "sim/report/run_data.h"

namespace sim {

/// An arm, and the first arm of the study with the same figures.
struct repeated_arm {
  std::string arm, of;
  friend bool operator==(const repeated_arm&, const repeated_arm&) = default;
};

/// Arms that repeat another one in every row of a phase whose metric begins with `metrics`, and in
/// which of them there are rows; shares of different results under a model do not count. An arm all
/// of whose figures are NaN repeats nothing: it has none.
[[nodiscard]] std::vector<repeated_arm> repeated_arms(const run_data& run, std::string_view phase,
                                                      std::string_view metrics);

/// Of training, as under a model of products that changes no result.
[[nodiscard]] std::vector<repeated_arm> repeated_training(const run_data& run);

/// "aqn (as mxfp4), aqn+mbs (as mbs)", as HTML.
[[nodiscard]] std::string words_of(const std::vector<repeated_arm>& repeated);

/// Without those that repeat another one.
[[nodiscard]] std::vector<std::string> without(std::vector<std::string> arms,
                                               const std::vector<repeated_arm>& repeated);

/// Without them, and without groups that have nothing else to compare with reference and MXFP4.
[[nodiscard]] std::vector<arm_group> without(const std::vector<arm_group>& groups,
                                             const std::vector<repeated_arm>& repeated);

}  // namespace sim
