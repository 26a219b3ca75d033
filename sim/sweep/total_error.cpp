// SPDX-License-Identifier: Apache-2.0
// sim/sweep/total_error.cpp: see total_error.h.
#include "sim/sweep/total_error.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
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
  std::int64_t elements = 0, zeroed = 0;
  for (std::size_t i = 0; i < count; i += lanes) {
    const std::size_t used = std::min(lanes, count - i);
    for (std::size_t l = 0; l < used; ++l) {
      const bool counted = std::isfinite(x[i + l]) && std::isfinite(q[i + l]);
      const double a = counted ? x[i + l] : 0, b = counted ? q[i + l] : 0;
      squared.of[l] += a * a;
      error.of[l] += (b - a) * (b - a);
      quantized.of[l] += a * b;
      magnitude.of[l] += std::abs(a);
      quantized_magnitude.of[l] += std::abs(b);
      elements += counted ? 1 : 0;
      zeroed += b == 0 && a != 0 ? 1 : 0;
    }
  }
  return {squared.sum(), error.sum(), quantized.sum(), magnitude.sum(), quantized_magnitude.sum(),
          elements,      zeroed};
}

}  // namespace

total_sums& total_sums::operator+=(const total_sums& other) {
  x_squared += other.x_squared, error += other.error, x_quantized += other.x_quantized;
  x_magnitude += other.x_magnitude, quantized_magnitude += other.quantized_magnitude;
  elements += other.elements, zeroed += other.zeroed;
  return *this;
}

total_sums total_error(const mx::operand& f, const float* x, int rows, int columns) {
  const std::size_t count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  std::vector<float> q(count);
  mx::fake_quantize(f, mx::operand_matrix{rows, columns, 1, x}, {q.data(), columns});
  total_sums all;
  for (std::size_t i = 0; i < count; i += elements_at_once) {
    all += sums_of(x + i, q.data() + i, std::min(elements_at_once, count - i));
  }
  return all;
}

}  // namespace sim
