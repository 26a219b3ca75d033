// SPDX-License-Identifier: Apache-2.0
// sim/cli/blocked_tensor.cpp: gathers blocks, calls the rules, scatters what they give.
#include "sim/cli/blocked_tensor.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

namespace sim::cli {
namespace {

constexpr std::uint64_t size = mx::mxfp4::size;
/// Blocks that one task takes: also the share of sums that are added first, so it is fixed.
constexpr std::uint64_t blocks_of_a_task = 2048;

/// Where block number `index` lies: blocks are counted in the order of the scales.
struct block_place {
  std::uint64_t o, b, i;
  block_place(const block_axis& axis, std::uint64_t index)
      : o(index / axis.inner / axis.blocks_along()),
        b(index / axis.inner % axis.blocks_along()),
        i(index % axis.inner) {}
};

struct gathered_block {
  float values[mx::mxfp4::size] = {};
  int count = 0;
};

gathered_block gather(const std::vector<float>& x, const block_axis& axis, std::uint64_t index) {
  const block_place at(axis, index);
  gathered_block block;
  block.count = static_cast<int>(std::min(size, axis.length - at.b * size));
  const std::uint64_t first = (at.o * axis.length + at.b * size) * axis.inner + at.i;
  for (int k = 0; k < block.count; ++k) {
    block.values[k] = x[first + static_cast<std::uint64_t>(k) * axis.inner];
  }
  return block;
}

/// Calls work(task, first, last) for consecutive ranges of blocks, each a task of its own.
template <class Work>
void for_each_task(std::uint64_t blocks, progress_bar& bar, const Work& work) {
  const std::uint64_t tasks = (blocks + blocks_of_a_task - 1) / blocks_of_a_task;
  tbb::parallel_for(std::uint64_t{0}, tasks, [&](std::uint64_t task) {
    const std::uint64_t first = task * blocks_of_a_task;
    const std::uint64_t last = std::min(first + blocks_of_a_task, blocks);
    work(task, first, last);
    bar.advance(last - first);
  });
}

}  // namespace

block_axis block_axis_of(const golden::io::tensor& tensor, std::optional<int> asked) {
  const int axes = std::max(1, static_cast<int>(tensor.shape.size()));
  const int axis = asked.value_or(-1) < 0 ? asked.value_or(-1) + axes : *asked;
  if (axis < 0 || axis >= axes) {
    throw golden::io::file_error(
        tensor.source, tensor.name,
        fmt::format("has the shape {}, so no axis {}; expected --axis from {} to {}",
                    golden::io::shape_text(tensor.shape), asked.value_or(-1), -axes, axes - 1));
  }
  block_axis result{axis, 1, 1, 1};
  for (std::size_t k = 0; k < tensor.shape.size(); ++k) {
    const auto place = static_cast<int>(k);
    (place < axis ? result.outer : place > axis ? result.inner : result.length) *= tensor.shape[k];
  }
  return result;
}

std::vector<std::uint64_t> with_length(std::vector<std::uint64_t> shape, int axis,
                                       std::uint64_t length) {
  if (shape.empty()) shape.push_back(1);
  shape[static_cast<std::size_t>(axis)] = length;
  return shape;
}

std::uint64_t code_bytes_along(const block_axis& axis, packing how) {
  return axis.blocks_along() * (how == packing::packed ? size / 2 : size);
}

coded_tensor quantized(const std::vector<float>& x, const block_axis& axis, mx::scale_rule rule,
                       packing how, progress_bar& bar) {
  const std::uint64_t bytes = code_bytes_along(axis, how), step = how == packing::packed ? 2 : 1;
  coded_tensor result;
  result.codes.resize(axis.outer * bytes * axis.inner);
  result.scales.resize(axis.blocks());
  std::atomic<std::uint64_t> special{0};
  for_each_task(axis.blocks(), bar, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t index = first; index < last; ++index) {
      const mx::mxfp4 block = mx::quantize(gather(x, axis, index).values, rule);
      if (block.scale.is_nan()) special.fetch_add(1, std::memory_order_relaxed);
      result.scales[index] = block.scale.code;
      const block_place at(axis, index);
      std::uint8_t* out =
          result.codes.data() + (at.o * bytes + at.b * (size / step)) * axis.inner + at.i;
      for (std::uint64_t k = 0; k < size; k += step, out += axis.inner) {
        const int high = step == 2 ? block.elements[k + 1].code : 0;
        *out = static_cast<std::uint8_t>(block.elements[k].code | high << 4);
      }
    }
  });
  result.special_blocks = special;
  return result;
}

std::vector<float> dequantized(golden::io::byte_view codes, golden::io::byte_view scales,
                               const block_axis& axis, packing how, progress_bar& bar) {
  const std::uint64_t bytes = code_bytes_along(axis, how), step = how == packing::packed ? 2 : 1;
  std::vector<float> x(axis.outer * axis.length * axis.inner);
  for_each_task(axis.blocks(), bar, [&](std::uint64_t, std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t index = first; index < last; ++index) {
      const block_place at(axis, index);
      const mx::e8m0 scale{scales[index]};
      const std::uint64_t count = std::min(size, axis.length - at.b * size);
      for (std::uint64_t k = 0; k < count; ++k) {
        const std::uint64_t row = at.o * bytes + (at.b * size + k) / step;
        const unsigned byte = codes[row * axis.inner + at.i];
        const unsigned code = step == 2 && k % 2 == 1 ? byte >> 4 : byte & 15U;
        x[(at.o * axis.length + at.b * size + k) * axis.inner + at.i] =
            mx::dequantize(mx::e2m1{static_cast<std::uint8_t>(code)}, scale);
      }
    }
  });
  return x;
}

mx::error_energy energy_of(const std::vector<float>& x, const block_axis& axis, mx::scale_rule rule,
                           progress_bar& bar) {
  std::vector<mx::error_energy> shares((axis.blocks() + blocks_of_a_task - 1) / blocks_of_a_task);
  for_each_task(axis.blocks(), bar,
                [&](std::uint64_t task, std::uint64_t first, std::uint64_t last) {
                  for (std::uint64_t index = first; index < last; ++index) {
                    const gathered_block block = gather(x, axis, index);
                    shares[task].add(block.values, block.count, rule);
                  }
                });
  mx::error_energy all;
  for (const mx::error_energy& share : shares) all += share;
  return all;
}

}  // namespace sim::cli
