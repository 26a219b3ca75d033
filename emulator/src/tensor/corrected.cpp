// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/corrected.cpp: gathers the vectors of a tensor, calls the core, and scatters.
#include "mx/tensor/corrected.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "tensor/block_batch.h"

namespace mx {
namespace {

/// The vectors of a tensor along its axis: number (o * rows + r) * inner + i.
struct vectors_of {
  blocked_shape shape;   ///< of the values
  blocked_shape padded;  ///< of the codes
  blocked_sizes sizes;
  std::uint64_t macro_blocks;
  bool halved;

  vectors_of(const quantization& q, const corrections& c, const blocked_shape& s,
             code_packing packing)
      : shape(s),
        padded(padded_shape(q, c, s)),
        sizes(sizes_of(q.format, padded, packing)),
        macro_blocks(macro_blocks_along(c, padded)),
        halved(packing == code_packing::packed && q.format.element.width() == 4) {}

  [[nodiscard]] std::uint64_t count() const { return shape.outer * shape.rows * shape.inner; }
  /// Index of entry k of vector v, in an array with `length` entries along the axis.
  [[nodiscard]] std::uint64_t at(std::uint64_t v, std::uint64_t length, std::uint64_t k) const {
    return (v / shape.inner * length + k) * shape.inner + v % shape.inner;
  }
};

/// Buffers for one vector.
struct work_room {
  std::vector<float> x, values, scratch;
  std::vector<std::uint8_t> codes, residual_codes;
  std::vector<std::uint32_t> scales, residual_scales;
  std::vector<std::uint16_t> factors, residual_factors;

  explicit work_room(const vectors_of& all)
      : x(all.padded.length),
        values(all.padded.length),
        scratch(all.padded.length),
        codes(all.padded.length),
        residual_codes(all.padded.length),
        scales(all.sizes.blocks_along),
        residual_scales(all.sizes.blocks_along),
        factors(all.macro_blocks),
        residual_factors(all.macro_blocks) {}

  [[nodiscard]] coded_line line() { return {codes.data(), scales.data(), factors.data()}; }
  [[nodiscard]] coded_line residual() {
    return {residual_codes.data(), residual_scales.data(), residual_factors.data()};
  }
};

void gather(const vectors_of& all, number_type type, const void* x, std::uint64_t v,
            std::vector<float>& out) {
  widen_strided(type, static_cast<const unsigned char*>(x), all.at(v, all.shape.length, 0),
                all.shape.inner, all.shape.length, out.data());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(all.shape.length), out.end(), 0.0F);
}

void store_codes(const vectors_of& all, std::uint64_t v, const std::vector<std::uint8_t>& codes,
                 std::vector<std::uint8_t>& out) {
  const std::uint64_t step = all.halved ? 2 : 1;
  for (std::uint64_t k = 0; k < all.padded.length; k += step) {
    const bool has_high = step == 2 && k + 1 < all.padded.length;
    const unsigned high = has_high ? codes[k + 1] : 0U;
    out[all.at(v, all.sizes.code_bytes_along, k / step)] =
        static_cast<std::uint8_t>(codes[k] | high << 4);
  }
}

void load_codes(const vectors_of& all, std::uint64_t v, const std::vector<std::uint8_t>& in,
                std::vector<std::uint8_t>& codes) {
  for (std::uint64_t k = 0; k < all.padded.length; ++k) {
    const std::uint8_t byte = in[all.at(v, all.sizes.code_bytes_along, all.halved ? k / 2 : k)];
    codes[k] = !all.halved ? byte : static_cast<std::uint8_t>(k % 2 == 1 ? byte >> 4 : byte & 15);
  }
}

void store_scales(const vectors_of& all, std::uint64_t v, const std::vector<std::uint32_t>& scales,
                  std::vector<std::uint8_t>& out) {
  for (std::uint64_t b = 0; b < scales.size(); ++b) {
    const std::uint64_t at = all.at(v, all.sizes.blocks_along, b) * all.sizes.bytes_a_scale;
    for (std::uint64_t k = 0; k < all.sizes.bytes_a_scale; ++k) {
      out[at + k] = static_cast<std::uint8_t>(scales[b] >> (8 * k));
    }
  }
}

void load_scales(const vectors_of& all, std::uint64_t v, const std::vector<std::uint8_t>& in,
                 std::vector<std::uint32_t>& scales) {
  for (std::uint64_t b = 0; b < scales.size(); ++b) {
    const std::uint64_t at = all.at(v, all.sizes.blocks_along, b) * all.sizes.bytes_a_scale;
    scales[b] = 0;
    for (std::uint64_t k = 0; k < all.sizes.bytes_a_scale; ++k) {
      scales[b] |= std::uint32_t{in[at + k]} << (8 * k);
    }
  }
}

void store_factors(const vectors_of& all, std::uint64_t v,
                   const std::vector<std::uint16_t>& factors, std::vector<std::uint16_t>& out) {
  for (std::uint64_t b = 0; b < factors.size(); ++b) out[all.at(v, factors.size(), b)] = factors[b];
}

void load_factors(const vectors_of& all, std::uint64_t v, const std::vector<std::uint16_t>& in,
                  std::vector<std::uint16_t>& factors) {
  for (std::uint64_t b = 0; b < factors.size(); ++b) factors[b] = in[all.at(v, factors.size(), b)];
}

void store_values(const vectors_of& all, std::uint64_t v, const std::vector<float>& values,
                  float* out) {
  for (std::uint64_t k = 0; k < all.shape.length; ++k) {
    std::memcpy(out + all.at(v, all.shape.length, k), &values[k], sizeof values[k]);
  }
}

void size_pass(const vectors_of& all, coded_pass& pass) {
  pass.codes.resize(all.sizes.code_bytes);
  pass.scales.resize(all.sizes.scale_bytes());
  pass.macro_fractions.resize(all.count() * all.macro_blocks);
}

/// Calls work(room, v) for every vector. Packed codes run along a vector: no two vectors share a
/// byte.
template <class Work>
void for_each_vector(const vectors_of& all, const blocks_done& done, const Work& work) {
  if (all.padded.length == 0) return;  // however many empty vectors there are
  // Short vectors share a task.
  const std::uint64_t grain = 1 + 65536 / (all.padded.length + 1);
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, all.count(), grain),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      work_room room(all);
                      for (std::uint64_t v = range.begin(); v < range.end(); ++v) work(room, v);
                      if (done) done(range.size() * all.sizes.blocks_along);
                    });
}

