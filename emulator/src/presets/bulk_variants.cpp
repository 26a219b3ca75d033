// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/bulk_variants.cpp: gathers blocks, quantizes them as presets do, scatters
// the results.
#include "mx/presets/bulk_variants.h"

#include <algorithm>
#include <atomic>
#include <vector>

#include "mx/tensor/ieee_arithmetic.h"
#include "mx/tensor/parallel.h"
#include "presets/block_walk.h"
#include "presets/gathered_blocks.h"

namespace mx {
namespace {

const mx_variant& mx_of(const variant_entry& e) { return mx_variant_table[e.index]; }
const nvfp4_variant& nvfp4_of(const variant_entry& e) { return nvfp4_presets::all[e.index]; }

/// Elements of the largest block of NVFP4's presets, a tile.
constexpr int most_elements = 256;
static_assert(std::ranges::all_of(nvfp4_presets::all, [](const nvfp4_variant& v) {
  return v.size() <= most_elements;
}));

/// Calls work(first, last) for ranges of blocks.
template <class Work>
void for_each_part(const block_walk& walk, const blocks_done& done, const Work& work) {
  in_parallel({0, walk.blocks()}, 256, [&](index_range part) {
    work(part.first, part.last);
    if (done) done(part.size());
  });
}

template <class Work>
void for_each_block(const block_walk& walk, const blocks_done& done, const Work& work) {
  for_each_part(walk, done, [&](std::uint64_t first, std::uint64_t last) {
    for (std::uint64_t b = first; b < last; ++b) work(b);
  });
}

/// A table costs about as much as some thousand blocks.
constexpr std::uint64_t many_blocks = 4096;

mx_variant_blocks::amount amount_of(const block_walk& walk) {
  return walk.blocks() < many_blocks ? mx_variant_blocks::amount::few
                                     : mx_variant_blocks::amount::many;
}

/// Gathers blocks, quantizes them, and scatters their codes.
///   returns  the number of blocks with NaN or Inf
template <class Preset>
std::uint64_t quantize_all(const block_walk& walk, const float* x, std::uint8_t* codes,
                           std::uint8_t* scales, const blocks_done& done, const Preset& preset) {
  const std::uint64_t size = walk.rows * walk.columns;
  const std::uint64_t most =
      std::clamp<std::uint64_t>(4096 / size, 1, std::uint64_t{preset_batch::most});
  std::atomic<std::uint64_t> special{0};
  for_each_part(walk, done, [&](std::uint64_t first, std::uint64_t last) {
    gathered_blocks<Preset> blocks(preset, size);
    const std::uint64_t space = walk.lie_together() ? 0 : most * size;
    std::vector<float> gathered(space);
    std::vector<std::uint8_t> made(space);
    for (std::uint64_t b = first; b < last; b += most) {
      const std::uint64_t count = std::min(most, last - b);
      if (walk.lie_together()) {
        special +=
            blocks.quantize(b, static_cast<int>(count), x + b * size, codes + b * size, scales + b);
        continue;
      }
      for (std::uint64_t k = 0; k < count; ++k) {
        walk.gather(b + k, x, gathered.data() + k * size);
      }
      special +=
          blocks.quantize(b, static_cast<int>(count), gathered.data(), made.data(), scales + b);
      for (std::uint64_t k = 0; k < count; ++k) walk.scatter(b + k, made.data() + k * size, codes);
    }
  });
  return special;
}

nvfp4_tensor tensor_under(const nvfp4_variant& v, const variant_tensor_scale& s) {
  return tensor_of(v, s.amax);
}

/// Largest magnitude's pattern: above that of Inf if there is a NaN.
std::uint32_t largest_pattern(const float* x, std::uint64_t count) {
  const std::uint64_t whole = count / batch_alignment * batch_alignment;
  std::int32_t largest = 0;
  if (whole > 0) largest_magnitudes(x, whole, 1, &largest);
  const block_magnitudes rest(x + whole, static_cast<int>(count - whole));
  return std::max(static_cast<std::uint32_t>(largest), rest.largest);
}

/// Equals amax_of.
float amax_of_all(const nvfp4_variant& v, const float* x, std::uint64_t count) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 16;
  const std::uint32_t largest = joined_in_parallel(
      {0, count}, piece, std::uint32_t{0},
      [x](index_range part) { return largest_pattern(x + part.first, part.size()); },
      [](std::uint32_t a, std::uint32_t b) { return std::max(a, b); });
  const bool has_nan = largest > 0x7F800000;
  return has_nan ? amax_of(v, x, static_cast<std::int64_t>(count)) : float_of(largest);
}

/// The tensor scale above a block; nothing for presets without one.
nvfp4_tensor tensor_above(const variant_entry& entry, const block_format& f,
                          const variant_tensor_scale* tensor, std::uint64_t at) {
  if (entry.family != variant_family::nvfp4) return {};
  const nvfp4_variant& v = nvfp4_of(entry);
  return f.has_tensor_scale() ? tensor_under(v, tensor[at]) : tensor_of(v, 0.0F);
}

/// The value of a code as a preset decodes it.
float decoded_number(const variant_entry& entry, const block_format& f, std::uint8_t scale,
                     std::uint8_t code, const nvfp4_tensor& above) {
  switch (entry.family) {
    case variant_family::mx:
      return dequantize_element(mx_of(entry), f.element, scale, code);
    case variant_family::nvfp4:
      return dequantize_element(nvfp4_of(entry), code, scale, above);
    case variant_family::element:
    case variant_family::decoder:
      break;
  }
  const e8m0_decoding how = decoder_variant_table[entry.index].decoding;
  return decoded(how, scale, to_binary32(decode(f.element, code)));
}

/// The values of all codes under the scales that occur, below one tensor scale.
class value_table {
 public:
  ///   count  of the scales; without scales the table is empty
  value_table(const variant_entry& entry, const block_format& f, const std::uint8_t* scales,
              std::uint64_t count, const variant_tensor_scale* tensor)
      : codes_(1U << f.element.width()), values_(count == 0 ? 0 : std::size_t{256} * codes_) {
    bool occurs[256] = {};
    for (std::uint64_t b = 0; b < count; ++b) occurs[scales[b]] = true;
    const nvfp4_tensor above = count == 0 ? nvfp4_tensor{} : tensor_above(entry, f, tensor, 0);
    for (std::uint32_t at = 0; at < values_.size(); ++at) {
      const auto scale = static_cast<std::uint8_t>(at / codes_);
      if (!occurs[scale]) continue;
      values_[at] = decoded_number(entry, f, scale, static_cast<std::uint8_t>(at % codes_), above);
    }
  }
  [[nodiscard]] std::uint32_t codes() const { return codes_; }
  [[nodiscard]] const float* under(std::uint8_t scale) const {
    return values_.data() + (values_.empty() ? 0 : std::size_t{scale} * codes_);
  }

