// SPDX-License-Identifier: Apache-2.0
// sim/sweep/total_error.cpp: see total_error.h.
#include "sim/sweep/total_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace sim {
namespace {

constexpr std::size_t lanes = 16, elements_at_once = std::size_t{1} << 16;

struct lane_sums {
  double of[lanes] = {};

  [[nodiscard]] double sum() const {
    double sums[lanes];
    std::copy(of, of + lanes, sums);
    for (std::size_t half = lanes / 2; half > 0; half /= 2) {
      for (std::size_t i = 0; i < half; ++i) sums[i] += sums[i + half];
    }
    return sums[0];
  }
};

total_sums sums_of(const float* x, const float* q, std::size_t count) {
  lane_sums squared, error, quantized, magnitude, quantized_magnitude;
  std::int64_t elements = 0, zeroed = 0, not_finite = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t used = std::min(lanes, count - i);
    for (std::size_t l = 0; l < used; ++l) {
      const bool counted = std::isfinite(x[i + l]);
      const double a = counted ? x[i + l] : 0, b = counted ? q[i + l] : 0;
      const double e = std::isfinite(b) ? b - a : std::numeric_limits<double>::infinity();
      squared.of[l] += a * a;
      error.of[l] += e * e;
      quantized.of[l] += a * b;
      magnitude.of[l] += std::abs(a);
      quantized_magnitude.of[l] += std::abs(b);
      elements += counted ? 1 : 0;
      zeroed += b == 0 && a != 0 ? 1 : 0;
      not_finite += std::isfinite(b) ? 0 : 1;
    }
  }
  return {squared.sum(), error.sum(), quantized.sum(), magnitude.sum(), quantized_magnitude.sum(),
          elements,      zeroed,      not_finite};
}

std::vector<float> fake_quantized(const mx::operand& f, const float* x, int rows, int columns) {
  std::vector<float> q(static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns));
  mx::fake_quantize(f, mx::operand_matrix{rows, columns, 1, x}, {q.data(), columns});
  return q;
}

bool is_finite(float x) { return std::isfinite(x); }

/// x with NaN in place of what the NaN and Inf in it spoil. Which those are is seen on ones beside
/// the NaN and Inf, since no format overflows at 1.
std::vector<float> with_spoiled_marked(const mx::operand& f, const float* x, int rows,
                                       int columns) {
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  std::vector<float> ones(x, x + count), marked = ones;
  std::ranges::replace_if(ones, is_finite, 1.0F);
  const std::vector<float> shown = fake_quantized(f, ones.data(), rows, columns);
  for (std::size_t i = 0; i < count; ++i) {
    if (!is_finite(shown[i])) marked[i] = std::numeric_limits<float>::quiet_NaN();
  }
  return marked;
}

}  // namespace

total_sums& total_sums::operator+=(const total_sums& other) {
  x_squared += other.x_squared, error += other.error, x_quantized += other.x_quantized;
  x_magnitude += other.x_magnitude, quantized_magnitude += other.quantized_magnitude;
  elements += other.elements, zeroed += other.zeroed, not_finite += other.not_finite;
  return *this;
}

total_sums total_error(const mx::operand& f, const float* x, int rows, int columns) {
  const std::vector<float> q = fake_quantized(f, x, rows, columns);
  std::vector<float> marked;
  if (!std::all_of(x, x + q.size(), is_finite)) {
    marked = with_spoiled_marked(f, x, rows, columns);
    x = marked.data();
  }
  total_sums all;
  for (std::size_t i = 0; i < q.size(); i += elements_at_once) {
    all += sums_of(x + i, q.data() + i, std::min(elements_at_once, q.size() - i));
  }
  return all;
}

}  // namespace sim
