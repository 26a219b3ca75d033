// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_slice.cpp: one element of a product, and the part of K it needs.
#include "sim/cli/verify/product_slice.h"

#include <algorithm>

namespace sim::cli {
namespace {

/// A line of a factor, its codes in `storage`.
slice_line line_of(const gemm_factor& f, std::int64_t index) {
  const mx::gemm_operand operand = f.operand();
  const std::uint8_t* codes =
      static_cast<const std::uint8_t*>(operand.codes) + index * operand.line_bytes;
  slice_line line{{codes, codes + operand.line_bytes}, {}};
  if (f.block == 0) return line;
  const std::int64_t blocks = static_cast<std::int64_t>(f.padded) / f.block;
  const std::uint8_t* scales = operand.scales + index * blocks;
  line.scales.assign(scales, scales + blocks);
  return line;
}

/// One element of the product.
class sliced_product {
 public:
  sliced_product(const product_files& in, const read_candidate& one, std::int64_t row,
                 std::int64_t column)
      : one_(one), block_(std::max(one.a->block, 1)) {
    slice_.row = row, slice_.column = column;
    slice_.k = static_cast<std::int64_t>(one.a->padded);
    const loaded_operands codes = one.operands();
    slice_.a = line_of(*codes.a, row), slice_.b = line_of(*codes.b, column);
    const auto at = static_cast<std::size_t>(row) * in.place.n + static_cast<std::size_t>(column);
    const auto c = in.inputs().words(one.plan).c;
    if (!c.empty()) slice_.c = c[at];
    slice_.in_d = slice_.found = in.d[at];
    slice_.expected = word(one.plan, slice_.a, slice_.b, slice_.k);
  }

  /// Keeps the first part of K on which another plan gives another word.
  void keep_first_part(const mx::gemm_plan& other) {
    // C is in the bits of one result type.
    if (slice_.c && !(other.model.sum.result == one_.plan.model.sum.result)) return;
    const std::int64_t whole = slice_.k, grain = one_.a->block > 0 ? block_ : 16;
    std::int64_t least = grain;
    while (least < whole && !differs(other, least)) least *= 2;
    // Within the last doubling, at most 64 lengths.
    const std::int64_t blocks = least / grain, step = (blocks / 2 + 63) / 64;
    std::int64_t kept = std::min(least, whole);
    for (std::int64_t n = blocks / 2 + 1; n < blocks && n * grain < whole; n += step) {
      if (!differs(other, n * grain)) continue;
      kept = n * grain;
      break;
    }
    if (kept == whole) return;
    slice_.cut = slice_cut::first_part;
    slice_.expected = word(one_.plan, slice_.a, slice_.b, kept);
    slice_.found = word(other, slice_.a, slice_.b, kept);
    shorten(slice_.a, *one_.a, kept), shorten(slice_.b, *one_.b, kept);
    slice_.k = kept;
  }

  /// Removes the parts that are zero throughout, if the plan's word is unchanged.
  void drop_zeros() {
    const std::int64_t grain = (64 + block_ - 1) / block_ * block_;
    slice_line a, b;
    std::int64_t kept = 0;
    for (std::int64_t first = 0; first < slice_.k; first += grain) {
      const std::int64_t count = std::min(grain, slice_.k - first);
      if (is_zero(*one_.a, slice_.a, first, count) || is_zero(*one_.b, slice_.b, first, count)) {
        continue;
      }
      append(slice_.a, *one_.a, first, count, a), append(slice_.b, *one_.b, first, count, b);
      kept += count;
    }
    if (kept == 0 || kept == slice_.k || word(one_.plan, a, b, kept) != slice_.expected) return;
    slice_.cut = slice_cut::without_zeros;
    slice_.a = std::move(a), slice_.b = std::move(b);
    slice_.k = kept;
  }

  [[nodiscard]] product_slice taken() { return std::move(slice_); }

 private:
  [[nodiscard]] bool differs(const mx::gemm_plan& other, std::int64_t k) const {
    return word(one_.plan, slice_.a, slice_.b, k) != word(other, slice_.a, slice_.b, k);
  }

  /// An element of D over the first k.
  [[nodiscard]] std::uint32_t word(const mx::gemm_plan& plan, const slice_line& a,
                                   const slice_line& b, std::int64_t k) const {
    const auto operand = [](const gemm_factor& f, const slice_line& line) {
      return mx::gemm_operand{line.codes.data(), f.storage,
                              static_cast<std::int64_t>(line.codes.size()),
                              f.block > 0 ? line.scales.data() : nullptr};
    };
    std::uint32_t d = 0;
    mx::gemm(plan, {1, 1, k}, operand(*one_.a, a), operand(*one_.b, b),
             slice_.c ? &*slice_.c : nullptr, &d);
    return d;
  }

  static std::int64_t bytes_a_code(const gemm_factor& f) {
    return f.operand().line_bytes / std::max<std::int64_t>(static_cast<std::int64_t>(f.padded), 1);
  }
  static void append(const slice_line& from, const gemm_factor& f, std::int64_t first,
                     std::int64_t count, slice_line& to) {
    const std::int64_t bytes = bytes_a_code(f);
    const auto codes = from.codes.begin() + first * bytes;
    to.codes.insert(to.codes.end(), codes, codes + count * bytes);
    if (f.block == 0) return;
    const auto scales = from.scales.begin() + first / f.block;
    to.scales.insert(to.scales.end(), scales, scales + count / f.block);
  }
  static void shorten(slice_line& line, const gemm_factor& f, std::int64_t k) {
    line.codes.resize(static_cast<std::size_t>(k * bytes_a_code(f)));
    if (f.block > 0) line.scales.resize(static_cast<std::size_t>(k / f.block));
  }

  /// Whether a part of a line is all zeros.
  [[nodiscard]] bool is_zero(const gemm_factor& f, const slice_line& line, std::int64_t first,
                             std::int64_t count) const {
    const std::int64_t bytes = bytes_a_code(f);
    for (std::int64_t i = first; i < first + count; ++i) {
      std::uint32_t code = 0;
      for (std::int64_t k = 0; k < bytes; ++k) {
        code |= std::uint32_t{line.codes[static_cast<std::size_t>(i * bytes + k)]} << 8 * k;
      }
      if (!mx::factor_of(one_.plan.model, f.element, code).value.is_zero()) return false;
    }
    return true;
  }

  const read_candidate& one_;
  std::int64_t block_;
  product_slice slice_;
};

}  // namespace

product_slice slice_of(const product_files& in, const golden::validator::product_diagnosis& d) {
  const auto& first = *d.models[d.expected].found.first;
  sliced_product product(in, in.candidates[d.expected], first.row, first.column);
  if (d.explanations.empty()) {
    product.drop_zeros();
  } else {
    product.keep_first_part(d.explanations.front().plan);
  }
  return product.taken();
}

}  // namespace sim::cli
