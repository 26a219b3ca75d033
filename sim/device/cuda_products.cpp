// SPDX-License-Identifier: Apache-2.0
// sim/device/cuda_products.cpp: products of FP32 numbers on a CUDA device. Has not run on one.
#include <algorithm>
#include <vector>

#include "mx/kernels/values.h"
#include "sim/device/device_products.h"
#include "sim/device/lane.h"

namespace sim {
namespace {

void expect_launched(const mx::kernels::status& answer) {
  if (!answer.is_done()) throw device_error(mx::kernels::sentence_of(answer));
}

std::size_t size_of(int lines, int length) {
  return static_cast<std::size_t>(lines) * static_cast<std::size_t>(length);
}

class factor_on_device : public right_factor {
 public:
  factor_on_device(int k, std::span<const factor_columns> side_by_side, lanes& by)
      : k_(k), n_(columns_of(side_by_side)), lanes_(by) {
    const std::vector<float> b = joined(k, side_by_side);
    expect_done(cudaMemcpy(memory_.of<float>(b.size()), b.data(), b.size() * sizeof(float),
                           cudaMemcpyHostToDevice),
                "cudaMemcpy");
  }

  void multiply(int rows, const float* a, std::ptrdiff_t a_stride, float* c) const override {
    const std::size_t results = size_of(rows, n_);
    lanes_.with_lane([&](lane& own) {
      auto* const left = own.left.of<float>(size_of(rows, k_));
      auto* const out = own.result.of<float>(results);
      own.to_device(left, a, a_stride, rows, k_);
      expect_launched(mx::kernels::multiply(
          {rows, n_, k_, left, k_, memory_.of<float>(size_of(k_, n_)), n_, out, n_}, own.stream));
      own.to_host(c, out, results);
      own.wait();
    });
  }

 private:
  int k_, n_;
  mutable device_memory memory_;  // does not grow again
  lanes& lanes_;
};

/// The leaves of a call in the memory of a lane, and the levels that they are added to.
class leaves_on_device {
 public:
  leaves_on_device(lane& own, const value_leaves& l)
      : own_(own),
        from_(l),
        rows_(std::min(l.row_end, l.m) - l.row_begin),
        size_(size_of(rows_, l.n)) {}

  void add() {
    take_leaves();
    take_levels();
    const std::size_t leaf_bytes = leaves_.size() * sizeof(leaves_[0]);
    auto* const table =
        own_.table.of<unsigned char>(leaf_bytes + levels_.size() * sizeof(levels_[0]));
    copy_table(table, leaves_.data(), leaf_bytes);
    copy_table(table + leaf_bytes, levels_.data(), levels_.size() * sizeof(levels_[0]));
    expect_launched(mx::kernels::add_leaves(
        {reinterpret_cast<const mx::kernels::value_leaf*>(table), static_cast<int>(leaves_.size()),
         from_.first_leaf, rows_, from_.n, rows_, from_.n,
         reinterpret_cast<float* const*>(table + leaf_bytes)},
        own_.stream));
    return_levels();
    own_.wait();
  }

 private:
  void take_leaves() {
    std::size_t depth = 0;
    for (const mx::outer_product& p : from_.leaves) depth += static_cast<std::size_t>(p.k);
    auto* left = own_.left.of<float>(depth * static_cast<std::size_t>(rows_));
    auto* right = own_.right.of<float>(depth * static_cast<std::size_t>(from_.n));
    for (const mx::outer_product& p : from_.leaves) {
      own_.to_device(left, p.left + from_.row_begin, from_.left_stride, p.k, rows_);
      own_.to_device(right, p.right, from_.right_stride, p.k, from_.n);
      leaves_.push_back({left, right, p.k});
      left += size_of(p.k, rows_);
      right += size_of(p.k, from_.n);
    }
  }
  [[nodiscard]] int after() const { return from_.first_leaf + static_cast<int>(leaves_.size()); }
  [[nodiscard]] float* host_level(std::size_t level) const {
    return from_.levels[level] + std::ptrdiff_t{from_.row_begin} * from_.n;
  }
  /// Those that hold sums before the call.
  void take_levels() {
    while (after() >> levels_.size() != 0) levels_.push_back(nullptr);
    auto* at = own_.result.of<float>(levels_.size() * size_);
    for (std::size_t level = 0; level < levels_.size(); ++level, at += size_) {
      levels_[level] = at;
      if ((from_.first_leaf >> level & 1) == 0) continue;
      own_.to_device(at, host_level(level), from_.n, rows_, from_.n);
    }
  }
  /// Those that hold sums behind it.
  void return_levels() const {
    for (std::size_t level = 0; level < levels_.size(); ++level) {
      if ((after() >> level & 1) != 0) own_.to_host(host_level(level), levels_[level], size_);
    }
  }
  void copy_table(unsigned char* to, const void* from, std::size_t bytes) const {
    expect_done(cudaMemcpyAsync(to, from, bytes, cudaMemcpyHostToDevice, own_.stream),
                "cudaMemcpyAsync");
  }

  lane& own_;
  const value_leaves& from_;
  int rows_;
  std::size_t size_;  ///< elements of a level
  std::vector<mx::kernels::value_leaf> leaves_;
  std::vector<float*> levels_;
};

class products_on_device : public value_products {
 public:
  [[nodiscard]] std::unique_ptr<const right_factor> factor(
      int k, std::span<const factor_columns> side_by_side) const override {
    return std::make_unique<factor_on_device>(k, side_by_side, lanes_);
  }
  void add(const value_leaves& leaves) const override {
    if (leaves.leaves.empty() || leaves.row_end <= leaves.row_begin) return;
    lanes_.with_lane([&](lane& own) { leaves_on_device(own, leaves).add(); });
  }

 private:
  mutable lanes lanes_;
};

/// One product of 1 by 1, so that a device without code for it is refused before a run begins.
void expect_usable(const value_products& by) {
  const float two = 2;
  float four = 0;
  by.factor(1, {{factor_columns{&two, 1, factor_columns::form::as_is}}})
      ->multiply(1, &two, 1, &four);
  if (four != 4) throw device_error("the device computes 2 * 2 wrongly");
}

}  // namespace

std::unique_ptr<const value_products> cuda_products() {
  int count = 0;
  expect_done(cudaGetDeviceCount(&count), "cudaGetDeviceCount");
  if (count == 0)
    throw device_error(
        "run.device = \"cuda\": there is no CUDA device; \"cpu\" gives the same bits");
  auto products = std::make_unique<products_on_device>();
  expect_usable(*products);
  return products;
}

}  // namespace sim
