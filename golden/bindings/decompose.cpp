// SPDX-License-Identifier: Apache-2.0
// golden/bindings/decompose.cpp: the energies of the parts of a tensor's error.
#include "golden/bindings/coded_places.h"
#include "mx/bulk_energy.h"

namespace bindings {
namespace {

void expect_decomposable(const mx_format& f) {
  const bool plain =
      f.variant == nullptr && !f.is_corrected() && f.spelled.passes == mx::passes::once;
  if (!plain) {
    throw refused(mx_status_unsupported,
                  "a variant and a corrected format have no single quantizer to split");
  }
  if (f.blocks().rows > 1 && f.blocks().tensor == mx::tensor_scaling::per_row) {
    throw refused(mx_status_unsupported, "a tile has several rows; use `tensor`");
  }
}

mx_energy energy_of(const mx::error_energy& e) {
  const auto count = [](std::int64_t n) { return static_cast<std::uint64_t>(n); };
  const mx::energy_sums& s = e.sums;
  mx_energy made = {};
  made.total = s.total, made.scale = s.scale, made.deadzone = s.deadzone;
  made.grid = s.grid, made.clip = s.clip, made.scale_dead = s.scale_dead;
  made.scale_deadzone = s.scale_deadzone, made.scale_grid = s.scale_grid;
  made.scale_clip = s.scale_clip, made.deadzone_grid = s.deadzone_grid;
  made.deadzone_clip = s.deadzone_clip, made.grid_clip = s.grid_clip;
  made.x_squared = s.x_squared, made.x_quantized = s.x_quantized;
  made.elements = count(e.elements), made.dead = count(e.dead);
  made.dead_actual = count(e.dead_actual), made.blocks = count(e.blocks);
  made.special_blocks = count(e.special_blocks);
  made.identity_violations = count(e.identity_violations);
  return made;
}

/// The tensor scales that the blocks lie under.
std::vector<float> scales_above(const mx_format& f, const mx_numbers& numbers, mx::number_type type,
                                const mx::blocked_shape& shape, const mx_buffer* given) {
  const std::uint64_t count =
      mx::sizes_of(f.blocks(), shape, mx::code_packing::unpacked).tensor_scales;
  if (f.takes_tensor_scale()) {
    require(given != nullptr, "tensor_scales is null; the format has tensor-scale=given");
    return given_tensor_scales(*given, count);
  }
  require(given == nullptr, "tensor_scales: the format chooses its own; give null");
  std::vector<float> scales(count);
  if (count > 0) {
    mx::choose_tensor_scales(f.blocks(), type, numbers.data, shape, scales.data());
  }
  return scales;
}

}  // namespace
}  // namespace bindings

mx_status mx_tensor_decompose(const mx_format* format, const mx_shape* shape,
                              const mx_numbers* numbers, const mx_buffer* tensor_scales,
                              mx_energy* energy, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    bindings::expect_decomposable(f);
    const mx::blocked_shape s = bindings::blocked(bindings::extents_of(shape), f.blocks());
    bindings::expect_countable(f.blocks(), s);
    const mx::number_type type = bindings::checked_type(numbers, s.elements());
    static_cast<void>(bindings::said_size(energy, bindings::first_size<mx_energy>, "mx_energy"));
    const std::vector<float> above = bindings::scales_above(f, *numbers, type, s, tensor_scales);
    const mx::error_energy made =
        mx::decompose_tensor(f.quantizer(), type, numbers->data, s, above.data());
    bindings::write(energy, bindings::energy_of(made), "mx_energy");
  });
}
