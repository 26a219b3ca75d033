// SPDX-License-Identifier: Apache-2.0
// tests/train/device_products_test.cpp: training whose products of FP32 numbers are computed by the
// bodies of the CUDA kernels, on the CPU: every step has the hash that the bulk functions give.
#include <atomic>
#include <memory>
#include <vector>

#include "catch.h"
#include "sim/train/warm_up.h"
#include "tests/kernels/grid/host_values.h"
#include "tiny_study.h"

namespace {

/// Products that went through the bodies.
struct product_counts {
  std::atomic<std::int64_t> rows{0}, leaves{0};
};

class factor_of_bodies : public sim::right_factor {
 public:
  factor_of_bodies(int k, std::span<const sim::factor_columns> side_by_side, product_counts& counts)
      : k_(k),
        n_(sim::columns_of(side_by_side)),
        b_(sim::joined(k, side_by_side)),
        counts_(counts) {}

  void multiply(int rows, const float* a, std::ptrdiff_t a_stride, float* c) const override {
    const auto answer = kernels_test::multiply({rows, n_, k_, a, a_stride, b_.data(), n_, c, n_});
    if (!answer.is_done()) throw std::logic_error(mx::kernels::sentence_of(answer));
    counts_.rows += rows;
  }

 private:
  int k_, n_;
  std::vector<float> b_;
  product_counts& counts_;
};

class products_of_bodies : public sim::value_products {
 public:
  [[nodiscard]] std::unique_ptr<const sim::right_factor> factor(
      int k, std::span<const sim::factor_columns> side_by_side) const override {
    return std::make_unique<factor_of_bodies>(k, side_by_side, counts);
  }
  void add(const sim::value_leaves& l) const override {
    std::vector<mx::kernels::value_leaf> leaves;
    for (const mx::outer_product& p : l.leaves)
      leaves.push_back({p.left + l.row_begin, p.right, p.k});
    std::vector<float*> levels;
    for (int at = 0; (l.first_leaf + static_cast<int>(leaves.size())) >> at != 0; ++at) {
      levels.push_back(l.levels[at] + std::ptrdiff_t{l.row_begin} * l.n);
    }
    const int rows = std::min(l.row_end, l.m) - l.row_begin;
    const auto answer =
        kernels_test::add_leaves({leaves.data(), static_cast<int>(leaves.size()), l.first_leaf,
                                  rows, l.n, l.left_stride, l.right_stride, levels.data()});
    if (!answer.is_done()) throw std::logic_error(mx::kernels::sentence_of(answer));
    counts.leaves += static_cast<std::int64_t>(leaves.size()) * rows;
  }

  mutable product_counts counts;
};

/// Hashes of two steps of an arm.
std::vector<std::string> hashes_of(const sim::setting& s, const sim::arm& a,
                                   const std::vector<float>& weights) {
  sim::training_state state{weights, {}, 0};
  sim::gradient_computer gradient(s);
  std::vector<std::string> hashes;
  while (state.step < 2) {
    const sim::rollout_step step = sim::grpo_step(s, a, gradient, state);
    hashes.push_back(sim::step_hash(state, step));
  }
  return hashes;
}

/// Rows of all weights of linears and of the embedding: those of a sequence's leaves.
std::int64_t rows_of_leaves(const sim::parameter_table& table) {
  std::int64_t rows = table.embedding().rows;
  for (int layer = 0; layer < table.shape().layers; ++layer) {
    for (const sim::linear l : sim::all_linears) rows += table.layer(layer).of(l).rows;
  }
  return rows;
}

void expect_equal_hashes(const sim::study& study, std::size_t arms) {
  const sim::setting on_cpu(study);
  const std::vector<float> weights = sim::warmed_up_policy(on_cpu).weights;
  for (std::size_t i = 0; i < arms; ++i) {
    const products_of_bodies bodies;
    const sim::setting by_bodies(study, bodies);
    INFO(study.arms[i].name);
    CHECK(hashes_of(by_bodies, study.arms[i], weights) ==
          hashes_of(on_cpu, study.arms[i], weights));
    const int sequences = 2 * study.grpo.prompts * study.grpo.samples;
    CHECK(bodies.counts.leaves == sequences * rows_of_leaves(by_bodies.table));
    CHECK(bodies.counts.rows > 0);
  }
}

sim::study few_prompts(sim::study s) {
  s.grpo.prompts = 4;
  s.grpo.samples = 2;
  return s;
}

TEST_CASE("steps_by_the_bodies_of_kernels_have_the_hashes_of_the_bulk_functions") {
  const sim::study s = few_prompts(test::tiny_study());
  expect_equal_hashes(s, s.arms.size());
}

TEST_CASE("the_default_policy_s_steps_do_too", "[.nightly]") {
  sim::study s = few_prompts(test::tiny_study());
  s.policy = sim::study{}.policy;
  s.task = sim::study{}.task;
  s.outliers = {};
  expect_equal_hashes(s, 2);
}

}  // namespace
