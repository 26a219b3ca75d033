// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_tensor.cpp: calls the core on whole tensors, and puts what it gives in
// file order.
#include "sim/cli/quantize/coded_tensor.h"

#include "golden/io/widen.h"
#include "mx/bulk_corrected.h"
#include "sim/cli/rules/variant_choice.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

/// What the core writes: codes in its own packings, scales in linear order.
struct core_pass {
  byte_buffer codes, scales;
};

coded_tensor coded_plainly(const coding_job& job, mx::number_type type, const void* x) {
  const mx::block_format& f = job.format();
  const mx::blocked_sizes sizes = mx::sizes_of(f, job.t.shape, job.core_packing());
  std::vector<float> tensor_scales(sizes.tensor_scales);
  if (f.has_tensor_scale()) {
    mx::choose_tensor_scales(f, type, x, job.t.shape, tensor_scales.data());
  }
  core_pass pass{byte_buffer(sizes.code_bytes), byte_buffer(sizes.scale_bytes())};
  coded_tensor result;
  result.blocks = sizes.blocks;
  result.special_blocks = mx::quantize_tensor(
      job.rules.quantizer(), type, x, job.t.shape,
      {pass.codes.data(), pass.scales.data(), tensor_scales.data(), job.core_packing()},
      job.counted());
  const std::uint64_t padded = sizes.blocks_along * static_cast<std::uint64_t>(f.columns);
  result.arrays.push_back(stored_codes(job, "codes", padded, std::move(pass.codes)));
  result.arrays.push_back(stored_scales(job, "scales", sizes.blocks_along, std::move(pass.scales)));
  if (f.has_tensor_scale()) {
    result.arrays.push_back(
        stored_floats("tensor_scale", tensor_scales_shape(job.t, f), tensor_scales));
  }
  return result;
}

void store_pass(const coding_job& job, const std::string& prefix, const mx::coded_pass& pass,
                const mx::blocked_shape& padded, coded_tensor& result) {
  const mx::blocked_sizes sizes = mx::sizes_of(job.format(), padded, job.core_packing());
  result.arrays.push_back(
      stored_codes(job, prefix + "codes", padded.length, byte_buffer(pass.codes)));
  result.arrays.push_back(
      stored_scales(job, prefix + "scales", sizes.blocks_along, byte_buffer(pass.scales)));
  const mx::corrections& c = job.rules.spelled.corrections;
  if (c.macro_block > 0) {
    result.arrays.push_back(stored_fractions(job, prefix + "macro_fractions", pass.macro_fractions,
                                             mx::macro_blocks_along(c, padded)));
  }
}

/// Vectors without elements, of which there may be more than could ever be walked over.
coded_tensor coded_emptily(const coding_job& job) {
  const mx::blocked_sizes sizes = mx::sizes_of(job.format(), job.t.shape, job.core_packing());
  coded_tensor result;
  store_pass(job, "", {}, job.t.shape, result);
  if (job.rules.spelled.corrections.has_residual()) {
    store_pass(job, "residual.", {}, job.t.shape, result);
  }
  if (job.format().has_tensor_scale()) {
    result.arrays.push_back(stored_floats("tensor_scale", tensor_scales_shape(job.t, job.format()),
                                          std::vector<float>(sizes.tensor_scales, 1.0F)));
  }
  return result;
}

coded_tensor coded_with_corrections(const coding_job& job, mx::number_type type, const void* x) {
  const mx::corrections& c = job.rules.spelled.corrections;
  if (job.t.shape.length == 0) return coded_emptily(job);
  const mx::corrected_tensor made = mx::quantize_corrected(
      job.rules.quantizer(), c, type, x, job.t.shape, job.core_packing(), nullptr, job.counted());
  coded_tensor result;
  result.blocks = mx::sizes_of(job.format(), made.shape, job.core_packing()).blocks;
  result.special_blocks = made.special_blocks;
  result.granules = made.granules;
  result.fallen_back = made.fallen_back;
  store_pass(job, "", made.first, made.shape, result);
  if (c.has_residual()) store_pass(job, "residual.", made.residual, made.shape, result);
  if (job.format().has_tensor_scale()) {
    result.arrays.push_back(stored_floats("tensor_scale", tensor_scales_shape(job.t, job.format()),
                                          made.tensor_scales));
  }
  return result;
}

coded_tensor coded_by_variant(const coding_job& job) {
  const mx::block_format& f = job.format();
  const mx::blocked_sizes sizes = mx::sizes_of(f, job.t.shape, mx::code_packing::unpacked);
  const std::vector<float> x = io::to_float32(job.x);
  std::vector<mx::variant_tensor_scale> above(sizes.tensor_scales);
  choose_variant_scales(*job.rules.variant, f, x.data(), job.t.shape, above.data());
  core_pass pass{byte_buffer(sizes.code_bytes), byte_buffer(sizes.scale_bytes())};
  coded_tensor result;
  result.blocks = sizes.blocks;
  result.special_blocks =
      quantize_by_variant(*job.rules.variant, f, x.data(), job.t.shape, above.data(),
                          pass.codes.data(), pass.scales.data(), job.counted());
  const std::uint64_t padded = sizes.blocks_along * static_cast<std::uint64_t>(f.columns);
  result.arrays.push_back(stored_codes(job, "codes", padded, std::move(pass.codes)));
  result.arrays.push_back(stored_scales(job, "scales", sizes.blocks_along, std::move(pass.scales)));
  if (!above.empty()) {
    std::vector<float> scales, amax;
    for (const mx::variant_tensor_scale& s : above)
      scales.push_back(s.scale), amax.push_back(s.amax);
    result.arrays.push_back(stored_floats("tensor_scale", tensor_scales_shape(job.t, f), scales));
    result.arrays.push_back(stored_floats("tensor_amax", tensor_scales_shape(job.t, f), amax));
  }
  return result;
}

/// The values after a pass along the other of the last two axes.
std::vector<float> passed_once(const coding_job& job) {
  const int last = static_cast<int>(job.t.values.size()) - 1;
  const int other = job.t.axis == last ? last - 1 : last;
  return mx::values_after_pass(job.rules.quantizer(), number_type_of(job.x), job.x.bytes.data(),
                               blocked(job.x, other, job.format()).shape);
}

}  // namespace

coded_tensor coded(const io::tensor& x, const blocked_tensor& t, const chosen_rules& rules,
                   const storage& how, progress_bar& bar) {
  const coding_job job{x, t, rules, how, bar};
  if (rules.variant != nullptr) return coded_by_variant(job);
  const bool corrected = !(rules.spelled.corrections == mx::corrections{});
  if (rules.spelled.passes == mx::passes::twice) {
    const std::vector<float> once = passed_once(job);
    return corrected ? coded_with_corrections(job, mx::number_type::fp32, once.data())
                     : coded_plainly(job, mx::number_type::fp32, once.data());
  }
  return corrected ? coded_with_corrections(job, number_type_of(x), x.bytes.data())
                   : coded_plainly(job, number_type_of(x), x.bytes.data());
}

}  // namespace sim::cli
