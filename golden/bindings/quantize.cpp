// SPDX-License-Identifier: Apache-2.0
// golden/bindings/quantize.cpp: numbers to codes and scales, in the caller's arrays.
#include <algorithm>
#include <cstring>

#include "golden/bindings/numbers.h"
#include "golden/bindings/stored_order.h"
#include "mx/bulk_corrected.h"
#include "mx/bulk_variants.h"

namespace bindings {
namespace {

/// What all ways to quantize have in common.
struct quantize_job {
  const mx_format& format;
  const coded_places& places;
  mx::number_type type;
  const void* x;
  const mx_coded& out;
};

void copy_floats(const std::vector<float>& values, const mx_buffer& to) {
  if (!values.empty()) std::memcpy(to.data, values.data(), values.size() * sizeof(float));
}

std::vector<float> tensor_scales_of(const quantize_job& job) {
  const std::uint64_t count = job.places.in_core.tensor_scales;
  if (job.format.takes_tensor_scale()) return given_tensor_scales(job.out.tensor_scales, count);
  std::vector<float> scales(count);
  if (count > 0) {
    mx::choose_tensor_scales(job.format.blocks(), job.type, job.x, job.places.shape, scales.data());
  }
  return scales;
}

std::uint64_t quantize_plainly(const quantize_job& job) {
  const std::vector<float> above = tensor_scales_of(job);
  const core_arrays made = space_for(job.format, job.places, job.out.codes, job.out.scales);
  const std::uint64_t special =
      mx::quantize_tensor(job.format.quantizer(), job.type, job.x, job.places.shape,
                          {made.codes, made.scales, above.data(), job.format.core_packing()});
  store(job.format, job.places, made, job.out.codes, job.out.scales);
  if (!job.format.takes_tensor_scale()) copy_floats(above, job.out.tensor_scales);
  return special;
}

std::uint64_t quantize_as_variant(const quantize_job& job) {
  const mx::variant_entry& entry = *job.format.variant;
  if (!mx::is_quantizer(entry)) {
    throw refused(mx_status_unsupported, "this variant only decodes");
  }
  const mx::block_format& f = job.format.blocks();
  const std::vector<float> x = widened(job.type, job.x, job.places.elements);
  std::vector<mx::variant_tensor_scale> above(job.places.in_core.tensor_scales);
  mx::choose_variant_scales(entry, f, x.data(), job.places.shape, above.data());
  const core_arrays made = space_for(job.format, job.places, job.out.codes, job.out.scales);
  const std::uint64_t special = mx::quantize_by_variant(entry, f, x.data(), job.places.shape,
                                                        above.data(), made.codes, made.scales, {});
  store(job.format, job.places, made, job.out.codes, job.out.scales);
  std::vector<float> scales, amax;
  for (const auto& s : above) scales.push_back(s.scale), amax.push_back(s.amax);
  copy_floats(scales, job.out.tensor_scales);
  copy_floats(amax, job.out.tensor_amax);
  return special;
}

void copy_bytes(const bytes& from, std::uint8_t* to) {
  if (!from.empty()) std::copy(from.begin(), from.end(), to);
}

/// One pass of a correction.
void store_pass(const quantize_job& job, const mx::coded_pass& pass, const mx_buffer& codes,
                const mx_buffer& scales, const mx_buffer& fractions) {
  const core_arrays made = space_for(job.format, job.places, codes, scales);
  copy_bytes(pass.codes, made.codes);
  copy_bytes(pass.scales, made.scales);
  store(job.format, job.places, made, codes, scales);
  auto* out = static_cast<std::uint8_t*>(fractions.data);
  for (const std::uint16_t fraction : pass.macro_fractions) {
    *out++ = static_cast<std::uint8_t>(fraction);
    if (job.format.spelled.corrections.macro_bits > 8) {
      *out++ = static_cast<std::uint8_t>(fraction >> 8);
    }
  }
}

std::uint64_t quantize_with_corrections(const quantize_job& job) {
  const mx::corrected_tensor made =
      mx::quantize_corrected(job.format.quantizer(), job.format.spelled.corrections, job.type,
                             job.x, job.places.shape, job.format.core_packing());
  const mx_coded& out = job.out;
  store_pass(job, made.first, out.codes, out.scales, out.macro_fractions);
  if (job.format.spelled.corrections.has_residual()) {
    store_pass(job, made.residual, out.residual_codes, out.residual_scales,
               out.residual_macro_fractions);
  }
  copy_floats(made.tensor_scales, out.tensor_scales);
  return made.special_blocks;
}

/// A tensor without elements has no blocks; the scale above none is 1.
std::uint64_t quantize_nothing(const quantize_job& job) {
  if (job.format.takes_tensor_scale()) return 0;
  const std::vector<float> ones(job.places.in_core.tensor_scales, 1.0F);
  copy_floats(ones, job.out.tensor_scales);
  if (job.format.variant != nullptr) {
    copy_floats(std::vector<float>(ones.size()), job.out.tensor_amax);
  }
  return 0;
}

std::uint64_t quantize(const quantize_job& job) {
  if (job.places.elements == 0) return quantize_nothing(job);
  if (job.format.variant != nullptr) return quantize_as_variant(job);
  return job.format.is_corrected() ? quantize_with_corrections(job) : quantize_plainly(job);
}

/// The values after a pass along the other of the last two axes.
std::vector<float> passed_once(const quantize_job& job, tensor_extents extents) {
  const std::size_t last = extents.values.size() - 1;
  if (last == 0 || extents.axis + 1 < last) {
    throw refused(mx_status_unsupported, "double: it takes the last two axes");
  }
  extents.axis = extents.axis == last ? last - 1 : last;
  const mx::blocked_shape across = blocked(extents, job.format.blocks());
  expect_countable(job.format.blocks(), across);
  return mx::values_after_pass(job.format.quantizer(), job.type, job.x, across);
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_quantize(const mx_format* format, const mx_shape* shape,
                             const mx_numbers* numbers, const mx_coded* coded,
                             uint64_t* special_blocks, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    const bindings::coded_places places = bindings::places_of(f, shape);
    const mx::number_type type = bindings::checked_type(numbers, places.elements);
    const mx_coded out = bindings::checked_arrays(f, places, coded);
    bindings::quantize_job job{f, places, type, numbers->data, out};
    std::vector<float> once;
    if (f.spelled.passes == mx::passes::twice) {
      once = bindings::passed_once(job, bindings::extents_of(shape));
      job.type = mx::number_type::fp32;
      job.x = once.data();
    }
    const std::uint64_t special = bindings::quantize(job);
    if (special_blocks != nullptr) *special_blocks = special;
  });
}
