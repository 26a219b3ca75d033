// SPDX-License-Identifier: Apache-2.0
// emulator/src/gemm_lines.h: one factor of a block-scaled product of E2M1, laid out for the kernels.
#pragma once
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <vector>

#include "gemm_scales.h"
#include "gemm_slices.h"
#include "mx/bulk_gemm.h"

namespace mx {

/// Memory that begins with a cache line, not initialized.
template <class T>
class line_aligned {
 public:
  line_aligned() = default;
  explicit line_aligned(std::size_t count)
      : first_(static_cast<T*>(std::aligned_alloc(64, (count * sizeof(T) + 63) / 64 * 64))) {
    if (first_ == nullptr && count > 0) throw std::bad_alloc();
  }
  [[nodiscard]] T* at(std::size_t i) const noexcept { return first_.get() + i; }

 private:
  struct release {
    void operator()(T* p) const noexcept { std::free(p); }
  };
  std::unique_ptr<T[], release> first_;
};

/// Rows of A or columns of B in groups of `width`, and along k in chunks that stay in a near cache:
/// for each chunk all groups, for each group the chunk's units.
class gemm_lines {
 public:
  enum class side : std::uint8_t { left, right };

  static constexpr std::int64_t chunk_elements = 512, step_elements = 64;

  /// What all lines of a group have in common: exponents of scales of units that are not zero.
  struct bounds {
    int highest = -1000, lowest = 1000;
    int apart = 0;  ///< most between the two units of a step
  };

  gemm_lines(side which, const gemm_kernels& kernels, const gemm_scale_table& scales,
             const gemm_operand& source, std::int64_t lines, std::int64_t k)
      : side_(which),
        kernels_(kernels),
        scale_values_(scales),
        source_(source),
        lines_(lines),
        k_(k),
        width_(which == side::left ? kernels.tile.rows : kernels.tile.columns),
        groups_((lines + width_ - 1) / width_),
        chunk_units_(chunk_elements / kernels.unit),
        units_((k + step_elements - 1) / step_elements * (step_elements / kernels.unit)),
        bounds_(static_cast<std::size_t>(groups_)),
        irregular_(static_cast<std::size_t>(lines)) {
    const auto chunks = static_cast<std::size_t>((units_ + chunk_units_ - 1) / chunk_units_);
    const std::size_t places = chunks * static_cast<std::size_t>(groups_ * width_ * chunk_units_);
    codes_ = line_aligned<std::uint8_t>(places * static_cast<std::size_t>(kernels.unit));
    scales_ = line_aligned<float>(places);
    if (which == side::left) offsets_ = line_aligned<std::int32_t>(places);
    if (kernels.units_a_step == 1) return;
    high_ = line_aligned<float>(places / static_cast<std::size_t>(kernels.units_a_step));
    low_ = line_aligned<float>(places / static_cast<std::size_t>(kernels.units_a_step));
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] std::int64_t units() const { return units_; }
  [[nodiscard]] std::int64_t chunk_units() const { return chunk_units_; }
  [[nodiscard]] const bounds& bounds_of(std::int64_t group) const {
    return bounds_[static_cast<std::size_t>(group)];
  }
  /// Whether a line has a scale that the kernels cannot take.
  [[nodiscard]] bool is_irregular(std::int64_t line) const {
    return irregular_[static_cast<std::size_t>(line)] != 0;
  }
  /// A group from a unit on, up to the end of the unit's chunk; of a step's units the first.
  [[nodiscard]] gemm_slice slice(std::int64_t group, std::int64_t unit) const {
    const std::size_t at = place(group, unit);
    gemm_slice result{codes_.at(at * static_cast<std::size_t>(kernels_.unit)), nullptr,
                      scales_.at(at), nullptr, nullptr};
    if (side_ == side::left) result.offsets = offsets_.at(at);
    if (kernels_.units_a_step > 1) {
      result.high = high_.at(at / static_cast<std::size_t>(kernels_.units_a_step));
      result.low = low_.at(at / static_cast<std::size_t>(kernels_.units_a_step));
    }
    return result;
  }

  /// Lays out one group.
  void fill(std::int64_t group) {
    for (int i = 0; i < width_; ++i) {
      for (std::int64_t unit = 0; unit < units_; unit += chunk_units_) {
        fill_line(group, i, unit, std::min(chunk_units_, units_ - unit));
      }
    }
  }

 private:
  [[nodiscard]] std::size_t place(std::int64_t group, std::int64_t unit) const {
    const std::int64_t chunk = unit / chunk_units_;
    return static_cast<std::size_t>(
        ((chunk * groups_ + group) * chunk_units_ + unit % chunk_units_) * width_);
  }