 private:
  std::uint32_t codes_;
  std::vector<float> values_;
};

}  // namespace

void choose_variant_scales(const variant_entry& entry, const block_format& f, const float* x,
                           const blocked_shape& shape, variant_tensor_scale* scales) {
  if (entry.family != variant_family::nvfp4 || !f.has_tensor_scale()) return;
  const ieee_arithmetic arithmetic;
  const nvfp4_variant& v = nvfp4_of(entry);
  const auto scale_of = [&](const float* first, std::uint64_t count) {
    const float amax = amax_of_all(v, first, count);
    return variant_tensor_scale{amax, decoding_factor(v, tensor_of(v, amax))};
  };
  if (f.tensor == tensor_scaling::per_tensor) {
    scales[0] = scale_of(x, shape.elements());
    return;
  }
  const block_walk walk(f, shape);
  std::vector<float> row(shape.inner == 1 ? 0 : shape.length);
  for (std::uint64_t r = 0; r < shape.outer * shape.rows * shape.inner; ++r) {
    if (shape.inner == 1) {
      scales[r] = scale_of(x + r * shape.length, shape.length);
      continue;
    }
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      row[a] = x[walk.value_at(r / shape.inner, a, r % shape.inner)];
    }
    scales[r] = scale_of(row.data(), shape.length);
  }
}

