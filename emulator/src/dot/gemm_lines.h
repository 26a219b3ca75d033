// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_lines.h: one factor of a block-scaled product of E2M1, laid out for the
// kernels.
#pragma once
#include <tbb/scalable_allocator.h>

#include <algorithm>
#include <memory>
#include <new>
#include <vector>

#include "dot/gemm_codes.h"
#include "dot/gemm_scales.h"
#include "dot/gemm_slices.h"

namespace mx {

/// Uninitialized memory aligned to a cache line. The allocator retains freed memory: new pages from
/// the system cost a product of usual size a fifth of its time.
template <class T>
class line_aligned {
 public:
  line_aligned() = default;
  explicit line_aligned(std::size_t count)
      : first_(static_cast<T*>(scalable_aligned_malloc((count * sizeof(T) + 63) / 64 * 64, 64))) {
    if (first_ == nullptr && count > 0) throw std::bad_alloc();
  }
  [[nodiscard]] T* at(std::size_t i) const noexcept { return first_.get() + i; }

 private:
  struct release {
    void operator()(T* p) const noexcept { scalable_aligned_free(p); }
  };
  std::unique_ptr<T[], release> first_;
};

/// Rows of A or columns of B in groups of `width`, and along k in chunks that fit a near cache: for
/// each chunk all groups, for each group the chunk's units.
class gemm_lines {
 public:
  enum class side : std::uint8_t { left, right };

  static constexpr std::int64_t chunk_elements = 256;

  gemm_lines(side which, const gemm_kernels& kernels, const gemm_scale_table& scales,
             const gemm_operand& source, std::int64_t lines, std::int64_t k)
      : side_(which),
        kernels_(kernels),
        scale_values_(scales),
        source_codes_(source, lines, k),
        source_scales_(source.scales),
        lines_(lines),
        blocks_((k + kernels.unit - 1) / kernels.unit),
        width_(which == side::left ? kernels.tile.rows : kernels.tile.columns),
        groups_((lines + width_ - 1) / width_),
        units_((k + step_elements - 1) / step_elements * (step_elements / kernels.unit)),
        chunk_units_(std::min(chunk_elements / kernels.unit, units_)),
        bounds_(static_cast<std::size_t>(groups_)),
        regular_groups_(static_cast<std::size_t>(groups_), std::uint8_t{1}),
        zero_groups_(static_cast<std::size_t>(groups_), std::uint8_t{1}),
        irregular_(static_cast<std::size_t>(lines)),
        least_(least_power(which, scales)) {
    const auto chunks = static_cast<std::size_t>((units_ + chunk_units_ - 1) / chunk_units_);
    const std::size_t places = chunks * static_cast<std::size_t>(groups_ * width_ * chunk_units_);
    codes_ = line_aligned<std::uint8_t>(places * static_cast<std::size_t>(kernels.unit));
    scales_ = line_aligned<float>(places);
    if (which == side::left && !has_weights()) starts_ = line_aligned<float>(places);
    if (kernels.units_a_step == 1) return;
    high_ = line_aligned<float>(places / static_cast<std::size_t>(kernels.units_a_step));
    low_ = line_aligned<float>(places / static_cast<std::size_t>(units_a_low()));
    if (!has_weights()) return;
    pairs_ = line_aligned<std::int32_t>(places / 2);
    powers_ = line_aligned<std::int32_t>(places / 4);
    if (which == side::left) integer_starts_ = line_aligned<std::int32_t>(places);
  }

