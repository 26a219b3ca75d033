// SPDX-License-Identifier: Apache-2.0
// golden/bindings/dequantize.cpp: codes and scales in the caller's arrays to FP32 numbers.
#include "golden/bindings/stored_order.h"
#include "mx/bulk_corrected.h"
#include "mx/bulk_variants.h"

namespace bindings {
namespace {

struct dequantize_job {
  const mx_format& format;
  const coded_places& places;
  const mx_coded& in;
  float* x;
};

mx::coded_pass pass_of(const dequantize_job& job, const mx_buffer& codes, const mx_buffer& scales,
                       const mx_buffer& fractions) {
  const core_arrays read = loaded(job.format, job.places, codes, scales);
  const mx::blocked_sizes& sizes = job.places.in_core;
  const mx::corrections& c = job.format.spelled.corrections;
  const auto* stored = static_cast<const std::uint8_t*>(fractions.data);
  mx::coded_pass pass{{read.codes, read.codes + sizes.code_bytes},
                      {read.scales, read.scales + sizes.scale_bytes()},
                      mx::fractions_in(c, {stored, fractions.bytes})};
  require(!mx::impossible_factor(c, pass),
          "macro_fractions: one has more bits than the format says");
  return pass;
}

void dequantize_corrected(const dequantize_job& job) {
  const mx::corrections& c = job.format.spelled.corrections;
  const mx_coded& in = job.in;
  mx::corrected_tensor coded;
  coded.shape = job.places.padded;
  coded.packing = job.format.core_packing();
  coded.first = pass_of(job, in.codes, in.scales, in.macro_fractions);
  if (c.has_residual()) {
    coded.residual =
        pass_of(job, in.residual_codes, in.residual_scales, in.residual_macro_fractions);
  }
  coded.tensor_scales = floats_of(in.tensor_scales);
  mx::dequantize_corrected(job.format.quantizer(), c, coded, job.places.shape, job.x);
}

void dequantize_plainly(const dequantize_job& job) {
  const mx::block_format& f = job.format.blocks();
  const core_arrays read = loaded(job.format, job.places, job.in.codes, job.in.scales);
  if (job.format.variant == nullptr) {
    const std::vector<float> above = floats_of(job.in.tensor_scales);
    mx::dequantize_tensor(f, {read.codes, read.scales, above.data(), job.format.core_packing()},
                          job.places.shape, job.x);
    return;
  }
  std::vector<mx::variant_tensor_scale> above;
  for (const float amax : floats_of(job.in.tensor_amax)) above.push_back({amax, 1});
  mx::dequantize_by_variant(*job.format.variant, f, read.codes, read.scales, job.places.shape,
                            above.data(), job.x, {});
}

void dequantize(const dequantize_job& job) {
  if (job.places.elements == 0) return;
  if (job.format.is_corrected()) return dequantize_corrected(job);
  dequantize_plainly(job);
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                               const mx_coded* coded, const mx_buffer* values, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    const bindings::coded_places places = bindings::places_of(f, shape);
    const mx_coded in = bindings::checked_arrays(f, places, coded);
    bindings::require(values != nullptr, "the place for values is null");
    bindings::expect_bytes(*values, places.elements * sizeof(float), "values");
    bindings::expect_aligned(values->data, sizeof(float), "values");
    bindings::dequantize({f, places, in, static_cast<float*>(values->data)});
  });
}
