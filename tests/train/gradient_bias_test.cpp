// SPDX-License-Identifier: Apache-2.0
// tests/train/gradient_bias_test.cpp: sim/train/gradient_bias.h: its figures are means over pairs
// of different batches, and hit the truth of synthetic gradients in noise, which naive ones miss.
#include "sim/train/gradient_bias.h"

#include <cmath>
#include <functional>
#include <random>

#include "catch.h"
#include "sim/train/gradient_comparison.h"

namespace {

using floats = std::vector<float>;
using batches = std::vector<floats>;
using sim::gradient_bias;

double inner(const floats& a, const floats& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += double{a[i]} * double{b[i]};
  return sum;
}

/// Independent numbers of mean 0 and variance 1.
class noise {
 public:
  explicit noise(std::uint64_t seed) : engine_(seed) {}
  float next() {
    const double uniform = static_cast<double>(engine_() >> 11) * 0x1p-53;
    return static_cast<float>(std::sqrt(12.0) * (uniform - 0.5));
  }

 private:
  std::mt19937_64 engine_;
};

constexpr int width = 4096;

/// A vector of this squared length along an axis of its own.
floats signal(double squared, int axis) {
  floats result(width);
  for (std::size_t i = 0; i < width; ++i) {
    const bool minus = (i >> axis & 1) != 0;
    result[i] = static_cast<float>(std::sqrt(squared / width) * (minus ? -1 : 1));
  }
  return result;
}

/// mean + noise of this squared length.
floats drawn(const floats& mean, double squared, noise& from) {
  floats result = mean;
  const auto size = static_cast<float>(std::sqrt(squared / width));
  for (float& x : result) x += size * from.next();
  return result;
}

floats sum_of(const floats& a, const floats& b) {
  floats result = a;
  for (std::size_t i = 0; i < b.size(); ++i) result[i] += b[i];
  return result;
}

floats sum_of(const batches& all) {
  floats result = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) result = sum_of(result, all[i]);
  return result;
}

/// Mean over draws, its standard error, and the mean of the variances that the jackknife estimates.
struct over_draws {
  std::vector<double> values;
  double estimated = 0;

  void take(const sim::replicated& figure) {
    const sim::estimate e = sim::jackknife(figure);
    values.push_back(e.value);
    estimated += e.standard_error * e.standard_error;
  }
  [[nodiscard]] double mean() const { return sim::mean_of(values); }
  [[nodiscard]] double variance() const {
    double squares = 0;
    for (const double v : values) squares += (v - mean()) * (v - mean());
    return squares / static_cast<double>(values.size() - 1);
  }
  [[nodiscard]] double error() const {
    return std::sqrt(variance() / static_cast<double>(values.size()));
  }
  void require(double truth) const {
    INFO("mean " << mean() << " +- " << error() << ", truth " << truth);
    CHECK(std::abs(mean() - truth) < 4 * error());
    CHECK(error() < 0.04 * truth);
    const double ratio = estimated / static_cast<double>(values.size()) / variance();
    INFO("variance by the jackknife over that of the draws: " << ratio);
    CHECK(ratio > 0.6);
    CHECK(ratio < 2.6);  // twice where noise is all there is, for many batches
  }
};

TEST_CASE("figures_of_gradients_in_noise_hit_the_truth_and_naive_ones_do_not") {
  constexpr int draws = 150, parts = 8;
  const floats r = signal(1, 0), d = sum_of(signal(0.04, 1), signal(0.01, 0));  // d.r = 0.1
  over_draws bias, cosine, projection, error_variance;
  double naive_bias = 0, naive_cosine = 0;
  noise from(1);
  for (int draw = 0; draw < draws; ++draw) {
    batches references, gradients, differences;
    for (int b = 0; b < parts; ++b) {
      references.push_back(drawn(r, 10, from));
      differences.push_back(drawn(d, 4, from));
      gradients.push_back(sum_of(references.back(), differences.back()));
    }
    const gradient_bias::share found = gradient_bias(gradients, references).over(0, width);
    bias.take(found.bias_squared().value());
    cosine.take(found.cosine().value());
    projection.take(found.projection().value());
    error_variance.take(found.error_variance().value());
    const floats sum = sum_of(references), error = sum_of(differences);
    naive_bias += inner(error, error) / inner(sum, sum) / draws;
    naive_cosine +=
        sim::gradient_comparison(gradients, references).over(0, width).cosine().full / draws;
  }
  const double length = std::sqrt(1 + 2 * 0.1 + 0.05);
  bias.require(0.05);
  cosine.require(1.1 / length);
  projection.require(1.1);
  error_variance.require(0.4);
  CHECK(naive_bias > 0.2);     // noise of 4 / 8 on 0.05, over 1 + 10 / 8
  CHECK(naive_cosine < 0.92);  // the truth is 0.98
  CHECK(1.1 / length > 0.98);
}

