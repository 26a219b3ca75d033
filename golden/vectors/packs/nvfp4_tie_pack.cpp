// SPDX-License-Identifier: Apache-2.0
// golden/vectors/packs/nvfp4_tie_pack.cpp: NVFP4 has exact ties only where amax / 2688 has few
// bits: amax = 21 j 2^k gives the tensor scale j 2^(k-7). Numbers drawn at random have none.
#include <fmt/format.h>

#include <array>
#include <cmath>

#include "golden/vectors/packs/quantized_rows.h"

namespace golden::packs {
namespace {

using mx::number_type;

/// amax = 21 j 2^k, that is t = j 2^(k-7).
struct tensor_amax {
  int j, k;
};
constexpr std::array tensors{tensor_amax{1, 0}, tensor_amax{3, -9}, tensor_amax{5, 40},
                             tensor_amax{11, -60}};
constexpr mx::block_format nvfp4 = mx::block_formats::nvfp4;

/// The tensor's rows as they grow; numbers are in units of 2^(k-7).
struct tie_rows {
  tensor_amax amax;
  number_type type;
  std::vector<noted_row> rows;

  [[nodiscard]] float number(double units) const {
    return scaled(units * amax.j, amax.k - 7, type);
  }
  void add(std::vector<float> x, std::string sentence) {
    for (const float value : x) {
      if (std::isnan(value)) return;
    }
    x.resize(static_cast<std::size_t>(nvfp4.columns));
    rows.push_back({std::move(x), std::move(sentence)});
  }
};

void add_element_ties(tie_rows& tensor, const std::vector<double>& grid, double scale,
                      std::uint32_t code) {
  std::vector<float> ties{tensor.number(6 * scale)}, beside = ties;
  for (std::size_t i = 0; i + 1 < grid.size(); ++i) {
    const float tie = tensor.number((grid[i] + grid[i + 1]) / 2 * scale);
    if (std::isnan(tie)) return;
    ties.insert(ties.end(), {tie, -tie});
    beside.insert(beside.end(), {stepped(tie, tensor.type, -1), -stepped(tie, tensor.type, 1)});
  }
  tensor.add(ties, fmt::format("block scale {:#04x} exactly: all seven ties, of both signs", code));
  tensor.add(beside, fmt::format("block scale {:#04x} exactly: a step below each tie, and, "
                                 "negative, a step above",
                                 code));
}

void add_scale_ties(tie_rows& tensor, double scale, double next, std::uint32_t code) {
  const float tie = tensor.number(6 * (scale + next) / 2);
  if (std::isnan(tie)) return;
  constexpr std::array places{"halfway", "a step below halfway", "a step above halfway"};
  const float amax[] = {tie, stepped(tie, tensor.type, -1), stepped(tie, tensor.type, 1)};
  for (std::size_t i = 0; i < places.size(); ++i) {
    std::vector<float> x{amax[i]};
    for (const double units : {1.0, 1.5, 2.0, 3.0, 4.0}) {
      const float value = tensor.number(units * scale);
      if (!std::isnan(value)) x.insert(x.end(), {value, -value});
    }
    tensor.add(x, fmt::format("amax / (6 t) {} between the block scales {:#04x} and {:#04x}",
                              places[i], code, code + 1));
  }
}

std::vector<noted_row> rows_of(tensor_amax amax, number_type type) {
  const std::vector<double> grid = magnitudes(nvfp4.element), scales = magnitudes(nvfp4.scale);
  tie_rows tensor{amax, type, {}};
  tensor.add({tensor.number(6 * scales.back())},
             fmt::format("the tensor's amax 21 * {} * 2^{}, which makes t = {} * 2^{}", amax.j,
                         amax.k, amax.j, amax.k - 7));
  for (std::uint32_t code = 1; code < scales.size(); ++code) {
    add_element_ties(tensor, grid, scales[code], code);
  }
  for (std::uint32_t code = 0; code + 1 < scales.size(); ++code) {
    add_scale_ties(tensor, scales[code], scales[code + 1], code);
  }
  return tensor.rows;
}

}  // namespace

pack_contents nvfp4_tie_pack() {
  pack_contents pack;
  constexpr std::array rules{mx::scale_rule::ideal};
  for (const tensor_amax amax : tensors) {
    for (const number_type type : {number_type::fp32, number_type::bf16}) {
      const std::string tag = fmt::format("j{}k{}.{}", amax.j, amax.k, name_of(type));
      add_quantized(pack, tag, nvfp4, type, rules, rows_of(amax, type));
    }
  }
  return pack;
}

}  // namespace golden::packs
