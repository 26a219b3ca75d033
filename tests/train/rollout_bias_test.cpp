// SPDX-License-Identifier: Apache-2.0
// tests/train/rollout_bias_test.cpp: sim/train/rollout_bias.h: equal arithmetics have no bias in
// any bit, others have that of gradients computed here one by one, however the work is carried out.
#include "sim/train/rollout_bias.h"

#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "catch.h"
#include "scratch_folder.h"
#include "sim/study/study_words.h"
#include "sim/train/gradient_bias.h"
#include "sim/train/grpo.h"
#include "sim/train/run.h"
#include "sim/train/warm_up.h"
#include "tiny_study.h"

namespace {

using floats = std::vector<float>;
using batches = std::vector<floats>;
using sim::mismatch;
using sim::setting;

constexpr int batch_size = 4 * 8, parts = 16, batches_a_part = 4;

sim::study small_study() {
  sim::study s = test::tiny_study();
  s.measurement.mismatch_rollouts = 3 * parts * batch_size + 1;  // rounded up
  return s;
}

const floats& weights() {
  static const floats w = sim::warmed_up_policy(setting(small_study())).weights;
  return w;
}

sim::arm arm(const std::string& name) {
  const auto arms = test::tiny_arms();
  return *std::ranges::find(arms, name, &sim::arm::name);
}

sim::cell_figures measured(const sim::study& s, const sim::arm& a) {
  return sim::rollout_bias(setting(s), weights(), a);
}

double value_of(const sim::cell_figures& figures, const std::string& metric) {
  INFO(metric);
  const auto found = figures.find({metric, "", ""});
  REQUIRE(found != figures.end());
  return found->second.full;
}

TEST_CASE("a_mismatch_is_that_of_the_arithmetics_of_rollout_and_forward") {
  CHECK(sim::has_rollout_mismatch(arm("mxfp4-rollout")));
  for (const char* equal : {"fp32", "mxfp4", "mbs+of+aqn"}) {
    CHECK_FALSE(sim::has_rollout_mismatch(arm(equal)));
  }
}

TEST_CASE("equal_arithmetics_have_no_bias_in_any_bit") {
  for (const char* name : {"fp32", "mxfp4"}) {
    const sim::cell_figures cell = measured(small_study(), arm(name));
    INFO(name);
    REQUIRE(cell.size() == 1 + 4 * 3);
    for (const auto& [key, figure] : cell) {
      INFO(key.metric);
      const double expected = key.metric.find("bias_squared") != std::string::npos ? 0 : 1;
      CHECK(figure.full == expected);
      REQUIRE(figure.without.size() == parts);
      CHECK(std::ranges::count(figure.without, expected) == parts);
    }
  }
}

/// One batch, as training would compute it.
class plain_batch {
 public:
  plain_batch(const setting& s, const sim::arm& a, int index)
      : s_(s),
        arm_(a),
        step_(0x400000 + index),
        formats_(s.at_step(a.formats, sim::stream::frozen_operands, step_)),
        gradient_(s) {}

  /// Rollouts under a pass' arithmetic.
  [[nodiscard]] std::vector<sim::rollout> rollouts(sim::pass p) const {
    const sim::pass_products products = formats_.of(p);
    return sim::sample_responses(
        s_.context(products), sim::prepare_forward(s_.table, weights(), products),
        s_.prompts(sim::stream::frozen_prompts, step_, s_.constants.grpo.prompts),
        s_.sampled(sim::decoding::sampled, s_.constants.grpo.samples, sim::stream::frozen_samples,
                   step_));
  }

  floats gradient(const std::vector<sim::rollout>& rollouts, mismatch weighting) {
    std::vector<sim::sequence> sequences;
    floats rewards;
    for (const sim::rollout& r : rollouts) {
      sequences.push_back(r.tokens);
      rewards.push_back(s_.task->solved(r.tokens) ? 1.0F : 0.0F);
    }
    const auto forward = sim::prepare_forward(s_.table, weights(), formats_.of(sim::pass::forward));
    const auto log_ratio = log_ratios(rollouts, forward, sequences);
    const floats advantage =
        sim::advantages(rewards, s_.constants.grpo.samples, s_.constants.grpo.advantage_epsilon);
    const double cap = double{sim::importance_cap_of(arm_, s_.constants.grpo)};
    return gradient_(formats_, forward, sim::prepare_backward(s_.table, weights(), formats_),
                     sequences, [&](int i, int t, const sim::token_outcome&) {
                       const auto at = static_cast<std::size_t>(i);
                       const std::vector<double>& logs = log_ratio[at];
                       const double ratio = std::exp(sim::mean_of(logs) * double(logs.size()));
                       double weight = 1;
                       if (weighting == mismatch::truncated_importance) {
                         weight = std::min(std::exp(logs[static_cast<std::size_t>(t)]), cap);
                       }
                       if (weighting == mismatch::sequence_mask) weight = ratio > cap ? 0 : ratio;
                       return sim::token_share(sequences) * static_cast<float>(weight) *
                              advantage[at];
                     });
  }

 private:
  std::vector<std::vector<double>> log_ratios(const std::vector<sim::rollout>& rollouts,
                                              const sim::forward_weights& forward,
                                              const std::vector<sim::sequence>& sequences) {
    const auto scored = gradient_.score(formats_.of(sim::pass::forward), forward, sequences);
    std::vector<std::vector<double>> result;
    std::size_t at = 0;
    for (const sim::rollout& r : rollouts) {
      result.emplace_back();
      for (const float drawn : r.log_probability) {
        result.back().push_back(double{scored.outcomes[at++].log_probability} - double{drawn});
      }
    }
    return result;
  }