TEST_CASE("independent_gradients_of_one_mean_have_a_cosine_of_1_and_no_bias") {
  constexpr int draws = 100, parts = 16;
  const floats mean = signal(1, 0);
  over_draws bias, cosine, variance;
  double naive = 0;
  noise from(2);
  for (int draw = 0; draw < draws; ++draw) {
    batches references, gradients;
    for (int b = 0; b < parts; ++b) {
      references.push_back(drawn(mean, 30, from));
      gradients.push_back(drawn(mean, 60, from));
    }
    const gradient_bias::share found = gradient_bias(gradients, references).over(0, width);
    bias.take(found.bias_squared().value());
    cosine.take(found.cosine().value());
    variance.take(found.variance().value());
    naive += sim::gradient_comparison(gradients, references).over(0, width).cosine().full / draws;
  }
  CHECK(std::abs(bias.mean()) < 4 * bias.error());
  CHECK(bias.error() < 0.02);
  cosine.require(1);
  variance.require(2);
  CHECK(naive < 0.4);
}

/// The mean of <x_i, y_j> over all i != j but `out`.
double mean_of_pairs(const batches& x, const batches& y, std::size_t out) {
  double sum = 0;
  int pairs = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    for (std::size_t j = 0; j < y.size(); ++j) {
      if (i == j || i == out || j == out) continue;
      sum += inner(x[i], y[j]);
      ++pairs;
    }
  }
  return sum / pairs;
}

/// The covariance of x and y between batches, over all parameters.
double covariance(const batches& x, const batches& y, std::size_t out) {
  double own = 0;
  int count = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (i != out) own += inner(x[i], y[i]), ++count;
  }
  return own / count - mean_of_pairs(x, y, out);
}

void require_all(const std::optional<sim::replicated>& found, std::size_t count,
                 const std::function<double(std::size_t)>& expected) {
  REQUIRE(found.has_value());
  CHECK(found->full == Approx(expected(count)).epsilon(1e-5));
  REQUIRE(found->without.size() == count);
  for (std::size_t i = 0; i < count; ++i) {
    CHECK(found->without[i] == Approx(expected(i)).epsilon(1e-5));
  }
}

TEST_CASE("figures_are_means_over_pairs_of_different_batches_and_parts_add_up") {
  noise from(3);
  for (const std::size_t count : {3U, 5U}) {
    batches r, d, g;
    for (std::size_t b = 0; b < count; ++b) {
      r.push_back(drawn(signal(1, 0), 2, from));
      d.push_back(drawn(signal(0.5, 1), 1, from));
      g.push_back(sum_of(r.back(), d.back()));
    }
    const gradient_bias bias(g, r);
    gradient_bias::share found = bias.over(0, 48);
    found += bias.over(48, width);
    const auto over_r = [&](const batches& x, const batches& y) {
      return [&](std::size_t out) { return mean_of_pairs(x, y, out) / mean_of_pairs(r, r, out); };
    };
    require_all(found.bias_squared(), count, over_r(d, d));
    require_all(found.projection(), count, over_r(g, r));
    require_all(found.cosine(), count, [&](std::size_t out) {
      return mean_of_pairs(g, r, out) /
             std::sqrt(mean_of_pairs(g, g, out) * mean_of_pairs(r, r, out));
    });
    require_all(found.error_variance(), count,
                [&](std::size_t out) { return covariance(d, d, out) / covariance(r, r, out); });
    require_all(found.variance(), count,
                [&](std::size_t out) { return covariance(g, g, out) / covariance(r, r, out); });
  }
}

TEST_CASE("equal_gradients_have_no_bias_in_any_bit") {
  noise from(4);
  batches r;
  for (int b = 0; b < 5; ++b) r.push_back(drawn(signal(1, 0), 20, from));
  const gradient_bias::share found = gradient_bias(r, r).over(0, width);
  const auto require = [](const std::optional<sim::replicated>& figure, double expected) {
    REQUIRE(figure.has_value());
    CHECK(figure->full == expected);
    for (const double v : figure->without) CHECK(v == expected);
  };
  require(found.bias_squared(), 0);
  require(found.error_variance(), 0);
  require(found.cosine(), 1);
  require(found.projection(), 1);
  require(found.variance(), 1);
}

/// A vector of the least length that begins so.
floats along(floats first) {
  first.resize(16);
  return first;
}

TEST_CASE("what_the_batches_do_not_resolve_has_no_value") {
  noise from(5);
  const batches two{drawn(signal(1, 0), 1, from), drawn(signal(1, 0), 1, from)};
  CHECK_FALSE(gradient_bias(two, two).over(0, width).bias_squared().has_value());
  // The mean over pairs of the reference is 0; the variance is not.
  const batches unit{along({1}), along({0, 1}), along({0, 0, 1}), along({0, 0, 0, 1})};
  const gradient_bias::share found = gradient_bias(unit, unit).over(0, 16);
  CHECK_FALSE(found.bias_squared().has_value());
  CHECK_FALSE(found.cosine().has_value());
  CHECK_FALSE(found.projection().has_value());
  CHECK(found.error_variance().has_value());
  // With all batches it is above 0, but not without the first.
  const batches one{along({3, 1}), along({1, 0}), along({0, 1})};
  CHECK_FALSE(gradient_bias(one, one).over(0, 16).projection().has_value());
  const batches same(3, along({1}));
  CHECK_FALSE(gradient_bias(same, same).over(0, 16).error_variance().has_value());
}

}  // namespace
