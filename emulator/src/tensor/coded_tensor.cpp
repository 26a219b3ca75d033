// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/coded_tensor.cpp: selects the kernel of a recipe.
#include "mx/tensor/coded_tensor.h"

#include <algorithm>
#include <cstring>
#include <stdexcept>

#include "mx/presets/bulk_variants.h"
#include "tensor/block_batch.h"
#include "tensor/kernel_pass.h"

namespace mx {
namespace {

const variant_entry& preset_in(const recipe& r) {
  return variant_table[static_cast<std::size_t>(r.preset)];
}

std::vector<float> floats_at(const std::uint8_t* bytes, std::uint64_t count) {
  if (bytes == nullptr || count == 0) return {};
  std::vector<float> values(count);
  std::memcpy(values.data(), bytes, values.size() * sizeof(float));
  return values;
}

void put_floats(const std::vector<float>& values, std::uint8_t* bytes) {
  if (!values.empty()) std::memcpy(bytes, values.data(), values.size() * sizeof(float));
}

std::vector<float> tensor_scales_under(const recipe& r, const blocked_shape& shape,
                                       number_type type, const void* x, const float* given) {
  const std::uint64_t count = sizes_of(r.format(), shape, code_packing::unpacked).tensor_scales;
  if (given != nullptr) return {given, given + count};
  std::vector<float> scales(count);
  if (count > 0) choose_tensor_scales(r.format(), type, x, shape, scales.data());
  return scales;
}

coding_counts quantize_plainly(const recipe& r, const coded_shape& s, number_type type,
                               const void* x, const float* given, const coded_arrays& out,
                               const blocks_done& done) {
  const std::vector<float> above = tensor_scales_under(r, s.blocks, type, x, given);
  const kernel_pass made(r, s, out.first);
  const std::uint64_t special = quantize_tensor(
      r.rules, type, x, s.blocks, {made.codes, made.scales, above.data(), kernel_packing(r)}, done);
  made.store(r, s, out.first);
  if (given == nullptr) put_floats(above, out.tensor_scales);
  return {s.sizes.blocks, special};
}

coding_counts quantize_by_preset(const recipe& r, const coded_shape& s, number_type type,
                                 const void* x, const coded_arrays& out, const blocks_done& done) {
  const variant_entry& preset = preset_in(r);
  if (!is_quantizer(preset)) throw std::invalid_argument("mx: this variant makes no scales");
  const bool in_place =
      type == number_type::fp32 && reinterpret_cast<std::uintptr_t>(x) % alignof(float) == 0;
  std::vector<float> widened(in_place ? 0 : s.blocks.elements());
  widen(type, static_cast<const unsigned char*>(x), widened.size(), widened.data());
  const float* values = in_place ? static_cast<const float*>(x) : widened.data();
  std::vector<variant_tensor_scale> above(s.sizes.tensor_scales);
  choose_variant_scales(preset, r.format(), values, s.blocks, above.data());
  const kernel_pass made(r, s, out.first);
  const std::uint64_t special =
      quantize_by_variant(preset, r.format(), values, s.blocks,
                          {made.codes, made.scales, above.data()}, {r.rules.random, {}}, done);
  made.store(r, s, out.first);
  std::vector<float> scales, amax;
  for (const variant_tensor_scale& one : above) {
    scales.push_back(one.scale);
    amax.push_back(one.amax);
  }
  put_floats(scales, out.tensor_scales);
  put_floats(amax, out.tensor_amax);
  return {s.sizes.blocks, special};
}

void store_corrected_pass(const recipe& r, const coded_shape& s, const coded_pass& pass,
                          const pass_arrays<std::uint8_t>& out) {
  const kernel_pass made(r, s, out);
  std::copy(pass.codes.begin(), pass.codes.end(), made.codes);
  std::copy(pass.scales.begin(), pass.scales.end(), made.scales);
  made.store(r, s, out);
  std::uint8_t* fractions = out.macro_fractions;
  for (const std::uint16_t fraction : pass.macro_fractions) {
    *fractions++ = static_cast<std::uint8_t>(fraction);
    if (s.macro_fractions.bytes_a_number == 2) {
      *fractions++ = static_cast<std::uint8_t>(fraction >> 8);
    }
  }
}

coding_counts quantize_with_corrections(const recipe& r, const coded_shape& s, number_type type,
                                        const void* x, const coded_arrays& out,
                                        const blocks_done& done) {
  const corrected_tensor made = quantize_corrected(r.rules, r.corrections, type, x, s.blocks,
                                                   kernel_packing(r), nullptr, done);
  store_corrected_pass(r, s, made.first, out.first);
  if (r.corrections.has_residual()) store_corrected_pass(r, s, made.residual, out.residual);
  put_floats(made.tensor_scales, out.tensor_scales);
  return {s.sizes.blocks, made.special_blocks, made.granules, made.fallen_back};
}

/// A tensor without elements has no blocks; its tensor scale is 1, under a preset too.
coding_counts quantize_nothing(const recipe& r, const coded_shape& s, const float* given,
                               const coded_arrays& out) {
  if (given != nullptr || !r.format().has_tensor_scale()) return {};
  const std::uint64_t count = s.tensor_scales.bytes() / sizeof(float);
  put_floats(std::vector<float>(count, 1.0F), out.tensor_scales);
  if (r.has_preset()) put_floats(std::vector<float>(count), out.tensor_amax);
  return {};
}

/// The values after a pass along the other of the last two axes.
std::vector<float> values_across(const recipe& r, const coded_shape& s, number_type type,
                                 const void* x) {
  tensor_axes across = s.values;
  const std::size_t last = across.extents.size() - 1;
  across.axis = across.axis == last ? last - 1 : last;
  return values_after_pass(r.rules, type, x, blocks_of(r, across));
}

coded_pass pass_from(const recipe& r, const coded_shape& s, const constant_pass& in) {
  const loaded_pass read(r, s, in);
  const std::uint64_t code_bytes = sizes_of(r.format(), s.padded, kernel_packing(r)).code_bytes;
  return {{read.codes, read.codes + code_bytes},
          {read.scales, read.scales + s.sizes.scale_bytes()},
          fractions_in(r.corrections, {in.macro_fractions, s.macro_fractions.bytes()})};
}

void dequantize_with_corrections(const recipe& r, const coded_shape& s,
                                 const constant_coded_arrays& in, float* x,
                                 const blocks_done& done) {
  corrected_tensor coded;
  coded.shape = s.padded;
  coded.packing = kernel_packing(r);
  coded.first = pass_from(r, s, in.first);
  if (r.corrections.has_residual()) coded.residual = pass_from(r, s, in.residual);
  coded.tensor_scales = floats_at(in.tensor_scales, s.sizes.tensor_scales);
  dequantize_corrected(r.rules, r.corrections, coded, s.blocks, x, done);
}

void dequantize_by_preset(const recipe& r, const coded_shape& s, const constant_coded_arrays& in,
                          float* x, const blocks_done& done) {
  if (!is_decoder(preset_in(r))) throw std::invalid_argument("mx: this variant decodes nothing");
  const loaded_pass read(r, s, in.first);
  std::vector<variant_tensor_scale> above;
  for (const float amax : floats_at(in.tensor_amax, s.sizes.tensor_scales)) {
    above.push_back({amax, 1});
  }
  dequantize_by_variant(preset_in(r), r.format(), {read.codes, read.scales, above.data()}, s.blocks,
                        x, done);
}

/// The first byte of an array with a bit set at or above `bits`.
std::optional<coding_flaw> wide_byte(const std::uint8_t* bytes, std::uint64_t count, int bits) {
  const std::uint8_t* end = bytes + count;
  const std::uint8_t* found =
      std::find_if(bytes, end, [bits](std::uint8_t byte) { return byte >> bits != 0; });
  if (found == end) return {};
  return coding_flaw{wide_number::code, static_cast<std::uint64_t>(found - bytes), *found, bits};
}

std::optional<coding_flaw> wide_fraction(const corrections& c, const array_shape& shape,
                                         const std::uint8_t* bytes) {
  const std::vector<std::uint16_t> fractions = fractions_in(c, {bytes, shape.bytes()});
  const std::optional<std::uint64_t> at = impossible_factor(c, fractions);
  if (!at) return {};
  return coding_flaw{wide_number::macro_fraction, *at, fractions[*at], c.macro_bits};
}

}  // namespace

coding_counts quantize_tensor(const recipe& r, const coded_shape& s, number_type type,
                              const void* x, const float* given, const coded_arrays& out,
                              const blocks_done& done) {
  if (s.blocks.elements() == 0) return quantize_nothing(r, s, given, out);
  if (r.has_preset()) return quantize_by_preset(r, s, type, x, out, done);
  std::vector<float> once;
  if (r.passes == passes::twice) {
    once = values_across(r, s, type, x);
    type = number_type::fp32;
    x = once.data();
  }
  return r.is_corrected() ? quantize_with_corrections(r, s, type, x, out, done)
                          : quantize_plainly(r, s, type, x, given, out, done);
}

void dequantize_tensor(const recipe& r, const coded_shape& s, const constant_coded_arrays& in,
                       float* x, const blocks_done& done) {
  if (s.blocks.elements() == 0) return;
  if (r.has_preset()) return dequantize_by_preset(r, s, in, x, done);
  if (r.is_corrected()) return dequantize_with_corrections(r, s, in, x, done);
  const loaded_pass read(r, s, in.first);
  const std::vector<float> above = floats_at(in.tensor_scales, s.sizes.tensor_scales);
  dequantize_tensor(r.format(), {read.codes, read.scales, above.data(), kernel_packing(r)},
                    s.blocks, x, done);
}

error_energy decompose_tensor(const recipe& r, const tensor_axes& t, number_type type,
                              const void* x, const float* given, const blocks_done& done) {
  if (!r.is_plain())
    throw std::invalid_argument("mx: this recipe has no single quantizer to split");
  const blocked_shape shape = blocks_of(r, t);
  const std::vector<float> above = tensor_scales_under(r, shape, type, x, given);
  return decompose_tensor(r.rules, type, x, shape, above.data(), done);
}

void store_pass(const recipe& r, const coded_shape& s, const std::uint8_t* codes,
                const std::uint8_t* scales, const pass_arrays<std::uint8_t>& out) {
  if (shares_bytes(r)) {
    pack(r, s, codes, out.codes);
  } else {
    std::copy_n(codes, s.sizes.code_bytes, out.codes);
  }
  store_scales(r, s, scales, out.scales);
}

void load_pass(const recipe& r, const coded_shape& s, const constant_pass& in, std::uint8_t* codes,
               std::uint8_t* scales) {
  if (shares_bytes(r)) {
    unpack(r, s, in.codes, codes);
  } else {
    std::copy_n(in.codes, s.sizes.code_bytes, codes);
  }
  load_scales(r, s, in.scales, scales);
}

std::optional<coding_flaw> flaw_of(const recipe& r, const coded_shape& s, const constant_pass& in) {
  const int width = r.format().element.width();
  if (!shares_bytes(r) && width < 8) {
    if (const auto flaw = wide_byte(in.codes, s.codes.bytes(), width)) return flaw;
  }
  return wide_fraction(r.corrections, s.macro_fractions, in.macro_fractions);
}

}  // namespace mx
