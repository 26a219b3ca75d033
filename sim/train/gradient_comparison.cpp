// SPDX-License-Identifier: Apache-2.0
// sim/train/gradient_comparison.cpp: inner products in binary64, then leave-one-out by subtraction.
#include "sim/train/gradient_comparison.h"

#include <cmath>
#include <limits>

#include "sim/policy/element_functions.h"

namespace sim {
namespace {

struct moments {
  double dot = 0, gg = 0, rr = 0;
};

/// Of G - g and R - r without batch `left_out`; of G and R where that is the number of batches.
moments moments_of(const std::vector<gradient_comparison::products>& batches,
                   std::size_t left_out) {
  moments m;
  for (const auto& x : batches) m.dot += x.gr_sum, m.gg += x.gg_sum, m.rr += x.rr_sum;
  if (left_out == batches.size()) return m;
  const auto& x = batches[left_out];
  // The same operations in the same order, so that equal gradients have a cosine of exactly 1.
  return {m.dot - x.gr_sum - x.g_sum_r + x.gr, m.gg - x.gg_sum - x.gg_sum + x.gg,
          m.rr - x.rr_sum - x.rr_sum + x.rr};
}

}  // namespace

gradient_comparison::share& gradient_comparison::share::operator+=(const share& other) {
  for (std::size_t i = 0; i < batches_.size(); ++i) {
    products& p = batches_[i];
    const products& o = other.batches_[i];
    p.gr += o.gr, p.gg += o.gg, p.rr += o.rr, p.gr_sum += o.gr_sum, p.g_sum_r += o.g_sum_r;
    p.gg_sum += o.gg_sum, p.rr_sum += o.rr_sum;
  }
  return *this;
}

replicated gradient_comparison::share::cosine() const {
  return replicate(batches_, [](const auto& all, std::size_t left_out) {
    const moments m = moments_of(all, left_out);
    return m.dot / std::sqrt(m.gg * m.rr);
  });
}

replicated gradient_comparison::share::projection() const {
  return replicate(batches_, [](const auto& all, std::size_t left_out) {
    const moments m = moments_of(all, left_out);
    return m.dot / m.rr;
  });
}

replicated gradient_comparison::share::log2_norm() const {
  return replicate(batches_, [](const auto& all, std::size_t left_out) {
    const moments m = moments_of(all, left_out);
    // logarithm() takes positive numbers only, and a gradient of zero has no size to compare.
    if (!(m.gg > 0 && m.rr > 0)) return std::numeric_limits<double>::quiet_NaN();
    float lanes[16] = {static_cast<float>(m.gg / m.rr)};
    logarithm(16, lanes, lanes);
    return double{lanes[0]} / (2 * 0.6931471805599453);
  });
}

gradient_comparison::gradient_comparison(const std::vector<std::vector<float>>& gradients,
                                         const std::vector<std::vector<float>>& references)
    : gradients_(gradients),
      references_(references),
      sum_(sum_of(gradients)),
      reference_sum_(sum_of(references)) {}

gradient_comparison::share gradient_comparison::over(std::ptrdiff_t begin,
                                                     std::ptrdiff_t end) const {
  const std::ptrdiff_t n = end - begin;
  const float* g_sum = sum_.data() + begin;
  const float* r_sum = reference_sum_.data() + begin;
  std::vector<products> result;
  for (std::size_t b = 0; b < gradients_.size(); ++b) {
    const float* g = gradients_[b].data() + begin;
    const float* r = references_[b].data() + begin;
    result.push_back({inner_product(g, r, n), inner_product(g, g, n), inner_product(r, r, n),
                      inner_product(g, r_sum, n), inner_product(g_sum, r, n),
                      inner_product(g, g_sum, n), inner_product(r, r_sum, n)});
  }
  return share(std::move(result));
}

}  // namespace sim
