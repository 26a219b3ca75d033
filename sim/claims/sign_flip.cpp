// SPDX-License-Identifier: Apache-2.0
// sim/claims/sign_flip.cpp: signed sums of both halves, sorted; pairs are counted, not listed.
#include "sim/claims/sign_flip.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>
#include <vector>

namespace sim {
namespace {

using sums = std::vector<std::int64_t>;

/// A value that is a difference of products of figures, such as that of a margin, is rounded a few
/// times: it is wrong by a few 2^-53 of these. 13 bits less than binary64 has leave that out, as
/// long as the figures are below some 2^8 of the largest value.
constexpr int kept_bits = 40;

/// |integer| <= 2^40, and so |sum of 40| < 2^46. Scaling by a power of two is exact.
sums integers_of(std::span<const double> values) {
  double largest = 0;
  for (const double v : values) largest = std::max(largest, std::abs(v));
  int exponent = 0;
  std::frexp(largest, &exponent);
  sums result;
  for (const double v : values) result.push_back(std::llrint(std::ldexp(v, kept_bits - exponent)));
  return result;
}

/// The sums under all signs, ascending.
sums signed_sums(std::span<const std::int64_t> values) {
  sums all{0};
  for (const std::int64_t v : values) {
    const std::int64_t size = v < 0 ? -v : v;
    sums less = all, more = all, both;
    for (std::int64_t& s : less) s -= size;
    for (std::int64_t& s : more) s += size;
    both.reserve(2 * all.size());
    std::merge(less.begin(), less.end(), more.begin(), more.end(), std::back_inserter(both));
    all = std::move(both);
  }
  return all;
}

}  // namespace

double sign_flip_above_zero(std::span<const double> values) {
  const sums integers = integers_of(values);
  const std::span<const std::int64_t> whole(integers);
  const std::size_t half = whole.size() / 2;
  const sums first = signed_sums(whole.first(half)), second = signed_sums(whole.subspan(half));
  const std::int64_t own = std::accumulate(whole.begin(), whole.end(), std::int64_t{0});
  std::uint64_t count = 0;
  std::size_t below = second.size();  // of second, sums that with this one stay below
  for (const std::int64_t sum : first) {
    while (below > 0 && sum + second[below - 1] >= own) --below;
    count += second.size() - below;
  }
  return std::ldexp(static_cast<double>(count), -static_cast<int>(whole.size()));
}

}  // namespace sim