  [[nodiscard]] std::int64_t groups() const { return groups_; }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] std::int64_t units() const { return units_; }
  [[nodiscard]] std::int64_t chunk_units() const { return chunk_units_; }
  /// Bounds of the scales of all lines of a group.
  [[nodiscard]] const scale_bounds& bounds_of(std::int64_t group) const {
    return bounds_[static_cast<std::size_t>(group)];
  }
  /// Whether a line has a scale that the kernels do not support.
  [[nodiscard]] bool is_irregular(std::int64_t line) const {
    return irregular_[static_cast<std::size_t>(line)] != 0;
  }
  /// Whether no line of a group has one.
  [[nodiscard]] bool is_regular_group(std::int64_t group) const {
    return regular_groups_[static_cast<std::size_t>(group)] != 0;
  }
  /// Whether all elements of a group are zeros.
  [[nodiscard]] bool is_zero_group(std::int64_t group) const {
    return zero_groups_[static_cast<std::size_t>(group)] != 0;
  }
  /// A group from a unit on, up to the end of the unit's chunk; the unit must be the first of a
  /// step.
  [[nodiscard]] gemm_slice slice(std::int64_t group, std::int64_t unit) const {
    const std::size_t at = place(group, unit);
    gemm_slice result{codes_.at(at * static_cast<std::size_t>(kernels_.unit)),
                      scales_.at(at),
                      nullptr,
                      nullptr,
                      nullptr,
                      least_,
                      {}};
    if (side_ == side::left && !has_weights()) result.starts = starts_.at(at);
    if (has_weights()) result.weights = {pairs_.at(at / 2), powers_.at(at / 4), nullptr};
    if (has_weights() && side_ == side::left) result.weights.starts = integer_starts_.at(at);
    if (kernels_.units_a_step > 1) {
      result.high = high_.at(at / static_cast<std::size_t>(kernels_.units_a_step));
      result.low = low_.at(at / static_cast<std::size_t>(units_a_low()));
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
  [[nodiscard]] bool has_weights() const { return kernels_.units_a_step == 4; }
  /// Units under one number of gemm_slice::low.
  [[nodiscard]] int units_a_low() const { return has_weights() ? 1 : kernels_.units_a_step; }

  [[nodiscard]] std::size_t place(std::int64_t group, std::int64_t unit) const {
    const std::int64_t chunk = unit / chunk_units_;
    return static_cast<std::size_t>(
        ((chunk * groups_ + group) * chunk_units_ + unit % chunk_units_) * width_);
  }

  /// Units of a line before they are stored in their positions.
  struct line_units {
    std::uint8_t codes[chunk_elements], zeros[chunk_elements / 16];
    std::int32_t sums[chunk_elements / 16];
    const gemm_scale* scales[chunk_elements / 16];
  };

  void fill_line(std::int64_t group, int i, std::int64_t unit, std::int64_t units) {
    const std::int64_t line = group * width_ + i;
    line_units space;
    const std::size_t at = place(group, unit);
    std::uint8_t* codes = codes_.at(at * static_cast<std::size_t>(kernels_.unit)) + 4 * i;
    const gemm_line from{
        source_codes_.at(line, unit * kernels_.unit, units * kernels_.unit, space.codes),
        source_codes_.packing(), static_cast<int>(units)};
    kernels_.place(from, {width_, codes, side_ == side::left ? space.sums : nullptr, space.zeros});
    const bool zeros = std::all_of(space.zeros, space.zeros + units, [](auto z) { return z != 0; });
    if (!zeros) zero_groups_[static_cast<std::size_t>(group)] = 0;
    for (int u = 0; u < units; ++u) space.scales[u] = &scale_of(line, unit + u);
    for (int u = 0; u < units; ++u) fill_scale(line, at + place_of(u, i), space, u);
    if (kernels_.units_a_step > 1) fill_bounds(group, i, unit, static_cast<int>(units), space);
  }

  [[nodiscard]] std::size_t place_of(std::int64_t unit, int i) const {
    return static_cast<std::size_t>(unit * width_ + i);
  }

  [[nodiscard]] const gemm_scale& scale_of(std::int64_t line, std::int64_t unit) const {
    if (line >= lines_ || unit >= blocks_) return no_scale;
    return scale_values_[source_scales_[line * blocks_ + unit]];
  }

  void fill_scale(std::int64_t line, std::size_t at, const line_units& space, int u) {
    const gemm_scale& scale = *space.scales[u];
    const bool left = side_ == side::left;
    const float value = left ? 0.25F * scale.value : scale.value;
    *scales_.at(at) = value;
    if (left && !has_weights()) {
      const float start = sum_start + 12.0F * static_cast<float>(space.sums[u]);
      *starts_.at(at) = kernels_.unit == 32 ? -start * value : start;
    }
    if (!scale.is_irregular(space.zeros[u] != 0)) return;
    irregular_[static_cast<std::size_t>(line)] = 1;
    regular_groups_[static_cast<std::size_t>(line / width_)] = 0;
  }

  /// Exponents of the scales in each step.
  void fill_bounds(std::int64_t group, int i, std::int64_t first, int units,
                   const line_units& space) {
    scale_bounds& all = bounds_[static_cast<std::size_t>(group)];
    const std::size_t start = place(group, first);
    for (int unit = 0; unit < units; unit += kernels_.units_a_step) {
      int highest = scale_bounds::none_high, lowest = scale_bounds::none_low;
      for (int u = unit; u < unit + kernels_.units_a_step; ++u) {
        const gemm_scale& scale = *space.scales[u];
        const bool counts = space.zeros[u] == 0 && scale.use == scale_use::regular;
        if (has_weights()) {
          *low_.at(start + place_of(u, i)) =
              power_of_two(counts ? scale.exponent : scale_bounds::none_low, 0x1p60F);
        }
        if (!counts) continue;
        highest = std::max(highest, scale.exponent), lowest = std::min(lowest, scale.exponent);
      }
      all.add_step(highest, lowest);
      const std::size_t begin = start + place_of(unit, 0);
      const std::size_t at =
          begin / static_cast<std::size_t>(kernels_.units_a_step) + static_cast<std::size_t>(i);
      *high_.at(at) = power_of_two(highest, 0);
      if (has_weights()) {
        fill_weights(begin, i, unit, lowest, space);
      } else {
        *low_.at(at) = power_of_two(lowest, 0x1p60F);
      }
    }
  }

  /// Integer scales of a step, whose units begin with `unit` of the chunk's.
  ///   at      of the step's first unit of the group's first line
  ///   lowest  exponent of a scale that counts, or none_low
  void fill_weights(std::size_t at, int i, int unit, int lowest, const line_units& space) {
    std::uint32_t weight[4] = {};
    for (int u = 0; u < 4; ++u) {
      const gemm_scale& scale = *space.scales[unit + u];
      if (side_ == side::left) {
        const int raised = u % 2 == 0 ? 0 : gemm_weights::raised;
        *integer_starts_.at(at + place_of(u, i)) = -12 * space.sums[unit + u] + raised;
      }
      if (space.zeros[unit + u] != 0 || scale.use != scale_use::regular) continue;
      const int above = scale.exponent - lowest;
      if (above <= weights_apart) weight[u] = scale.eighths << above;
    }
    for (int p = 0; p < 2; ++p) {
      *pairs_.at(at / 2 + place_of(p, i)) =
          static_cast<std::int32_t>(weight[2 * p] << 16 | weight[2 * p + 1]);
    }
    // A's elements and B's are doubled too.
    const int power = lowest == scale_bounds::none_low ? 0 : lowest - 3;
    *powers_.at(at / 4 + static_cast<std::size_t>(i)) =
        (side_ == side::left ? power - 2 : power + 127) * (1 << 23);
  }

  /// Of the regular scales, as gemm_slice has it.
  static float least_power(side which, const gemm_scale_table& scales) {
    int lowest = scale_bounds::none_low;
    for (const gemm_scale& scale : scales) {
      if (scale.use == scale_use::regular) lowest = std::min(lowest, scale.exponent);
    }
    return power_of_two(lowest, 1) * (which == side::left ? 0.25F : 1.0F);
  }

  /// 2^exponent, or `none` if no element has an exponent.
  static float power_of_two(int exponent, float none) {
    if (exponent < -127 || exponent > 127) return none;
    return float_of(static_cast<std::uint32_t>(exponent + 127) << 23);
  }

  side side_;
  const gemm_kernels& kernels_;
  const gemm_scale_table& scale_values_;
  code_lines source_codes_;
  const std::uint8_t* source_scales_;
  std::int64_t lines_, blocks_;
  int width_;
  std::int64_t groups_, units_, chunk_units_;
  std::vector<scale_bounds> bounds_;
  std::vector<std::uint8_t> regular_groups_, zero_groups_, irregular_;
  line_aligned<std::uint8_t> codes_;
  line_aligned<float> scales_, starts_, high_, low_;
  line_aligned<std::int32_t> pairs_, powers_, integer_starts_;
  float least_;
};

}  // namespace mx
