// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_lines.cpp: lines of codes to the order of the kernels, group by group.
#include "dot/step_lines.h"

#include <algorithm>

#include "mx/number/e8m0.h"

namespace mx {

step_lines::step_lines(side which, const step_kernels& kernels, const step_rule& rule,
                       const dot_model& model, const gemm_operand& source, std::int64_t lines,
                       std::int64_t k)
    : side_(which),
      kernels_(kernels),
      rule_(rule),
      block_(model.block),
      source_(source),
      lines_(lines),
      k_(k),
      width_(which == side::left ? kernels.rows : kernels.columns),
      groups_((lines + width_ - 1) / width_),
      length_((k + step_chunk - 1) / step_chunk * step_chunk),
      irregular_(static_cast<std::size_t>(groups_)) {
  const auto places = static_cast<std::size_t>(groups_ * width_ * length_);
  values_ = line_aligned<float>(places);
  exponents_ = line_aligned<std::int32_t>(places);
  if (rule.has_scales) {
    scales_ = line_aligned<std::int32_t>(places / static_cast<std::size_t>(rule.unit));
  }
}

void step_lines::fill(std::int64_t group) {
  const void* lines[step_kernels::most_columns];
  const std::int64_t first = group * width_;
  const auto count = static_cast<int>(std::min<std::int64_t>(width_, lines_ - first));
  for (int i = 0; i < count; ++i) {
    lines[i] = static_cast<const std::uint8_t*>(source_.codes) + (first + i) * source_.line_bytes;
  }
  const auto at = static_cast<std::size_t>(group * width_ * length_);
  const step_source from{lines, count, source_.storage, 0, k_};
  const step_place to{values_.at(at), exponents_.at(at)};
  const bool left = side_ == side::left;
  irregular_[static_cast<std::size_t>(group)] =
      (left ? kernels_.place_strip : kernels_.place_panel)(rule_, left ? rule_.a : rule_.b, from,
                                                           to);
  if (rule_.has_scales) fill_scales(group);
}

void step_lines::fill_scales(std::int64_t group) {
  const std::int64_t blocks = (k_ + block_ - 1) / block_, units = length_ / rule_.unit;
  std::int32_t* to = scales_.at(static_cast<std::size_t>(group * width_ * units));
  for (int i = 0; i < width_; ++i) {
    const std::int64_t line = group * width_ + i;
    for (std::int64_t unit = 0; unit < units; ++unit) {
      const std::int64_t block = unit * rule_.unit / block_;
      const bool there = line < lines_ && block < blocks;
      const e8m0 scale = there ? e8m0{source_.scales[line * blocks + block]} : e8m0{e8m0::bias};
      if (scale.is_nan()) irregular_[static_cast<std::size_t>(group)] |= 1U << i;
      to[unit * width_ + i] = scale.exponent();
    }
  }
}

step_slice step_lines::slice(std::int64_t group, std::int64_t k) const {
  const auto first =
      static_cast<std::size_t>(group * length_ + k) * static_cast<std::size_t>(width_);
  return {values_.at(first), exponents_.at(first),
          rule_.has_scales ? scales_.at(first / static_cast<std::size_t>(rule_.unit)) : nullptr};
}

}  // namespace mx