  /// Codes of a chunk of a line: where they are, or in `space`, with zeros behind the line's end.
  [[nodiscard]] gemm_line codes_of(std::int64_t line, std::int64_t unit, std::int64_t units,
                                   std::uint8_t (&space)[chunk_elements]) const {
    const std::int64_t first = unit * kernels_.unit, count = units * kernels_.unit;
    const bool pairs = source_.storage == code_storage::pairs;
    const auto packing = pairs ? code_packing::packed : code_packing::unpacked;
    const std::int64_t there = line < lines_ ? std::clamp<std::int64_t>(k_ - first, 0, count) : 0;
    const std::uint8_t* codes = space;
    if (there > 0) {
      codes = static_cast<const std::uint8_t*>(source_.codes) + line * source_.line_bytes +
              (pairs ? first / 2 : first);
    }
    if (there < count) {
      std::fill_n(space, chunk_elements, std::uint8_t{0});
      if (there > 0) std::copy_n(codes, pairs ? (there + 1) / 2 : there, space);
      if (pairs && there % 2 != 0) space[there / 2] &= 0x0F;
      codes = space;
    }
    return {codes, packing, static_cast<int>(units)};
  }

  void fill_line(std::int64_t group, int i, std::int64_t unit, std::int64_t units) {
    const std::int64_t line = group * width_ + i;
    std::uint8_t space[chunk_elements], zeros[chunk_elements / 16];
    const std::size_t at = place(group, unit);
    std::uint8_t* codes = codes_.at(at * static_cast<std::size_t>(kernels_.unit)) + 4 * i;
    std::int32_t* offsets = side_ == side::left ? offsets_.at(at) + i : nullptr;
    kernels_.place(codes_of(line, unit, units, space), {width_, codes, offsets, zeros});
    const int a_step = kernels_.units_a_step;
    for (int u = 0; u < units; u += a_step) fill_step(group, i, unit + u, zeros + u);
  }

  /// Scales of the units of a step.
  void fill_step(std::int64_t group, int i, std::int64_t unit, const std::uint8_t* zeros) {
    const std::int64_t line = group * width_ + i;
    const std::int64_t blocks = (k_ + kernels_.unit - 1) / kernels_.unit;
    const float quarter = side_ == side::left ? 0.25F : 1.0F;
    const std::size_t at = place(group, unit) + static_cast<std::size_t>(i);
    int highest = -1000, lowest = 1000;
    for (int u = 0; u < kernels_.units_a_step; ++u) {
      gemm_scale scale{1, 0, scale_use::zero};
      const bool there = line < lines_ && unit + u < blocks;
      if (there) scale = scale_values_[source_.scales[line * blocks + unit + u]];
      const bool zero = zeros[u] != 0 || scale.use == scale_use::zero;
      if (scale.use == scale_use::nan || (scale.use == scale_use::far && !zero)) {
        irregular_[static_cast<std::size_t>(line)] = 1;
      } else if (!zero) {
        highest = std::max(highest, scale.exponent), lowest = std::min(lowest, scale.exponent);
      }
      *scales_.at(at + static_cast<std::size_t>(u * width_)) = quarter * scale.value;
    }
    widen_bounds(group, highest, lowest);
    if (kernels_.units_a_step == 1) return;
    const std::size_t step = place(group, unit) / static_cast<std::size_t>(kernels_.units_a_step);
    *high_.at(step + static_cast<std::size_t>(i)) = power_of_two(highest, 0);
    *low_.at(step + static_cast<std::size_t>(i)) = power_of_two(lowest, 0x1p60F);
  }

  /// 2^exponent, or `none` where there was nothing to have an exponent.
  static float power_of_two(int exponent, float none) {
    if (exponent < -127 || exponent > 127) return none;
    return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
  }

  void widen_bounds(std::int64_t group, int highest, int lowest) {
    bounds& all = bounds_[static_cast<std::size_t>(group)];
    all.highest = std::max(all.highest, highest), all.lowest = std::min(all.lowest, lowest);
    all.apart = std::max(all.apart, highest - lowest);
  }

  side side_;
  const gemm_kernels& kernels_;
  const gemm_scale_table& scale_values_;
  gemm_operand source_;
  std::int64_t lines_, k_;
  int width_;
  std::int64_t groups_, chunk_units_, units_;
  std::vector<bounds> bounds_;
  std::vector<std::uint8_t> irregular_;
  line_aligned<std::uint8_t> codes_;
  line_aligned<std::int32_t> offsets_;
  line_aligned<float> scales_, high_, low_;
};

}  // namespace mx
