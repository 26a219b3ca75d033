// SPDX-License-Identifier: Apache-2.0
// sim/policy/product.cpp: see product.h. The rotations equal mx::rotate on every line, checked by
// tests/policy/product_test.cpp.
#include "sim/policy/product.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "mx/recipe_words.h"
#include "sim/study/format_rules.h"
#include "sim/study/study_words.h"

namespace sim {

pass_format pass_products::format_at(const product_place& at) const {
  return sim::format_at(format, pass, at);
}

mx::operand pass_products::operand(operand_role role, const product_place& at) const {
  mx::operand f = format_at(at).of(role);
  if (!is_drawn(f)) return f;
  const operand_origin drawn = origin_of(format, pass, role);
  mx::random_source& random = f.recipe.rules.random;
  random.seed = key.seed;
  random.step = key.step;
  random.stream =
      static_cast<std::uint32_t>(at.expert) << 20 | static_cast<std::uint32_t>(at.layer) << 8 |
      static_cast<std::uint32_t>(at.which) << 4 | static_cast<std::uint32_t>(drawn.pass) << 2 |
      static_cast<std::uint32_t>(drawn.role) << 1;
  return f;
}

pass_products step_arithmetic::of(pass p) const { return {formats_of(formats, p), p, key, by}; }

bool is_drawn(const mx::operand& f) noexcept { return f.is_coded() && mx::draws_bits(f.recipe); }

int blocks_of(const mx::operand& f, int length) noexcept {
  const int block = f.recipe.format().columns;
  return f.is_coded() ? (length + block - 1) / block : 0;
}

std::vector<std::uint64_t> first_blocks_of(const mx::operand& f, int rows,
                                           const std::uint64_t* tokens, int length) {
  std::vector<std::uint64_t> result;
  if (!is_drawn(f)) return result;
  const auto blocks = static_cast<std::uint64_t>(blocks_of(f, length));
  for (int row = 0; row < rows; ++row) result.push_back(tokens[row] * blocks);
  return result;
}

int rotated_length(const mx::rotation& r, int length) noexcept {
  return r.size == 0 ? length : (length + r.size - 1) / r.size * r.size;
}

namespace {

/// Signs of a group's elements.
std::array<bool, 128> negated_by(const mx::rotation& r) {
  std::array<bool, 128> negated{};
  for (int i = 0; i < r.size; ++i) negated[static_cast<std::size_t>(i)] = mx::is_negated(r, i);
  return negated;
}

/// x = H x with `width` numbers an element: elements a stride apart are adjacent ranges.
void mix(int size, std::ptrdiff_t width, float* x) {
  for (std::ptrdiff_t half = width; half < size * width; half *= 2) {
    for (std::ptrdiff_t first = 0; first < size * width; first += 2 * half) {
      float *a = x + first, *b = a + half;
      for (std::ptrdiff_t i = 0; i < half; ++i) {
        const float sum = a[i] + b[i], difference = a[i] - b[i];
        a[i] = sum;
        b[i] = difference;
      }
    }
  }
}

/// One group of elements, each `width` numbers.
void rotate_group(const mx::rotation& r, const std::array<bool, 128>& negated, std::ptrdiff_t width,
                  float* x) {
  for (int i = 0; i < r.size; ++i) {
    if (!negated[static_cast<std::size_t>(i)]) continue;
    for (std::ptrdiff_t c = i * width; c < (i + 1) * width; ++c) x[c] = -x[c];
  }
  mix(r.size, width, x);
  const float factor = mx::rotation_factor(r.size), nan = mx::float_of(mx::nan_bits);
  for (std::ptrdiff_t i = 0; i < r.size * width; ++i) {
    const float scaled = x[i] * factor;
    x[i] = std::isnan(scaled) ? nan : scaled;  // mx::fp32 has one NaN
  }
}

/// `groups` groups, one after the other.
void rotate_groups(const mx::rotation& r, int groups, std::ptrdiff_t width, float* x) {
  const auto negated = negated_by(r);
  for (int i = 0; i < groups; ++i) rotate_group(r, negated, width, x + i * r.size * width);
}

void copy_rows(int rows, int count, const float* x, std::ptrdiff_t stride, float* out) {
  for (std::ptrdiff_t row = 0; row < rows; ++row) {
    std::copy_n(x + row * stride, count, out + row * count);
  }
}

}  // namespace

void rotate_rows(const mx::rotation& r, int rows, int count, const float* x, std::ptrdiff_t stride,
                 float* out) {
  copy_rows(rows, count, x, stride, out);
  rotate_groups(r, rows * (count / r.size), 1, out);
}

void rotate_columns(const mx::rotation& r, int count, int columns, const float* x,
                    std::ptrdiff_t stride, float* out) {
  const int padded = rotated_length(r, count);
  copy_rows(count, columns, x, stride, out);
  std::fill_n(out + std::ptrdiff_t{count} * columns, std::ptrdiff_t{padded - count} * columns,
              0.0F);
  rotate_groups(r, padded / r.size, columns, out);
}

}  // namespace sim
