// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_study.h: a sweep: axes, inputs, what is measured, and how points are chosen.
#pragma once
#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sim/sweep/condition.h"
#include "sim/sweep/sweep_measure.h"

namespace sim {

/// Values of one field, as words. Where the condition fails, the point lacks the field.
struct sweep_axis {
  std::string name;
  std::vector<std::string> values;
  condition when;
};

/// Every combination of the axes' values.
struct sweep_grid {
  std::vector<sweep_axis> axes;
};

/// Where the numbers of an input come from.
///   file              tensors of a file or of a model's folder
///   laplace           density exp(-|x|) / 2
///   student_t         `degrees` degrees of freedom, scaled to deviation 1
///   outlier_channels  normal numbers; column 0 of every `columns_a_channel` times `factor`
enum class input_law : std::uint8_t { file, gaussian, laplace, student_t, outlier_channels };

/// A policy under a point's arithmetic, in place of numbers.
///   study   of its policy, as `mxprism train` takes it; its arms are not looked at
///   texts   that `frozen` reads; empty: the study's own batches at frozen weights
///   tokens  of the first texts together; 0: of all
///   batch   texts a batch
///   steps   of `training`; 0: as many as the study has
struct input_policy {
  std::string study, texts;
  int tokens = 0, batch = 2, steps = 0;
};

/// Tensors to be measured as one, or a policy.
///   deviation  times all numbers of a law
///   role     of a checkpoint's tensors, for the page: "weight", "gradient"
///   tensors  patterns of names, * for any text; none: all tensors
struct sweep_input {
  std::string name, role;
  input_law law = input_law::gaussian;
  std::uint64_t seed = 1;
  int rows = 1024, columns = 1024;
  int degrees = 5, columns_a_channel = 32;
  float factor = 16, deviation = 1;
  std::string file;
  std::vector<std::string> tensors;
  std::optional<input_policy> policy;
};

/// A product of the first m rows of an input by n rows of another, over k columns.
///   other  an input; empty: the rows of the same one behind the first m
struct sweep_product {
  int m = 0, n = 0, k = 0;
  std::string other;
};

///   halving  all points on a part of every input, the better ones on a larger part, and so on
enum class sweep_search : std::uint8_t { grid, random, halving };
/// What happens to points that make no sense, or that a constraint excludes.
enum class invalid_points : std::uint8_t { skip, refuse };
/// Of successive halving: the best `keep` of the points go on, `rounds` times; the first round
/// takes keep^rounds of each input's rows, texts, batches or steps.
struct halving_rule {
  std::string objective = "sqnr_db";
  double keep = 0.5;
  int rounds = 3;
};

/// What a point costs: bits an element; gates a product, and their depth (sim/sweep/gate_table.h).
inline constexpr std::array<std::string_view, 3> sweep_costs{"bits", "gates", "depth"};

struct sweep_study {
  std::string name;
  std::string hash;  ///< SHA-256 of the file
  sweep_search search = sweep_search::grid;
  invalid_points invalid = invalid_points::skip;
  std::uint64_t seed = 1;
  int points = 0;  ///< of a random search; 0 in others: all
  std::vector<sweep_measure> measures;
  std::vector<condition> constraints;
  std::vector<sweep_grid> grids;
  std::vector<sweep_input> inputs;
  sweep_product product;
  halving_rule halving;
  std::string page_cost = "bits";       ///< of the page's fronts: of sweep_costs
  std::string page_metric = "sqnr_db";  ///< what they weigh against it

  [[nodiscard]] bool measures_what(sweep_measure m) const {
    return std::ranges::find(measures, m) != measures.end();
  }
};

/// The measures that an input can give, of those that the sweep has.
[[nodiscard]] inline std::vector<sweep_measure> measures_on(const sweep_study& s,
                                                            const sweep_input& in) {
  std::vector<sweep_measure> own = s.measures;
  std::erase_if(own, [&](sweep_measure m) { return is_of_policies(m) != in.policy.has_value(); });
  return own;
}

}  // namespace sim
