// SPDX-License-Identifier: Apache-2.0
// golden/bindings/decompose.cpp: energies of the components of a tensor's quantization error.
#include "golden/bindings/energy.h"
#include "golden/bindings/tensor_arguments.h"

namespace bindings {
namespace {

void expect_decomposable(const mx::recipe& r) {
  if (!r.is_plain()) {
    throw refused(mx_status_unsupported,
                  "a variant and a corrected format have no single quantizer to split");
  }
}

/// Tensor scales passed by the caller.
std::vector<float> scales_given(const mx_format& f, const mx::blocked_shape& shape,
                                const mx_buffer* given) {
  if (!f.takes_tensor_scale()) {
    require(given == nullptr, "tensor_scales: the format chooses its own; give null");
    return {};
  }
  require(given != nullptr, "tensor_scales is null; the format has tensor-scale=given");
  return given_tensor_scales(
      *given, mx::sizes_of(f.recipe.format(), shape, mx::code_packing::unpacked).tensor_scales);
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_decompose(const mx_format* format, const mx_shape* shape,
                              const mx_numbers* numbers, const mx_buffer* tensor_scales,
                              mx_energy* energy, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    bindings::expect_decomposable(f.recipe);
    const mx::tensor_axes axes = bindings::axes_of(shape);
    bindings::expect_taken(f.recipe, axes, mx::refusal_of(f.recipe, axes));
    const mx::blocked_shape s = mx::blocks_of(f.recipe, axes);
    const mx::number_type type = bindings::checked_type(numbers, s.elements());
    static_cast<void>(bindings::struct_size_of(energy, bindings::publication_of<mx_energy>));
    const std::vector<float> given = bindings::scales_given(f, s, tensor_scales);
    const mx::error_energy made = mx::decompose_tensor(
        f.recipe, axes, type, numbers->data, f.takes_tensor_scale() ? given.data() : nullptr);
    bindings::write(energy, bindings::energy_of(made));
  });
}
