// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sweep_row.h: what was measured at one point on one input, as a line of a file.
#pragma once
#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "sim/sweep/sweep_measure.h"

namespace sim {

/// A measured number: its name, and what it is.
///   of      the measure that gives it; those of `total` are given by every measure of numbers
///   better  larger or smaller values
struct sweep_metric {
  std::string_view name, meaning;
  sweep_measure of = sweep_measure::total;
  enum class better : unsigned char { larger, smaller, neither } best = better::neither;
};

inline constexpr std::array sweep_metrics{
    sweep_metric{"sqnr_db", "energy of x over that of the error", sweep_measure::total,
                 sweep_metric::better::larger},
    sweep_metric{"error", "energy of the error over that of x", sweep_measure::total,
                 sweep_metric::better::smaller},
    sweep_metric{"gain", "<Q, x> / <x, x>", sweep_measure::total},
    sweep_metric{"bias", "sum of |Q| over sum of |x|, less 1", sweep_measure::total},
    sweep_metric{"zeroed", "share of elements that become zero", sweep_measure::total,
                 sweep_metric::better::smaller},
    sweep_metric{"not_finite", "finite elements that become NaN or Inf", sweep_measure::total,
                 sweep_metric::better::smaller},
    sweep_metric{"zeroed_ideal", "share of elements that become zero under the unrounded scale",
                 sweep_measure::components, sweep_metric::better::smaller},
    sweep_metric{"scale_share", "energy of the scale's part over the error's",
                 sweep_measure::components},
    sweep_metric{"deadzone_share", "of the deadzone's part", sweep_measure::components},
    sweep_metric{"grid_share", "of the grid's part", sweep_measure::components},
    sweep_metric{"clip_share", "of clipping", sweep_measure::components},
    sweep_metric{"cos_scale_deadzone", "cosine of the scale's and the deadzone's part",
                 sweep_measure::components},
    sweep_metric{"cos_scale_grid", "of the scale's and the grid's", sweep_measure::components},
    sweep_metric{"cos_deadzone_clip", "of the deadzone's and the clipped",
                 sweep_measure::components},
    sweep_metric{"cos_grid_clip", "of the grid's and the clipped", sweep_measure::components},
    sweep_metric{"product_db", "energy of A B over that of D - A B", sweep_measure::product,
                 sweep_metric::better::larger},
    sweep_metric{"accumulation_db",
                 "energy of the codes' product over that of D's difference from it",
                 sweep_measure::product, sweep_metric::better::larger},
    sweep_metric{"special_blocks", "blocks with NaN or Inf, left out", sweep_measure::components},
    sweep_metric{"violations", "elements whose parts do not add up exactly",
                 sweep_measure::components},
    sweep_metric{"kl", "KL of the distributions from FP32's, in nats a token",
                 sweep_measure::frozen, sweep_metric::better::smaller},
    sweep_metric{"entropy", "entropy of the distributions, in nats a token", sweep_measure::frozen},
    sweep_metric{"entropy_change", "entropy less that under FP32", sweep_measure::frozen},
    sweep_metric{"cross_entropy", "cross entropy of the tokens, in nats", sweep_measure::frozen,
                 sweep_metric::better::smaller},
    sweep_metric{"cross_entropy_change", "cross entropy less that under FP32",
                 sweep_measure::frozen, sweep_metric::better::smaller},
    sweep_metric{"greedy_agreement", "share of tokens whose likeliest one is FP32's",
                 sweep_measure::frozen, sweep_metric::better::larger},
    sweep_metric{"accuracy_final_in_fp32",
                 "share of right answers of the trained policy, under FP32",
                 sweep_measure::training, sweep_metric::better::larger},
    sweep_metric{"accuracy_gap",
                 "share of right answers of the policy trained in FP32, less that of this one",
                 sweep_measure::training, sweep_metric::better::smaller},
    sweep_metric{"accuracy_at_start", "share of right answers before the training, under FP32",
                 sweep_measure::training},
    sweep_metric{"rollout_entropy", "entropy of the last step's rollouts, in nats a token",
                 sweep_measure::training},
    sweep_metric{"diverged",
                 "1: a number of the training was not finite, and no answer counts as right",
                 sweep_measure::training, sweep_metric::better::smaller}};

/// Index in sweep_metrics; none for another name.
[[nodiscard]] std::optional<std::size_t> metric_named(std::string_view name);

///   key     of point, input, share and measures
///   share   of the input's rows: below 1 in early rounds of successive halving
///   values  in the order of sweep_metrics; none where not measured, NaN where not defined
struct sweep_row {
  std::string key;
  std::array<std::optional<double>, sweep_metrics.size()> values;

  friend bool operator==(const sweep_row& a, const sweep_row& b);

  [[nodiscard]] const std::optional<double>& of(std::string_view metric) const;
  void set(std::string_view metric, double value);
};

/// A line of a journal, without its end.
[[nodiscard]] std::string line_of(const sweep_row& row);
/// The row of a line.
///   errors  json_error
[[nodiscard]] sweep_row row_in(std::string_view line);

}  // namespace sim
