// SPDX-License-Identifier: Apache-2.0
// golden/bindings/dequantize.cpp: codes and scales in the caller's arrays to FP32 numbers.
#include "golden/bindings/tensor_arguments.h"

namespace bindings {
namespace {

mx::pass_arrays<const std::uint8_t> read_only(const mx::pass_arrays<std::uint8_t>& p) {
  return {p.codes, p.scales, p.macro_fractions};
}

void expect_narrow_pass(const mx::recipe& r, const mx::coded_shape& s,
                        const mx::pass_arrays<const std::uint8_t>& pass) {
  const auto flaw = mx::flaw_of(r, s, pass);
  if (!flaw) return;
  require(flaw->what != mx::wide_number::code, "codes: one has more bits than its element");
  require(flaw->what != mx::wide_number::macro_fraction,
          "macro_fractions: one has more bits than the format's");
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_dequantize(const mx_format* format, const mx_shape* shape,
                               const mx_coded* coded, const mx_buffer* values, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    const mx::coded_shape s = bindings::coded_shape_of(f, shape);
    const mx::coded_arrays arrays = bindings::checked_arrays(f, s, coded);
    bindings::require(values != nullptr, "values is null");
    bindings::expect_bytes(*values, s.blocks.elements() * sizeof(float), "values");
    bindings::expect_aligned(values->data, sizeof(float), "values");
    const mx::constant_coded_arrays in{bindings::read_only(arrays.first),
                                       bindings::read_only(arrays.residual), arrays.tensor_scales,
                                       arrays.tensor_amax};
    if (s.blocks.elements() == 0) return;
    bindings::expect_narrow_pass(f.recipe, s, in.first);
    if (f.recipe.corrections.has_residual()) bindings::expect_narrow_pass(f.recipe, s, in.residual);
    mx::dequantize_tensor(f.recipe, s, in, static_cast<float*>(values->data));
  });
}