unpacked tensor_scale(const block_format& f, const std::vector<float>& scales, std::uint64_t v) {
  if (!f.has_tensor_scale()) return no_tensor_scale;
  return unpack(scales[f.tensor == tensor_scaling::per_row ? v : 0]);
}

/// The tensor scales of the rotated vectors, which are the ones quantized.
std::vector<float> scales_of_rotated(const quantization& q, const corrections& c,
                                     const vectors_of& all, number_type type, const void* x) {
  if (!q.format.has_tensor_scale()) return {};
  std::vector<std::uint32_t> largest(all.padded.length == 0 ? 0 : all.count());
  for_each_vector(all, {}, [&](work_room& room, std::uint64_t v) {
    gather(all, type, x, v, room.x);
    const int count = static_cast<int>(all.padded.length);
    rotate(c.rotation, room.x.data(), count);
    largest[v] = bits_of(to_binary32(extent_of(room.x.data(), count).amax));
  });
  if (q.format.tensor == tensor_scaling::per_tensor) {
    std::uint32_t all_of_them = 0;
    for (const std::uint32_t one : largest) all_of_them = one > all_of_them ? one : all_of_them;
    largest.assign(1, all_of_them);
  }
  std::vector<float> scales;
  for (const std::uint32_t amax : largest) {
    scales.push_back(tensor_scale_of(q.format, decode(formats::binary32, amax)));
  }
  return scales;
}

void require(const quantization& q, const corrections& c, const blocked_shape& shape) {
  if (refusal_of(q) != refusal::none || refusal_of(q, c) != correction_refusal::none) {
    throw std::invalid_argument("mx: these corrections do not go with this quantization");
  }
  if (q.format.rows != 1) throw std::invalid_argument("mx: corrections need blocks of one row");
  if (shape.length > std::uint64_t{1} << 30) {
    throw std::invalid_argument("mx: the axis is longer than 2^30");
  }
}

}  // namespace

std::vector<std::uint16_t> fractions_in(const corrections& c, std::span<const std::uint8_t> bytes) {
  const std::size_t step = c.macro_bits > 8 ? 2 : 1;
  std::vector<std::uint16_t> fractions(bytes.size() / step);
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    const unsigned high = step == 2 ? bytes[2 * k + 1] : 0U;
    fractions[k] = static_cast<std::uint16_t>(bytes[step * k] | high << 8);
  }
  return fractions;
}

