// SPDX-License-Identifier: Apache-2.0
// tests/claims/coverage.h: how often intervals cover, and how often decisions are wrong, over many
// synthetic experiments of 24 seeds that run through the decisions of `mxprism repro`.
#pragma once
#include <cmath>
#include <random>

#include "catch.h"
#include "tests/claims/synthetic_runs.h"

namespace test {

/// Noise of mean 0 and variance 1.
///   skewed  chi-square of 4 degrees of freedom, standardized: skewness 1.41
enum class noise_shape { gaussian, skewed };

/// Means of the arms, as unfavourable to the decision as the claims allow.
///   nothing_holds  every claim but "of" is false by one contrast that is 0, or at the margin
///   all_holds      no claim is false: every contrast is at the margin if there is one, else at 0
enum class truth { nothing_holds, all_holds };

/// A bound at the contrast's mean, and a range whose end is the contrast's standard deviation:
/// sqrt(.03^2 + .025^2).
inline sim::stated_claim bounded() {
  sim::stated_claim c = claim("bound", sim::claim_rule::at_most, {"fp32 - best"});
  c.contrasts[0].expected = .094 / 5;
  return c;
}
inline sim::stated_claim spread_of(truth t) {
  constexpr double deviation = .0390512;
  sim::stated_claim c = claim("spread", sim::claim_rule::spread, {"best - all"});
  c.within = t == truth::nothing_holds ? sim::value_range{.001, deviation}
                                       : sim::value_range{deviation, 1};
  return c;
}

inline sim::claims_plan coverage_plan(truth t) {
  using enum sim::claim_rule;
  return plan_of({claim("mbs", positive, {"mbs - mxfp4"}, fifth_of_the_gap),
                  claim("of", positive, {"of - mxfp4"}, fifth_of_the_gap),
                  claim("aqn", positive, {"aqn - mxfp4"}, fifth_of_the_gap),
                  claim("combination", positive, {"all - of", "all - mbs"}),
                  claim("equal", equivalent, {"fp32 - best"}, fifth_of_the_gap),
                  claim("scale", positive, {"shapley.S - shapley.G", "shapley.S - shapley.D"}),
                  claim("grid", positive, {"shapley.G - shapley.S", "shapley.G - shapley.D"}),
                  bounded(), spread_of(t)},
                 24);
}

/// Figures of one seed: seed, arms and parts of the error have deviations of their own, so that
/// contrasts of skewed noise are skewed.
class synthetic_seed {
 public:
  explicit synthetic_seed(truth t) {
    constexpr double gap = .094, margin = gap / 5;  // of the pilot
    const bool nothing = t == truth::nothing_holds;
    const double fp32 = .494, mxfp4 = fp32 - gap, near = fp32 - margin;
    const double corrected = mxfp4 + (nothing ? 0 : margin);
    arms_ = {{"fp32", fp32, .01},     {"mxfp4", mxfp4, .035},
             {"mbs", corrected, .02}, {"of", nothing ? near : corrected, .015},
             {"aqn", corrected, .04}, {"all", nothing ? near : corrected, .025},
             {"best", near, .03}};
    parts_ = {{{"S", nothing ? .05 : 0, .02}, {"D", 0, .01}, {"G", nothing ? .05 : 0, .03}}};
  }

  /// noise  returns a number for each of arms and parts
  template <class Noise>
  [[nodiscard]] arm_figures figures(Noise noise) const {
    arm_figures result;
    const double common = .03 * noise();
    for (const entry& a : arms_) result[a.name] = a.mean + common + a.deviation * noise();
    std::array<double, 3> parts{};
    for (std::size_t i = 0; i < 3; ++i) parts[i] = parts_[i].mean + parts_[i].deviation * noise();
    const auto [s, d, g] = parts;
    const double none = result["fp32"];
    result.insert({{"inj-s", none + s},
                   {"inj-d", none + d},
                   {"inj-g", none + g},
                   {"inj-sd", none + s + d},
                   {"inj-sg", none + s + g},
                   {"inj-dg", none + d + g},
                   {"op-sd", none + s + d},
                   {"op-sg", none + s + g}});
    return result;
  }

