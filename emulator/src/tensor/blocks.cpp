// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/blocks.cpp: distributes a tensor's blocks to threads; gathers, calls the
// kernels or the core, and scatters. Equals mx::quantize_block on every block, checked by
// tests/unit/tensor/blocks_test.cpp.
#include "mx/tensor/blocks.h"

#include <atomic>
#include <bit>
#include <stdexcept>

#include "mx/tensor/ieee_arithmetic.h"
#include "mx/tensor/parallel.h"
#include "tensor/dequantizer.h"
#include "tensor/quantizer.h"

namespace mx {
namespace {

/// Elements of a share of a tensor, the unit of work of one task. A power of two, so that the
/// groups of the kernels stay whole; enough shares for many threads, none too small to be worth a
/// task.
std::uint64_t share_elements(std::uint64_t elements) {
  return std::clamp(std::bit_floor(elements / 64), std::uint64_t{1} << 15, std::uint64_t{1} << 20);
}

void require(bool fits, const char* what) {
  if (!fits) throw std::invalid_argument(what);
}

/// Granularity of shares in blocks: no byte is written by two shares.
std::uint64_t share_blocks(const block_geometry& g) {
  if (g.halved && g.format.columns % 2 != 0) return g.sizes.blocks_along * g.shape.inner;
  return std::max<std::uint64_t>(1, share_elements(g.shape.elements()) / g.block_size());
}

/// Calls work(first, last) for fixed shares of the blocks.
template <class Work>
void for_each_share(const block_geometry& g, const blocks_done& done, const Work& work) {
  if (g.sizes.blocks == 0) return;
  const std::uint64_t size = share_blocks(g);
  const std::uint64_t shares = (g.sizes.blocks + size - 1) / size;
  // A share at the end of a line may be small; then several form a task.
  const std::uint64_t grain =
      std::max<std::uint64_t>(1, share_elements(g.shape.elements()) / g.block_size() / size);
  const auto one_task = [&](index_range part) {
    const std::uint64_t first = part.first * size;
    const std::uint64_t last = std::min(part.last * size, g.sizes.blocks);
    work(first, last);
    if (done) done(last - first);
  };
  in_parallel({0, shares}, grain, one_task, division::to_the_grain);
}

/// Largest finite magnitude of `count` numbers, `step` apart, as a pattern of FP32.
std::uint32_t largest_finite(number_type type, const unsigned char* x, std::uint64_t count,
                             std::uint64_t step) {
  const bool in_place = type == number_type::fp32 && step == 1 &&
                        reinterpret_cast<std::uintptr_t>(x) % alignof(float) == 0;
  if (in_place) return mx::largest_finite(reinterpret_cast<const float*>(x), count);
  constexpr std::uint64_t piece = 1024;
  float values[piece];
  std::uint32_t amax = 0;
  for (std::uint64_t first = 0; first < count; first += piece) {
    const std::uint64_t length = std::min(piece, count - first);
    widen_strided(type, x, first * step, step, length, values);
    amax = std::max(amax, mx::largest_finite(values, length));
  }
  return amax;
}

float tensor_scale_of_bits(const block_format& f, std::uint32_t amax) {
  return tensor_scale_of(f, decode<formats::binary32>(amax));
}

std::uint32_t largest_finite_of_all(number_type type, const unsigned char* x, std::uint64_t count) {
  return joined_in_parallel(
      {0, count}, share_elements(count), std::uint32_t{0},
      [&](index_range part) {
        return largest_finite(type, x + part.first * bytes_of(type), part.size(), 1);
      },
      [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
}

}  // namespace

std::uint64_t quantize_tensor(const quantization& q, number_type type, const void* x,
                              const blocked_shape& shape, const coded_blocks& out,
                              const blocks_done& done) {
  require(refusal_of(q) == refusal::none, "mx: a quantization that makes no sense");
  expect_blocks(q.format, shape);
  const ieee_arithmetic arithmetic;
  const block_geometry geometry(q.format, shape, out.packing);
  const tensor_quantizer quantizer(q, type, x, geometry, out);
  std::atomic<std::uint64_t> special{0};
  for_each_share(geometry, done, [&](std::uint64_t first, std::uint64_t last) {
    special += quantizer.share(first, last);
  });
  return special;
}

void dequantize_tensor(const block_format& f, const constant_coded_blocks& in,
                       const blocked_shape& shape, void* out, const blocks_done& done) {
  require(refusal_of({f, scale_rule::ideal}) == refusal::none, "mx: a format that makes no sense");
  require(f.precision == scale_precision::stored, "mx: an exact scale is not stored");
  expect_blocks(f, shape);
  const ieee_arithmetic arithmetic;
  const block_geometry geometry(f, shape, in.packing);
  const tensor_dequantizer dequantizer(geometry, in, out);
  for_each_share(geometry, done,
                 [&](std::uint64_t first, std::uint64_t last) { dequantizer.share(first, last); });
}

void choose_tensor_scales(const block_format& f, number_type type, const void* x,
                          const blocked_shape& shape, float* scales) {
  expect_blocks(f, shape);
  const ieee_arithmetic arithmetic;
  const auto* bytes = static_cast<const unsigned char*>(x);
  if (f.tensor == tensor_scaling::per_tensor) {
    scales[0] = tensor_scale_of_bits(f, largest_finite_of_all(type, bytes, shape.elements()));
  }
  if (f.tensor != tensor_scaling::per_row) return;
  for_each_in_parallel(shape.outer * shape.rows * shape.inner, [&](std::uint64_t line) {
    const std::uint64_t first =
        line / shape.inner * shape.length * shape.inner + line % shape.inner;
    scales[line] = tensor_scale_of_bits(
        f, largest_finite(type, bytes + first * bytes_of(type), shape.length, shape.inner));
  });
}

}  // namespace mx
