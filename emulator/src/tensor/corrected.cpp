// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/corrected.cpp: gathers the vectors of a tensor, quantizes, and scatters.
#include "mx/tensor/corrected.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>

#include "tensor/block_batch.h"
#include "tensor/corrected_pass.h"
#include "tensor/line_room.h"
#include "tensor/line_tasks.h"
#include "tensor/scale_bytes.h"

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

void gather(const vectors_of& all, number_type type, const void* x, std::uint64_t v,
            std::vector<float>& out) {
  widen_strided(type, static_cast<const unsigned char*>(x), all.at(v, all.shape.length, 0),
                all.shape.inner, all.shape.length, out.data());
  std::fill(out.begin() + static_cast<std::ptrdiff_t>(all.shape.length), out.end(), 0.0F);
}

void store_codes(const vectors_of& all, std::uint64_t v, const std::vector<std::uint8_t>& from,
                 std::vector<std::uint8_t>& to) {
  const std::uint64_t length = all.padded.length, along = all.sizes.code_bytes_along;
  if (all.shape.inner == 1 && (!all.halved || length % 2 == 0)) {
    std::uint8_t* out = to.data() + all.at(v, along, 0);
    if (all.halved) {
      pack_pairs(from.data(), length / 2, storing::cached, out);
    } else {
      std::copy_n(from.data(), length, out);
    }
    return;
  }
  const std::uint64_t step = all.halved ? 2 : 1;
  for (std::uint64_t k = 0; k < length; k += step) {
    const bool has_high = step == 2 && k + 1 < length;
    const unsigned high = has_high ? from[k + 1] : 0U;
    to[all.at(v, along, k / step)] = static_cast<std::uint8_t>(from[k] | high << 4);
  }
}

void store_vector(const vectors_of& all, std::uint64_t v, const pass_room& from, coded_pass& to) {
  const std::uint64_t bytes = all.sizes.bytes_a_scale;
  store_codes(all, v, from.codes, to.codes);
  for (std::uint64_t b = 0; b < from.scales.size(); ++b) {
    store_scale_code(from.scales[b], bytes,
                     to.scales.data() + all.at(v, from.scales.size(), b) * bytes);
  }
  for (std::uint64_t b = 0; b < from.factors.size(); ++b) {
    to.macro_fractions[all.at(v, from.factors.size(), b)] = from.factors[b];
  }
}

void load_vector(const vectors_of& all, std::uint64_t v, const coded_pass& from, pass_room& to) {
  const std::uint64_t bytes = all.sizes.bytes_a_scale;
  for (std::uint64_t k = 0; k < all.padded.length; ++k) {
    const std::uint8_t byte =
        from.codes[all.at(v, all.sizes.code_bytes_along, all.halved ? k / 2 : k)];
    to.codes[k] =
        !all.halved ? byte : static_cast<std::uint8_t>(k % 2 == 1 ? byte >> 4 : byte & 15);
  }
  for (std::uint64_t b = 0; b < to.scales.size(); ++b) {
    to.scales[b] =
        scale_code_at(from.scales.data() + all.at(v, to.scales.size(), b) * bytes, bytes);
  }
  for (std::uint64_t b = 0; b < to.factors.size(); ++b) {
    to.factors[b] = from.macro_fractions[all.at(v, to.factors.size(), b)];
  }
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
  for_each_share_of_lines(
      all.count(), all.padded.length, [&](std::uint64_t first, std::uint64_t last) {
        line_room room(all.padded.length, all.sizes.blocks_along, all.macro_blocks);
        for (std::uint64_t v = first; v < last; ++v) work(room, v);
        if (done) done((last - first) * all.sizes.blocks_along);
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
  for_each_vector(all, {}, [&](line_room& room, std::uint64_t v) {
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
  const ieee_arithmetic arithmetic;
  const vectors_of all(q, c, shape, packing);
  corrected_tensor coded{all.padded, packing, {}, {}, {}, 0, 0, 0};
  coded.tensor_scales = scales_of_rotated(q, c, all, type, x);
  size_pass(all, coded.first);
  if (c.has_residual()) size_pass(all, coded.residual);
  std::atomic<std::uint64_t> special{0}, fallen{0};
  const auto pass = [](const auto&... given) { quantize_corrected_pass({given...}); };
  for_each_vector(all, done, [&](line_room& room, std::uint64_t v) {
    gather(all, type, x, v, room.x);
    const line_place place{static_cast<int>(all.padded.length),
                           tensor_scale(q.format, coded.tensor_scales, v),
                           {all.at(v, all.sizes.blocks_along, 0), shape.inner}};
    const line_counts counts = quantize_line_by(pass, q, c, room.x.data(), place, room.passes(),
                                                room.values.data(), room.scratch.data());
    special += static_cast<std::uint64_t>(counts.special_blocks);
    fallen += static_cast<std::uint64_t>(counts.fallen_back);
    store_vector(all, v, room.first, coded.first);
    if (c.has_residual()) store_vector(all, v, room.residual, coded.residual);
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
  const ieee_arithmetic arithmetic;
  const vectors_of all(q, c, shape, coded.packing);
  for_each_vector(all, done, [&](line_room& room, std::uint64_t v) {
    load_vector(all, v, coded.first, room.first);
    if (c.has_residual()) load_vector(all, v, coded.residual, room.residual);
    const line_place place{static_cast<int>(all.padded.length),
                           tensor_scale(q.format, coded.tensor_scales, v)};
    dequantize_line(q.format, c, room.passes(), place, room.values.data(), room.scratch.data());
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