  const setting& s_;
  const sim::arm& arm_;
  int step_;
  sim::step_arithmetic formats_;
  sim::gradient_computer gradient_;
};

void add_to(floats& sum, const floats& more) {
  sum.resize(more.size());
  for (std::size_t i = 0; i < more.size(); ++i) sum[i] += more[i];
}

TEST_CASE("the_bias_of_each_weighting_is_that_of_gradients_computed_one_by_one") {
  const setting s(small_study());
  sim::arm a = arm("mxfp4-rollout");
  a.importance_cap = 1.1F;  // reached often
  const std::pair<mismatch, const char*> weightings[] = {
      {mismatch::none, "none"},
      {mismatch::truncated_importance, "truncated_importance"},
      {mismatch::sequence_mask, "sequence_mask"}};
  batches reference(parts), weighted[3] = {batches(parts), batches(parts), batches(parts)};
  constexpr int rollouts = batches_a_part * parts * batch_size;
  int same = 0;
  for (int i = 0; i < batches_a_part * parts; ++i) {
    const auto part = static_cast<std::size_t>(i / batches_a_part);
    plain_batch batch(s, a, i);
    const auto own = batch.rollouts(sim::pass::forward), other = batch.rollouts(sim::pass::rollout);
    for (std::size_t r = 0; r < own.size(); ++r) same += own[r].tokens == other[r].tokens ? 1 : 0;
    add_to(reference[part], batch.gradient(own, mismatch::none));
    for (std::size_t w = 0; w < 3; ++w) {
      add_to(weighted[w][part], batch.gradient(other, weightings[w].first));
    }
  }
  const sim::cell_figures found = measured(small_study(), a);
  CHECK(same < rollouts);
  CHECK(value_of(found, "rollout_agreement") == Approx(double(same) / rollouts));
  for (std::size_t w = 0; w < 3; ++w) {
    const auto expected = sim::gradient_bias(weighted[w], reference).over(0, s.table.count());
    const auto figure = [&](const char* name) {
      return value_of(found, std::string("rollout_gradient_") + name + "." + weightings[w].second);
    };
    INFO(weightings[w].second);
    CHECK(figure("bias_squared") == Approx(expected.bias_squared()->full).epsilon(1e-3));
    CHECK(figure("cosine") == Approx(expected.cosine()->full).epsilon(1e-4));
    CHECK(figure("projection") == Approx(expected.projection()->full).epsilon(1e-4));
    CHECK(figure("variance") == Approx(expected.variance()->full).epsilon(1e-4));
  }
  const auto variance = [&](const char* w) {
    return value_of(found, std::string("rollout_gradient_variance.") + w);
  };
  CHECK(variance("none") != variance("truncated_importance"));
  CHECK(variance("none") != variance("sequence_mask"));
}

TEST_CASE("bits_do_not_depend_on_threads_or_micro_batch") {
  const sim::cell_figures expected = measured(small_study(), arm("mxfp4-rollout"));
  for (const auto& [threads, micro_batch] : {std::pair{1, 5}, {3, 1}, {2, 7}}) {
    sim::study s = small_study();
    s.run.micro_batch = micro_batch;
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism,
                                    static_cast<std::size_t>(threads));
    sim::cell_figures found;
    tbb::task_arena(threads).execute([&] { found = measured(s, arm("mxfp4-rollout")); });
    INFO(threads << " threads, micro-batch " << micro_batch);
    REQUIRE(found.size() == expected.size());
    for (const auto& [key, figure] : expected) {
      INFO(key.metric);
      CHECK(found.at(key).full == figure.full);
      CHECK(found.at(key).without == figure.without);
    }
  }
}

/// Rows of the frozen phase whose metric begins with `rollout_`, of each arm.
std::string rows_of_run(int rollouts) {
  sim::study s = small_study();
  s.grpo.steps = 1;
  s.outliers.factors = {1, 4};
  s.measurement.mismatch_rollouts = rollouts;
  const test::scratch_folder scratch;
  REQUIRE(sim::run_study({s, scratch / "run", sim::existing_run::fresh, 0, nullptr, nullptr}) ==
          sim::run_end::finished);
  std::istringstream lines(test::contents_of(scratch / "run" / "metrics.csv"));
  std::string result;
  for (std::string line; std::getline(lines, line);) {
    const std::size_t at = line.find(",rollout_");
    if (line.starts_with("frozen,") && at != std::string::npos) result += line + "\n";
  }
  return result;
}

TEST_CASE("a_run_has_rows_of_the_arms_with_a_mismatch_where_the_study_asks_for_them") {
  CHECK(rows_of_run(0).empty());
  const std::string rows = rows_of_run(1);
  CHECK(rows.find(",rollout_agreement,") != std::string::npos);
  for (const auto& w : sim::correction_words) {
    CHECK(rows.find(fmt::format(",rollout_gradient_variance.{},", w.text)) != std::string::npos);
  }
  std::istringstream lines(rows);
  for (std::string line; std::getline(lines, line);) {
    CHECK(line.starts_with("frozen,mxfp4-rollout,1,,1,,,rollout_"));
  }
}

}  // namespace
