// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/bulk_variants.cpp: gathers blocks, quantizes them as presets do, scatters
// the results.
#include "mx/presets/bulk_variants.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <vector>

#include "presets/variant_blocks.h"

namespace mx {
namespace {

const mx_variant& mx_of(const variant_entry& e) { return mx_variant_table[e.index]; }
const nvfp4_variant& nvfp4_of(const variant_entry& e) { return nvfp4_presets::all[e.index]; }

/// Positions of the blocks of a shape: block b is number b of the scales.
struct block_walk {
  blocked_shape shape;
  std::uint64_t rows, columns, row_blocks, along, padded;

  block_walk(const block_format& f, const blocked_shape& s)
      : shape(s),
        rows(static_cast<std::uint64_t>(f.rows)),
        columns(static_cast<std::uint64_t>(f.columns)),
        row_blocks((s.rows + rows - 1) / rows),
        along((s.length + columns - 1) / columns),
        padded(along * columns) {}

  [[nodiscard]] std::uint64_t blocks() const {
    return shape.outer * row_blocks * along * shape.inner;
  }
  /// Calls work(k, line, a, i) for the elements of a block that have codes: k in the block, a along
  /// the axis, i after it, line before it.
  template <class Work>
  void visit(std::uint64_t block, const Work& work) const {
    const std::uint64_t i = block % shape.inner, b = block / shape.inner % along;
    const std::uint64_t tile_row = block / shape.inner / along;
    const std::uint64_t o = tile_row / row_blocks, first = tile_row % row_blocks * rows;
    for (std::uint64_t r = 0; r < rows && first + r < shape.rows; ++r) {
      for (std::uint64_t c = 0; c < columns; ++c) {
        work(r * columns + c, o * shape.rows + first + r, b * columns + c, i);
      }
    }
  }
  /// Whether a block is one contiguous row, without padding.
  [[nodiscard]] bool lies_together(std::uint64_t block) const {
    return rows == 1 && shape.inner == 1 && (block % along + 1) * columns <= shape.length;
  }
  [[nodiscard]] std::uint64_t first_value(std::uint64_t block) const {
    return value_at(block / along, block % along * columns, 0);
  }
  [[nodiscard]] std::uint64_t first_code(std::uint64_t block) const {
    return code_at(block / along, block % along * columns, 0);
  }
  [[nodiscard]] std::uint64_t value_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * shape.length + a) * shape.inner + i;
  }
  [[nodiscard]] std::uint64_t code_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * padded + a) * shape.inner + i;
  }
  /// Number of the row scale of block b.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t block) const {
    return block / shape.inner / along * shape.inner + block % shape.inner;
  }
};

/// Calls work(first, last) for ranges of blocks.
template <class Work>
void for_each_part(const block_walk& walk, const blocks_done& done, const Work& work) {
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, walk.blocks(), 256),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      work(range.begin(), range.end());
                      if (done) done(range.size());
                    });
}

template <class Work>
void for_each_block(const block_walk& walk, const blocks_done& done, const Work& work) {
  for_each_part(walk, done, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) work(b);
  });
}

/// A table costs about as much as some thousand blocks.
mx_variant_blocks::amount amount_of(const block_walk& walk) {
  return walk.blocks() < 4096 ? mx_variant_blocks::amount::few : mx_variant_blocks::amount::many;
}

/// Gathers blocks, quantizes them, and scatters their codes.
///   quantize  quantize(block, values, magnitudes, codes): returns the scale's code
///   returns   the number of blocks with NaN or Inf
template <class Quantize>
std::uint64_t quantize_all(const block_walk& walk, const float* x, std::uint8_t* codes,
                           std::uint8_t* scales, const blocks_done& done,
                           const Quantize& quantize) {
  const auto size = static_cast<std::size_t>(walk.rows * walk.columns);
  std::atomic<std::uint64_t> special{0};
  for_each_part(walk, done, [&](std::uint64_t first, std::uint64_t last) {
    std::vector<float> gathered(size);
    std::vector<std::uint8_t> made(size);
    for (std::uint64_t b = first; b < last; ++b) {
      if (walk.lies_together(b)) {
        const float* values = x + walk.first_value(b);
        const block_magnitudes sizes(values, static_cast<int>(size));
        if (sizes.is_special()) ++special;
        scales[b] = quantize(b, values, sizes, codes + walk.first_code(b));
        continue;
      }
      std::fill(gathered.begin(), gathered.end(), 0.0F);
      walk.visit(b, [&](std::uint64_t k, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
        if (a < walk.shape.length) gathered[k] = x[walk.value_at(line, a, i)];
      });
      const block_magnitudes sizes(gathered.data(), static_cast<int>(size));
      if (sizes.is_special()) ++special;
      scales[b] = quantize(b, gathered.data(), sizes, made.data());
      walk.visit(b, [&](std::uint64_t k, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
        codes[walk.code_at(line, a, i)] = made[k];
      });
    }
  });
  return special;
}

