// SPDX-License-Identifier: Apache-2.0
// tests/train/kl_matrix_test.cpp: sim/train/kl_matrix.h: forms of known distributions, the KL of
// small perturbations, and the matrix of a policy against the same computed by its definition.
#include "sim/train/kl_matrix.h"

#include <cmath>

#include "additive_study.h"
#include "catch.h"
#include "sim/train/warm_up.h"

namespace {

using logits = std::vector<double>;
constexpr int width = 16;

std::vector<float> log_softmax_of(const logits& z) {
  double sum = 0;
  for (const double v : z) sum += std::exp(v);
  std::vector<float> result;
  for (const double v : z) result.push_back(static_cast<float>(v - std::log(sum)));
  return result;
}

/// The same number in 16 places, but for the first ones.
logits level(std::initializer_list<double> first, double others) {
  logits z(width, others);
  std::copy(first.begin(), first.end(), z.begin());
  return z;
}

logits moved(logits z, double by, const logits& along) {
  for (std::size_t v = 0; v < z.size(); ++v) z[v] += by * along[v];
  return z;
}

sim::fisher_sums products_of(const logits& reference, const std::array<logits, 4>& policies) {
  const std::vector<float> log_p = log_softmax_of(reference);
  std::array<std::vector<float>, 4> log_q;
  std::array<const float*, 4> at{};
  for (std::size_t i = 0; i < 4; ++i) {
    log_q[i] = log_softmax_of(policies[i]);
    at[i] = log_q[i].data();
  }
  sim::fisher_sums sums{};
  sim::add_fisher_products(width, log_p.data(), at, sums);
  return sums;
}

TEST_CASE("the_form_of_two_equally_likely_tokens_is_an_eighth_of_the_errors_product") {
  // p = (1/2, 1/2), so F = 1/4 (1 -1; -1 1), for errors (a, 0) and (b, 0): 1/2 * a b / 4.
  const logits reference = level({0, 0}, -60);
  const auto with = [&](double first, double second) { return level({first, second}, -60); };
  const auto sums = products_of(reference, {with(0.5, 0), with(-0.25, 0), with(0, 1), with(0, 0)});
  const std::array<double, 4> difference{0.5, -0.25, -1, 0};
  for (std::size_t i = 0; i < 4; ++i) {
    for (std::size_t j = 0; j < 4; ++j) {
      INFO(i << " " << j);
      CHECK(sums[i][j] == Approx(difference[i] * difference[j] / 8).margin(1e-7));
      CHECK(sums[i][j] == sums[j][i]);
    }
  }
}

TEST_CASE("a_constant_added_to_all_logits_changes_no_form") {
  const logits reference = level({1, 2, -1}, 0), along = level({0.3, -0.2, 0.1}, 0.05);
  const logits error = moved(reference, 1, along), shifted = moved(error, 3, logits(width, 1.0));
  const auto sums = products_of(reference, {error, shifted, reference, reference});
  CHECK(sums[0][0] > 0);
  CHECK(sums[1][1] == Approx(sums[0][0]).epsilon(1e-5));
  CHECK(sums[0][1] == Approx(sums[0][0]).epsilon(1e-5));
  CHECK(sums[2][2] == 0);
}

double kl(const logits& p, const logits& q) {
  double zp = 0, zq = 0, sum = 0;
  for (std::size_t v = 0; v < p.size(); ++v) zp += std::exp(p[v]), zq += std::exp(q[v]);
  for (std::size_t v = 0; v < p.size(); ++v) {
    sum += std::exp(p[v]) / zp * (p[v] - std::log(zp) - q[v] + std::log(zq));
  }
  return sum;
}

TEST_CASE("kl_of_small_errors_is_the_form_of_their_sum_to_second_order") {
  const logits reference = level({1, 2, -1, 0.5}, -0.5);
  const logits s = level({0.7, -1, 0.2}, 0.1), d = level({-0.3, 0.4, 1}, 0),
               g = level({-0.5, 0.6, 0, 1}, -0.2);
  double before = 0;
  for (const double size : {0.25, 0.125, 0.0625}) {
    const auto policy = [&](const logits& along) { return moved(reference, size, along); };
    const logits all = moved(moved(policy(s), size, d), size, g);
    const auto sums = products_of(reference, {policy(s), policy(d), policy(g), all});
    double added = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      for (std::size_t j = 0; j < 3; ++j) added += sums[i][j];
    }
    CHECK(added == Approx(sums[3][3]).epsilon(1e-4));  // the parts add up
    const double error = std::abs(kl(all, reference) - added);
    INFO("size " << size << ", KL " << kl(all, reference) << ", form " << added);
    CHECK(error < 0.2 * size * added / 0.25);
    // Halving the errors leaves an eighth of what the form misses.
    if (before > 0) CHECK(error == Approx(before / 8).epsilon(0.2));
    before = error;
  }
}

