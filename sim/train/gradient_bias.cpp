// SPDX-License-Identifier: Apache-2.0
// sim/train/gradient_bias.cpp: inner products in binary64, from the differences themselves: they
// are 0 where the gradients are equal, and lose nothing where they are close.
#include "sim/train/gradient_bias.h"

#include <algorithm>
#include <cmath>

#include "sim/policy/element_functions.h"

namespace sim {
namespace {

using pair_products = gradient_bias::pair_products;
using batch_products = gradient_bias::products;

/// Estimates of <E x, E y>, and of the covariance of a batch's x and y summed over the parameters.
struct product_estimate {
  double means = 0, covariance = 0;
};

/// From all batches but `left_out`, which is their number to leave out none.
product_estimate estimate_of(const std::vector<batch_products>& batches, std::size_t left_out,
                             pair_products batch_products::*pair) {
  double all = 0, own = 0;
  for (const batch_products& b : batches) all += (b.*pair).with_sum, own += (b.*pair).own;
  auto n = static_cast<double>(batches.size());
  if (left_out < batches.size()) {
    const pair_products& without = batches[left_out].*pair;
    all -= without.with_sum + without.of_sum - without.own;
    own -= without.own;
    --n;
  }
  const double means = (all - own) / (n * (n - 1));
  return {means, own / n - means};
}

struct estimates {
  product_estimate dd, dr, rr;

  [[nodiscard]] product_estimate gr() const {
    return {rr.means + dr.means, rr.covariance + dr.covariance};
  }
  [[nodiscard]] product_estimate gg() const {
    return {rr.means + 2 * dr.means + dd.means, rr.covariance + 2 * dr.covariance + dd.covariance};
  }
};

/// A ratio of all batches and without each one; no value where a divisor is not above 0.
template <class Numerator, class Divisor>
std::optional<replicated> ratio(const std::vector<batch_products>& batches,
                                const Numerator& numerator, const Divisor& divisor) {
  if (batches.size() < 3) return std::nullopt;
  bool resolved = true;
  const replicated result = replicate(batches, [&](const auto& all, std::size_t left_out) {
    const estimates e{estimate_of(all, left_out, &batch_products::dd),
                      estimate_of(all, left_out, &batch_products::dr),
                      estimate_of(all, left_out, &batch_products::rr)};
    const double below = divisor(e);
    resolved = resolved && below > 0;
    return numerator(e) / below;
  });
  if (!resolved) return std::nullopt;
  return result;
}

double square_of_reference(const estimates& e) { return e.rr.means; }
double variance_of_reference(const estimates& e) { return e.rr.covariance; }

}  // namespace

gradient_bias::pair_products& gradient_bias::pair_products::operator+=(const pair_products& other) {
  own += other.own, with_sum += other.with_sum, of_sum += other.of_sum;
  return *this;
}

gradient_bias::share& gradient_bias::share::operator+=(const share& other) {
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    batches_[i].dd += other.batches_[i].dd;
    batches_[i].dr += other.batches_[i].dr;
    batches_[i].rr += other.batches_[i].rr;
  }
  return *this;
}

std::optional<replicated> gradient_bias::share::bias_squared() const {
  return ratio(
      batches_, [](const estimates& e) { return e.dd.means; }, square_of_reference);
}

std::optional<replicated> gradient_bias::share::cosine() const {
  return ratio(
      batches_, [](const estimates& e) { return e.gr().means; },
      [](const estimates& e) {
        const double squares = std::min(e.gg().means, e.rr.means);
        return squares > 0 ? std::sqrt(e.gg().means * e.rr.means) : 0;
      });
}

std::optional<replicated> gradient_bias::share::projection() const {
  return ratio(
      batches_, [](const estimates& e) { return e.gr().means; }, square_of_reference);
}

std::optional<replicated> gradient_bias::share::error_variance() const {
  return ratio(
      batches_, [](const estimates& e) { return e.dd.covariance; }, variance_of_reference);
}

std::optional<replicated> gradient_bias::share::variance() const {
  return ratio(
      batches_, [](const estimates& e) { return e.gg().covariance; }, variance_of_reference);
}

gradient_bias::gradient_bias(const std::vector<std::vector<float>>& gradients,
                             const std::vector<std::vector<float>>& references)
    : references_(references), differences_(gradients), reference_sum_(sum_of(references)) {
  for (std::size_t b = 0; b < differences_.size(); ++b) {
    std::ranges::transform(differences_[b], references_[b], differences_[b].begin(),
                           [](float g, float r) { return g - r; });
  }
  difference_sum_ = sum_of(differences_);
}

gradient_bias::share gradient_bias::over(std::ptrdiff_t begin, std::ptrdiff_t end) const {
  const std::ptrdiff_t n = end - begin;
  const float* d_sum = difference_sum_.data() + begin;
  const float* r_sum = reference_sum_.data() + begin;
  std::vector<products> result;
  for (std::size_t b = 0; b < differences_.size(); ++b) {
    const float* d = differences_[b].data() + begin;
    const float* r = references_[b].data() + begin;
    const double dd_sum = inner_product(d, d_sum, n), rr_sum = inner_product(r, r_sum, n);
    result.push_back(
        {{inner_product(d, d, n), dd_sum, dd_sum},
         {inner_product(d, r, n), inner_product(d, r_sum, n), inner_product(d_sum, r, n)},
         {inner_product(r, r, n), rr_sum, rr_sum}});
  }
  return share(std::move(result));
}

}  // namespace sim