std::uint64_t quantize_by_variant(const variant_entry& entry, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_arrays& out,
                                  const preset_random& random, const blocks_done& done) {
  const ieee_arithmetic arithmetic;
  const block_walk walk(f, shape);
  if (entry.family == variant_family::mx) {
    const mx_variant_blocks blocks(mx_of(entry), f, amount_of(walk));
    const auto choose = [&](std::uint64_t, std::uint32_t largest, block_number& chosen) {
      return blocks.choose(largest, chosen);
    };
    const auto quantize = [&](std::uint64_t, const float* values, const block_magnitudes& sizes,
                              std::uint8_t* made) { return blocks.quantize(values, sizes, made); };
    return quantize_all(walk, x, out.codes, out.scales, done,
                        tensor_preset{blocks.elements(), f.element, choose, quantize});
  }
  return quantize_by_variant(nvfp4_of(entry), f, x, shape, out, random, done);
}

std::uint64_t quantize_by_variant(const nvfp4_variant& v, const block_format& f, const float* x,
                                  const blocked_shape& shape, const variant_arrays& out,
                                  const preset_random& random, const blocks_done& done) {
  const ieee_arithmetic arithmetic;
  const block_walk walk(f, shape);
  const nvfp4_variant_blocks blocks(v, amount_of(walk));
  const bool rows = f.tensor == tensor_scaling::per_row;
  std::vector<nvfp4_tensor> above;
  for (std::uint64_t r = 0; r < (rows ? walk.row_scales() : 0); ++r) {
    above.push_back(tensor_under(v, out.above[r]));
  }
  const nvfp4_tensor whole =
      f.has_tensor_scale() && !rows ? tensor_under(v, out.above[0]) : tensor_of(v, 0.0F);
  const auto tensor_of_block = [&](std::uint64_t b) {
    return rows ? above[walk.row_of(b)] : whole;
  };
  const auto choose = [&](std::uint64_t b, std::uint32_t largest, block_number& chosen) {
    return blocks.choose(largest, tensor_of_block(b), chosen);
  };
  const auto quantize = [&](std::uint64_t b, const float* values, const block_magnitudes& sizes,
                            std::uint8_t* made) {
    if (!draws_bits(v)) return blocks.quantize(values, sizes, tensor_of_block(b), made);
    std::uint8_t bits[most_elements] = {};
    random.draw(b, v.size(), bits);
    return quantize_block(v, values, tensor_of_block(b), bits, made);
  };
  return quantize_all(walk, x, out.codes, out.scales, done,
                      tensor_preset{blocks.elements(), f.element, choose, quantize});
}

void dequantize_by_variant(const variant_entry& entry, const block_format& f,
                           const constant_variant_arrays& in, const blocked_shape& shape, float* x,
                           const blocks_done& done) {
  const ieee_arithmetic arithmetic;
  const block_walk walk(f, shape);
  const bool rows = f.tensor == tensor_scaling::per_row;
  const bool tabled = !rows && walk.blocks() >= many_blocks;
  const value_table table(entry, f, in.scales, tabled ? walk.blocks() : 0, in.above);
  for_each_block(walk, done, [&](std::uint64_t b) {
    const float* values = table.under(in.scales[b]);
    const auto value = [&](std::uint8_t code) {
      if (tabled && code < table.codes()) return values[code];
      return decoded_number(entry, f, in.scales[b], code,
                            tensor_above(entry, f, in.above, rows ? walk.row_of(b) : 0));
    };
    walk.visit(b, [&](std::uint64_t, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      if (a < shape.length)
        x[walk.value_at(line, a, i)] = value(in.codes[walk.code_at(line, a, i)]);
    });
  });
}

}  // namespace mx