const sim::setting& additive() {
  static const sim::setting s(test::additive_study());
  return s;
}

const sim::frozen_reference& reference() {
  static const sim::frozen_reference r =
      sim::make_reference(additive(), sim::warmed_up_policy(additive()).weights);
  return r;
}

/// Half the covariance of two arms' errors of logits, token by token, as E xy - E x E y.
double entry_by_hand(const sim::arm& a, const sim::arm& b, std::size_t without) {
  double sum = 0;
  int tokens = 0;
  for (std::size_t batch = 0; batch < reference().batches.size(); ++batch) {
    if (batch == without) continue;
    const auto scored = [&](const sim::arm& x) {
      const sim::pass_products products =
          additive()
              .at_step(x.formats, sim::stream::frozen_operands, static_cast<int>(batch))
              .of(sim::pass::rollout);
      sim::gradient_computer policy(additive());
      return policy
          .score(products, sim::prepare_forward(additive().table, reference().weights, products),
                 reference().batches[batch])
          .log_distributions;
    };
    const auto x = scored(a), y = scored(b), z = scored(additive().constants.arms.front());
    for (std::size_t at = 0; at < z.size(); at += 32, ++tokens) {
      double xy = 0, mean_x = 0, mean_y = 0;
      for (std::size_t v = at; v < at + 32; ++v) {
        const double p = std::exp(double{z[v]}), ex = double{x[v]} - double{z[v]},
                     ey = double{y[v]} - double{z[v]};
        xy += p * ex * ey, mean_x += p * ex, mean_y += p * ey;
      }
      sum += (xy - mean_x * mean_y) / 2;
    }
  }
  return sum / tokens;
}

TEST_CASE("entries_are_means_over_response_tokens_with_and_without_each_batch") {
  const std::vector<sim::arm>& arms = additive().constants.arms;
  const sim::cell_figures m = sim::kl_matrix(additive(), reference(), arms[4], reference().weights);
  const auto figure = [&](const std::string& name) { return m.at({"kl_matrix." + name, "", ""}); };
  const auto check = [&](const std::string& name, const sim::arm& a, const sim::arm& b) {
    INFO(name);
    const sim::replicated found = figure(name);
    CHECK(found.full == Approx(entry_by_hand(a, b, 2)).epsilon(1e-4).margin(1e-9));
    REQUIRE(found.without.size() == 2);
    CHECK(found.without[0] == Approx(entry_by_hand(a, b, 0)).epsilon(1e-4).margin(1e-9));
    CHECK(found.without[1] == Approx(entry_by_hand(a, b, 1)).epsilon(1e-4).margin(1e-9));
  };
  check("injection.S.S", arms[1], arms[1]);
  check("injection.S.G", arms[1], arms[3]);
  check("injection.D.G", arms[2], arms[3]);
  check("operation.D.G", arms[2], arms[3]);
  check("whole", arms[4], arms[4]);
  for (const char* none : {"S.S", "S.D", "S.G", "row.S"}) {
    CHECK(figure(std::string("operation.") + none).full == 0);
  }
  CHECK(m.size() == 2 * (6 + 3 + 1) + 1);
}

TEST_CASE("rows_add_up_to_the_sum_and_the_whole_is_the_kl_but_for_higher_orders") {
  const sim::arm& all = additive().constants.arms[4];
  const auto cell = sim::measure_cell(additive(), reference(), all, 1, sim::gradient_detail::whole);
  const auto full = [&](const std::string& name) { return cell.at({name, "", ""}).full; };
  for (const std::string meaning : {"kl_matrix.injection.", "kl_matrix.operation."}) {
    CHECK(full(meaning + "sum") ==
          Approx(full(meaning + "row.S") + full(meaning + "row.D") + full(meaning + "row.G")));
    CHECK(full(meaning + "row.G") ==
          Approx(full(meaning + "S.G") + full(meaning + "D.G") + full(meaning + "G.G")));
  }
  CHECK(full("kl_matrix.whole") == Approx(full("kl")).epsilon(0.15));
}

TEST_CASE("only_the_arm_of_all_parts_has_a_matrix_and_needs_the_others") {
  const auto& arms = additive().constants.arms;
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(sim::kl_matrix(additive(), reference(), arms[i], reference().weights).empty());
  }
  sim::study few = test::additive_study();
  few.arms.erase(few.arms.begin() + 2);
  const sim::setting s(few);
  CHECK(sim::kl_matrix(s, reference(), few.arms.back(), reference().weights).empty());
}

}  // namespace