nvfp4_tensor tensor_under(const nvfp4_variant& v, const variant_tensor_scale& s) {
  return tensor_of(v, s.amax);
}

}  // namespace

void choose_variant_scales(const variant_entry& entry, const block_format& f, const float* x,
                           const blocked_shape& shape, variant_tensor_scale* scales) {
  if (entry.family != variant_family::nvfp4 || !f.has_tensor_scale()) return;
  const nvfp4_variant& v = nvfp4_of(entry);
  const auto scale_of = [&](const float* first, std::uint64_t count) {
    const float amax = amax_of(v, first, static_cast<std::int64_t>(count));
    return variant_tensor_scale{amax, decoding_factor(v, tensor_of(v, amax))};
  };
  if (f.tensor == tensor_scaling::per_tensor) {
    scales[0] = scale_of(x, shape.elements());
    return;
  }
  const block_walk walk(f, shape);
  std::vector<float> row(shape.length);
  for (std::uint64_t r = 0; r < shape.outer * shape.rows * shape.inner; ++r) {
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      row[a] = x[walk.value_at(r / shape.inner, a, r % shape.inner)];
    }
    scales[r] = scale_of(row.data(), shape.length);
  }
}

std::uint64_t quantize_by_variant(const variant_entry& entry, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_tensor_scale* tensor,
                                  std::uint8_t* codes, std::uint8_t* scales,
                                  const blocks_done& done) {
  const block_walk walk(f, shape);
  if (entry.family == variant_family::mx) {
    const mx_variant_blocks blocks(mx_of(entry), f, amount_of(walk));
    return quantize_all(walk, x, codes, scales, done,
                        [&](std::uint64_t, const float* values, const block_magnitudes& sizes,
                            std::uint8_t* made) { return blocks.quantize(values, sizes, made); });
  }
  return quantize_by_variant(nvfp4_of(entry), f, x, shape, tensor, codes, scales, done);
}

std::uint64_t quantize_by_variant(const nvfp4_variant& v, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_tensor_scale* tensor,
                                  std::uint8_t* codes, std::uint8_t* scales,
                                  const blocks_done& done) {
  const block_walk walk(f, shape);
  const nvfp4_variant_blocks blocks(v, amount_of(walk));
  const bool rows = f.tensor == tensor_scaling::per_row;
  const nvfp4_tensor whole =
      f.has_tensor_scale() && !rows ? tensor_under(v, tensor[0]) : tensor_of(v, 0.0F);
  return quantize_all(
      walk, x, codes, scales, done,
      [&](std::uint64_t b, const float* values, const block_magnitudes& sizes, std::uint8_t* made) {
        return blocks.quantize(values, sizes,
                               rows ? tensor_under(v, tensor[walk.row_of(b)]) : whole, made);
      });
}

void dequantize_by_variant(const variant_entry& entry, const block_format& f,
                           const std::uint8_t* codes, const std::uint8_t* scales,
                           const blocked_shape& shape, const variant_tensor_scale* tensor, float* x,
                           const blocks_done& done) {
  const block_walk walk(f, shape);
  for_each_block(walk, done, [&](std::uint64_t b) {
    const bool one = f.tensor != tensor_scaling::per_row;
    const auto value = [&](std::uint8_t code) {
      switch (entry.family) {
        case variant_family::mx:
          return dequantize_element(mx_of(entry), f.element, scales[b], code);
        case variant_family::nvfp4: {
          const nvfp4_variant& v = nvfp4_of(entry);
          const nvfp4_tensor under = f.has_tensor_scale()
                                         ? tensor_under(v, tensor[one ? 0 : walk.row_of(b)])
                                         : tensor_of(v, 0.0F);
          return dequantize_element(v, code, scales[b], under);
        }
        case variant_family::element:
        case variant_family::decoder:
          break;
      }
      const e8m0_decoding how = decoder_variant_table[entry.index].decoding;
      return decoded(how, scales[b], to_binary32(decode(f.element, code)));
    };
    walk.visit(b, [&](std::uint64_t, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      if (a < shape.length) x[walk.value_at(line, a, i)] = value(codes[walk.code_at(line, a, i)]);
    });
  });
}

}  // namespace mx
