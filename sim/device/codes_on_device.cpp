// SPDX-License-Identifier: Apache-2.0
// sim/device/codes_on_device.cpp: see codes_on_device.h.
#include "sim/device/codes_on_device.h"

#include <algorithm>

#include "mx/dot/alpha.h"
#include "mx/kernels/grouped_gemm.h"
#include "mx/kernels/quantize.h"
#include "mx/kernels/values.h"
#include "sim/device/levels_on_device.h"
#include "sim/device/quantized_rows.h"

namespace sim {
namespace {

/// Lines of an operand: their number, and k in whole blocks, beyond which codes are zeros.
struct line_sizes {
  std::int64_t lines, k, blocks;

  line_sizes(const mx::dot_model& model, std::int64_t lines_of, std::int64_t k_of)
      : lines(lines_of),
        k(k_of),
        blocks(model.block > 0 ? (k_of + model.block - 1) / model.block : 0) {
    if (blocks > 0) k = blocks * model.block;
  }
};

constexpr std::size_t alignment = 16;

std::size_t aligned(std::int64_t bytes) {
  return (static_cast<std::size_t>(bytes) + alignment - 1) / alignment * alignment;
}

std::size_t bytes_of(const line_sizes& s, const mx::gemm_operand& of) {
  return aligned(s.lines * of.line_bytes) + aligned(s.lines * s.blocks);
}

/// An operand copied to `at`, of bytes_of.
mx::gemm_operand copied(const lane& own, unsigned char* at, const line_sizes& s,
                        mx::gemm_operand of) {
  const auto copy = [&](unsigned char* to, const void* from, std::int64_t bytes) {
    own.to_device(
        to, std::span(static_cast<const unsigned char*>(from), static_cast<std::size_t>(bytes)));
    return to;
  };
  const std::int64_t code_bytes = s.lines * of.line_bytes;
  of.codes = copy(at, of.codes, code_bytes);
  of.scales = copy(at + aligned(code_bytes), of.scales, s.lines * s.blocks);
  return of;
}

/// The lines from `first` on.
mx::gemm_operand lines_from(mx::gemm_operand all, std::int64_t first, std::int64_t blocks) {
  all.codes = static_cast<const unsigned char*>(all.codes) + first * all.line_bytes;
  all.scales += first * blocks;
  return all;
}

template <class Request>
void give_workspace(lane& own, Request& r) {
  r.workspace_bytes = mx::kernels::gemm_workspace_bytes(r);
  if (r.workspace_bytes == 0) return;
  r.workspace = own.workspace.of<unsigned char>(static_cast<std::size_t>(r.workspace_bytes));
}

class coded_factor_on_device : public coded_factor {
 public:
  coded_factor_on_device(const mx::gemm_plan& plan, const operand_lines& b, lanes& by)
      : plan_(plan), sizes_(plan.model, b.count, b.k), scales_(b.tensor_scales), lanes_(by) {
    lanes_.with_lane([&](lane& own) {
      const mx::gemm_operand from = b.operand();
      b_ = copied(own, memory_.of<unsigned char>(bytes_of(sizes_, from)), sizes_, from);
      own.wait();
    });
  }

  void multiply_quantized(const mx::operand& f, const mx::operand_rows& a,
                          float* d) const override {
    if (a.rows == 0) return;
    std::vector<float> scales_of_rows;
    lanes_.with_lane([&](lane& own) {
      if (is_quantized_on_device(f)) return multiply_on(own, quantized(own, f, a), a.rows, d);
      const operand_lines lines = coded_rows(f, a);
      const line_sizes sizes(plan_.model, lines.count, lines.k);
      const mx::gemm_operand from = lines.operand();
      auto* const left = own.left.of<unsigned char>(bytes_of(sizes, from));
      multiply_on(own, copied(own, left, sizes, from), a.rows, d);
      scales_of_rows = lines.tensor_scales;
    });
    if (!scales_of_rows.empty() || !scales_.empty()) put_under_alphas(scales_of_rows, a.rows, d);
  }

 private:
  /// Codes and scales in the lane's memory, of numbers copied there.
  static mx::gemm_operand quantized(lane& own, const mx::operand& f, const mx::operand_rows& a) {
    mx::recipe how = f.recipe;
    how.codes = {};
    how.layout = mx::scale_layout::linear;
    const mx::kernels::coded_size size =
        mx::kernels::size_of(how.format(), how.layout, a.rows, a.count);
    auto* const x =
        own.right.of<float>(static_cast<std::size_t>(a.rows) * static_cast<std::size_t>(a.count));
    own.to_device(x, a.x, a.stride, a.rows, a.count);
    auto* const codes =
        own.left.of<unsigned char>(aligned(size.code_bytes) + aligned(size.scale_bytes));
    unsigned char* const scales = codes + aligned(size.code_bytes);
    expect_launched(mx::kernels::quantize(
        {.how = how, .shape = {a.rows, a.count}, .x = x, .rows = {codes, scales}, .columns = {}},
        own.stream));
    return {codes, how.has_pairs() ? mx::code_storage::pairs : mx::code_storage::bytes,
            size.line_bytes, scales};
  }
  void multiply_on(lane& own, const mx::gemm_operand& a, int rows, float* d) const {
    mx::kernels::gemm_request r{plan_, {rows, sizes_.lines, sizes_.k}, a, b_};
    const auto results = static_cast<std::size_t>(rows * sizes_.lines);
    auto* const out = own.result.of<float>(results);
    r.d = out;
    give_workspace(own, r);
    expect_launched(mx::kernels::gemm(r, own.stream));
    own.to_host(d, out, results);
    own.wait();
  }
  void put_under_alphas(const std::vector<float>& scales_of_rows, int rows, float* d) const {
    for (std::size_t i = 0; i < static_cast<std::size_t>(rows); ++i) {
      const float of_row = scales_of_rows.empty() ? 1.0F : scales_of_rows[i];
      for (std::size_t j = 0; j < static_cast<std::size_t>(sizes_.lines); ++j, ++d) {
        const float of_column = scales_.empty() ? 1.0F : scales_[j];
        *d = mx::under_alpha(plan_.model, mx::fp32::multiply(of_row, of_column), *d);
      }
    }
  }