std::optional<std::uint64_t> impossible_factor(const corrections& c,
                                               std::span<const std::uint16_t> fractions) {
  for (std::size_t k = 0; k < fractions.size(); ++k) {
    if (!macro_factor{c.macro_bits, fractions[k]}.is_possible()) return k;
  }
  return {};
}

corrected_tensor quantize_corrected(const quantization& q, const corrections& c, number_type type,
                                    const void* x, const blocked_shape& shape, code_packing packing,
                                    float* values, const blocks_done& done) {
  require(q, c, shape);
  const vectors_of all(q, c, shape, packing);
  corrected_tensor coded{all.padded, packing, {}, {}, {}, 0, 0, 0};
  coded.tensor_scales = scales_of_rotated(q, c, all, type, x);
  size_pass(all, coded.first);
  if (c.has_residual()) size_pass(all, coded.residual);
  std::atomic<std::uint64_t> special{0}, fallen{0};
  for_each_vector(all, done, [&](work_room& room, std::uint64_t v) {
    gather(all, type, x, v, room.x);
    const block_numbers numbers{all.at(v, all.sizes.blocks_along, 0), shape.inner};
    const line_counts counts =
        quantize_line(q, c, room.x.data(), static_cast<int>(all.padded.length),
                      tensor_scale(q.format, coded.tensor_scales, v), numbers, room.line(),
                      room.residual(), room.values.data(), room.scratch.data());
    special += static_cast<std::uint64_t>(counts.special_blocks);
    fallen += static_cast<std::uint64_t>(counts.fallen_back);
    store_codes(all, v, room.codes, coded.first.codes);
    store_scales(all, v, room.scales, coded.first.scales);
    store_factors(all, v, room.factors, coded.first.macro_fractions);
    if (c.has_residual()) {
      store_codes(all, v, room.residual_codes, coded.residual.codes);
      store_scales(all, v, room.residual_scales, coded.residual.scales);
      store_factors(all, v, room.residual_factors, coded.residual.macro_fractions);
    }
    if (values != nullptr) store_values(all, v, room.values, values);
  });
  const auto granule = static_cast<std::uint64_t>(c.granule > 0 ? c.granule : q.format.columns);
  coded.special_blocks = special;
  coded.granules =
      c.has_residual() ? all.count() * ((all.padded.length + granule - 1) / granule) : 0;
  coded.fallen_back = fallen;
  return coded;
}

void dequantize_corrected(const quantization& q, const corrections& c,
                          const corrected_tensor& coded, const blocked_shape& shape, float* out,
                          const blocks_done& done) {
  require(q, c, shape);
  const vectors_of all(q, c, shape, coded.packing);
  for_each_vector(all, done, [&](work_room& room, std::uint64_t v) {
    load_codes(all, v, coded.first.codes, room.codes);
    load_scales(all, v, coded.first.scales, room.scales);
    load_factors(all, v, coded.first.macro_fractions, room.factors);
    if (c.has_residual()) {
      load_codes(all, v, coded.residual.codes, room.residual_codes);
      load_scales(all, v, coded.residual.scales, room.residual_scales);
      load_factors(all, v, coded.residual.macro_fractions, room.residual_factors);
    }
    dequantize_line(q.format, c, static_cast<int>(all.padded.length),
                    tensor_scale(q.format, coded.tensor_scales, v), room.line(), room.residual(),
                    room.values.data(), room.scratch.data());
    store_values(all, v, room.values, out);
  });
}

std::vector<float> values_after_pass(quantization q, number_type type, const void* x,
                                     const blocked_shape& shape) {
  q.rounding = rounding::ties_to_even;
  const blocked_sizes sizes = sizes_of(q.format, shape, code_packing::unpacked);
  std::vector<float> above(sizes.tensor_scales), values(shape.elements());
  if (q.format.has_tensor_scale()) choose_tensor_scales(q.format, type, x, shape, above.data());
  std::vector<std::uint8_t> codes(sizes.code_bytes), scales(sizes.scale_bytes());
  quantize_tensor(q, type, x, shape,
                  {codes.data(), scales.data(), above.data(), code_packing::unpacked});
  dequantize_tensor(q.format, {codes.data(), scales.data(), above.data(), code_packing::unpacked},
                    shape, values.data());
  return values;
}

}  // namespace mx
