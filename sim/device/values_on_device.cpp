// SPDX-License-Identifier: Apache-2.0
// sim/device/values_on_device.cpp: see values_on_device.h.
#include "sim/device/values_on_device.h"

#include <algorithm>
#include <vector>

#include "mx/kernels/quantize.h"
#include "mx/kernels/values.h"
#include "sim/device/levels_on_device.h"
#include "sim/device/quantized_rows.h"

namespace sim {
namespace {

std::size_t size_of(int lines, int length) {
  return static_cast<std::size_t>(lines) * static_cast<std::size_t>(length);
}

class factor_on_device : public right_factor {
 public:
  factor_on_device(int k, std::span<const factor_columns> side_by_side, lanes& by)
      : k_(k), n_(columns_of(side_by_side)), lanes_(by) {
    const std::vector<float> b = joined(k, side_by_side);
    lanes_.with_lane([&](lane& own) {
      own.to_device(memory_.of<float>(b.size()), std::span(b));
      own.wait();
    });
  }

  void multiply(int rows, const float* a, std::ptrdiff_t a_stride, float* c) const override {
    lanes_.with_lane([&](lane& own) { multiply_on(own, copied(own, rows, a, a_stride), rows, c); });
  }

  void multiply_quantized(const mx::operand& f, const mx::operand_rows& a, float* buffer,
                          float* c) const override {
    if (!is_quantized_on_device(f)) return right_factor::multiply_quantized(f, a, buffer, c);
    lanes_.with_lane([&](lane& own) {
      float* const left = copied(own, a.rows, a.x, a.stride);
      expect_launched(mx::kernels::fake_quantize(
          {.how = f.recipe, .shape = {a.rows, k_}, .x = left, .out = left}, own.stream));
      multiply_on(own, left, a.rows, c);
    });
  }

 private:
  /// The rows in the lane's memory, dense.
  float* copied(lane& own, int rows, const float* a, std::ptrdiff_t a_stride) const {
    auto* const left = own.left.of<float>(size_of(rows, k_));
    own.to_device(left, a, a_stride, rows, k_);
    return left;
  }
  void multiply_on(lane& own, const float* left, int rows, float* c) const {
    const std::size_t results = size_of(rows, n_);
    auto* const out = own.result.of<float>(results);
    expect_launched(mx::kernels::multiply(
        {rows, n_, k_, left, k_, memory_.of<float>(size_of(k_, n_)), n_, out, n_}, own.stream));
    own.to_host(c, out, results);
    own.wait();
  }

  int k_, n_;
  mutable device_memory memory_;  // does not grow again
  lanes& lanes_;
};

/// The leaves' factors in the lane's memory.
std::vector<mx::kernels::value_leaf> copied_leaves(lane& own, const mx::value_leaves& l, int rows) {
  std::size_t depth = 0;
  for (const mx::outer_product& p : l.leaves) depth += static_cast<std::size_t>(p.k);
  auto* left = own.left.of<float>(depth * static_cast<std::size_t>(rows));
  auto* right = own.right.of<float>(depth * static_cast<std::size_t>(l.n));
  std::vector<mx::kernels::value_leaf> leaves;
  for (const mx::outer_product& p : l.leaves) {
    own.to_device(left, p.left + l.row_begin, l.left_stride, p.k, rows);
    own.to_device(right, p.right, l.right_stride, p.k, l.n);
    leaves.push_back({left, right, p.k});
    left += size_of(p.k, rows);
    right += size_of(p.k, l.n);
  }
  return leaves;
}

void add_on(lane& own, const mx::value_leaves& l) {
  const int rows = std::min(l.row_end, l.m) - l.row_begin;
  const auto leaves = copied_leaves(own, l, rows);
  const int count = static_cast<int>(leaves.size());
  const levels_on_device levels(own, {l.levels, l.row_begin, rows, l.n, l.first_leaf, count});
  const std::span addresses(levels.addresses());
  auto* const table =
      own.table.of<unsigned char>(std::span(leaves).size_bytes() + addresses.size_bytes());
  auto* const placed_leaves = reinterpret_cast<mx::kernels::value_leaf*>(table);
  auto* const placed_levels = reinterpret_cast<float**>(placed_leaves + leaves.size());
  own.to_device(placed_leaves, std::span(leaves));
  own.to_device(placed_levels, addresses);
  expect_launched(mx::kernels::add_leaves(
      {placed_leaves, count, l.first_leaf, rows, l.n, rows, l.n, placed_levels}, own.stream));
  levels.return_to_host();
  own.wait();
}

}  // namespace

std::unique_ptr<const right_factor> values_on_device::factor(
    int k, std::span<const factor_columns> side_by_side) const {
  return std::make_unique<factor_on_device>(k, side_by_side, lanes_);
}

void values_on_device::add(const mx::value_leaves& leaves) const {
  if (leaves.leaves.empty() || leaves.row_end <= leaves.row_begin) return;
  lanes_.with_lane([&](lane& own) { add_on(own, leaves); });
}

}  // namespace sim