  mx::gemm_plan plan_;
  line_sizes sizes_;
  std::vector<float> scales_;  ///< of the tensors
  device_memory memory_;
  mx::gemm_operand b_;
  lanes& lanes_;
};

class leaves_on_device : public leaves_of_codes {
 public:
  leaves_on_device(const mx::gemm_plan& plan, int m, int n,
                   std::span<const mx::coded_outer_product> leaves, lanes& by)
      : plan_(plan), m_(m), n_(n), lanes_(by) {
    lanes_.with_lane([&](lane& own) {
      take(own, leaves);
      own.wait();
    });
  }

  void add(int first_leaf, int row_begin, int row_end, float* const* levels) const override {
    const int rows = std::min(row_end, m_) - row_begin;
    if (rows <= 0 || placed_.empty()) return;
    lanes_.with_lane([&](lane& own) {
      add_on(own, {levels, row_begin, rows, n_, first_leaf, static_cast<int>(placed_.size())});
    });
  }

 private:
  struct placed_leaf {
    std::int64_t k, blocks;
    mx::gemm_operand left, right;
  };

  void take(const lane& own, std::span<const mx::coded_outer_product> leaves) {
    std::size_t bytes = 0;
    for (const mx::coded_outer_product& leaf : leaves) {
      bytes += bytes_of({plan_.model, m_, leaf.k}, leaf.left) +
               bytes_of({plan_.model, n_, leaf.k}, leaf.right);
    }
    auto* at = memory_.of<unsigned char>(bytes);
    for (const mx::coded_outer_product& leaf : leaves) {
      const line_sizes left(plan_.model, m_, leaf.k), right(plan_.model, n_, leaf.k);
      placed_leaf& placed = placed_.emplace_back(placed_leaf{left.k, left.blocks, {}, {}});
      placed.left = copied(own, at, left, leaf.left);
      at += bytes_of(left, leaf.left);
      placed.right = copied(own, at, right, leaf.right);
      at += bytes_of(right, leaf.right);
      alphas_.push_back(mx::fp32::multiply(leaf.left_scale, leaf.right_scale));
    }
  }

  void multiply_on(lane& own, const level_rows& to, float* products) const {
    std::vector<mx::kernels::gemm_group> groups;
    for (const placed_leaf& leaf : placed_) {
      groups.push_back(
          {{to.rows, n_, leaf.k}, lines_from(leaf.left, to.row_begin, leaf.blocks), leaf.right});
      groups.back().d = products;
      products += to.size();
    }
    mx::kernels::gemm_grouped_request r;
    r.plan = plan_;
    r.groups = groups.data();
    r.count = to.count;
    give_workspace(own, r);
    expect_launched(mx::kernels::gemm_grouped(r, own.stream));
  }

  void add_on(lane& own, const level_rows& to) const {
    auto* const products = own.left.of<float>(placed_.size() * to.size());
    multiply_on(own, to, products);
    const levels_on_device levels(own, to);
    const std::span addresses(levels.addresses());
    auto* const placed_levels = own.table.of<float*>(addresses.size());
    auto* const alphas = own.right.of<float>(alphas_.size());
    own.to_device(placed_levels, addresses);
    own.to_device(alphas, std::span(alphas_));
    expect_launched(mx::kernels::add_products(
        {plan_, products, alphas, to.count, to.first, to.rows, n_, placed_levels}, own.stream));
    levels.return_to_host();
    own.wait();
  }

  mx::gemm_plan plan_;
  int m_, n_;
  lanes& lanes_;
  device_memory memory_;
  std::vector<placed_leaf> placed_;
  std::vector<float> alphas_;
};

}  // namespace

std::unique_ptr<const coded_factor> codes_on_device::factor(const mx::gemm_plan& plan,
                                                            const operand_lines& b) const {
  return std::make_unique<coded_factor_on_device>(plan, b, lanes_);
}

std::unique_ptr<const leaves_of_codes> codes_on_device::leaves(
    const mx::gemm_plan& plan, int m, int n,
    std::span<const mx::coded_outer_product> leaves) const {
  return std::make_unique<leaves_on_device>(plan, m, n, leaves, lanes_);
}

}  // namespace sim
