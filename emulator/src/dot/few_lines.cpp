// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/few_lines.cpp: memory of a factor's lines of at most 32 elements.
#include "dot/few_lines.h"

namespace mx {

few_lines::few_lines(side which, const gemm_kernels& kernels, const gemm_scale_table& scales,
                     const gemm_operand& source, std::int64_t lines, std::int64_t k)
    : is_left_(which == side::left),
      width_(is_left_ ? kernels.tile.rows : kernels.tile.columns),
      group_units_((k + kernels.unit - 1) / kernels.unit * width_),
      unit_(static_cast<std::size_t>(kernels.unit)),
      notes_(static_cast<std::size_t>((lines + width_ - 1) / width_)) {
  const std::size_t places = notes_.size() * static_cast<std::size_t>(group_units_);
  codes_ = line_aligned<std::uint8_t>(places * unit_);
  scales_ = line_aligned<float>(places);
  if (is_left_) starts_ = line_aligned<float>(places);
  const auto packing =
      source.storage == code_storage::pairs ? code_packing::packed : code_packing::unpacked;
  kernels.place_few({static_cast<const std::uint8_t*>(source.codes), source.line_bytes, packing,
                     source.scales, lines, static_cast<int>(k), scales.data()},
                    {static_cast<int>(width_), codes_.at(0), scales_.at(0),
                     is_left_ ? starts_.at(0) : nullptr, notes_.data()});
}

}  // namespace mx