 private:
  struct entry {
    const char* name;
    double mean, deviation;
  };
  std::vector<entry> arms_;
  std::array<entry, 3> parts_{};
};

struct coverage {
  int draws = 0, covered = 0, intervals = 0;
  double least = 1, most = 0;             ///< of the contrasts' own shares
  int false_passes = 0, false_fails = 0;  ///< experiments with at least one

  [[nodiscard]] double share() const { return double(covered) / intervals; }
};

class coverage_run {
 public:
  coverage_run(truth t, noise_shape shape)
      : truth_(t), shape_(shape), seed_(t), plan_(coverage_plan(t)) {
    const std::vector<sim::seed_metrics> means(1, run_of(101, seed_.figures([] { return 0.0; })));
    for (const auto& claim : sim::values_of(plan_, means)) {
      for (const auto& c : claim) expected_.push_back(c.values.front());
    }
    covered_.resize(expected_.size());
  }

  [[nodiscard]] coverage run(int draws) {
    coverage result;
    for (; result.draws < draws; ++result.draws) take(experiment(), result);
    for (const int count : covered_) {
      result.covered += count;
      result.intervals += draws;
      result.least = std::min(result.least, double(count) / draws);
      result.most = std::max(result.most, double(count) / draws);
    }
    return result;
  }

 private:
  double noise() {
    if (shape_ == noise_shape::gaussian) return normal_(random_);
    double sum = 0;
    for (int i = 0; i < 4; ++i) sum += std::pow(normal_(random_), 2);
    return (sum - 4) / std::sqrt(8.0);
  }

  std::vector<sim::claim_result> experiment() {
    std::vector<sim::seed_metrics> runs;
    for (const std::uint64_t seed : plan_.studies.front().seeds) {
      runs.push_back(run_of(seed, seed_.figures([this] { return noise(); })));
    }
    return decided(plan_, runs);
  }

  void take(const std::vector<sim::claim_result>& results, coverage& into) {
    bool passed = false, failed = false;
    std::size_t at = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
      passed |= results[i].decided == sim::outcome::pass && plan_.claims[i].name != "of";
      failed |= results[i].decided == sim::outcome::fail;
      for (const auto& c : results[i].contrasts) {
        const auto [low, high] = sim::interval_of_mean(sim::sample_of(c.values), .95);
        covered_[at] += low <= expected_[at] && expected_[at] <= high ? 1 : 0;
        ++at;
      }
    }
    if (truth_ == truth::nothing_holds) into.false_passes += passed ? 1 : 0;
    if (truth_ == truth::all_holds) into.false_fails += failed ? 1 : 0;
  }

  truth truth_;
  noise_shape shape_;
  synthetic_seed seed_;
  sim::claims_plan plan_;
  std::vector<double> expected_;
  std::vector<int> covered_;
  std::mt19937_64 random_{20261123};
  std::normal_distribution<double> normal_;
};

/// Half of the draws under each truth.
///   slack  for the share of one contrast's intervals, beyond 93 to 97 %
inline void check_coverage(noise_shape shape, int draws, double slack) {
  for (const truth t : {truth::nothing_holds, truth::all_holds}) {
    const coverage c = coverage_run(t, shape).run(draws / 2);
    INFO("false PASS " << c.false_passes << ", false FAIL " << c.false_fails << " of " << c.draws
                       << "; covered " << c.share() << ", of one contrast " << c.least << " to "
                       << c.most);
    CHECK(c.share() >= .93);
    CHECK(c.share() <= .97);
    CHECK(c.least >= .93 - slack);
    CHECK(c.most <= .97 + slack);
    CHECK(c.false_passes <= .05 * c.draws);
    CHECK(c.false_fails <= .05 * c.draws);
  }
}

}  // namespace test
