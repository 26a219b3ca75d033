// SPDX-License-Identifier: Apache-2.0
// golden/bindings/quantize.cpp: numbers to codes and scales, in the caller's arrays.
#include "golden/bindings/tensor_arguments.h"

mx_status mx_tensor_quantize(const mx_format* format, const mx_shape* shape,
                             const mx_numbers* numbers, const mx_coded* coded,
                             uint64_t* special_blocks, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx_format& f = bindings::format_of(format);
    const mx::coded_shape s = bindings::coded_shape_of(f, shape);
    const mx::number_type type = bindings::checked_type(numbers, s.blocks.elements());
    const mx::coded_arrays out = bindings::checked_arrays(f, s, coded);
    bindings::expect_quantizer(f);
    mx::coding_counts counts;
    if (!f.takes_tensor_scale()) {
      counts = mx::quantize_tensor(f.recipe, s, type, numbers->data, nullptr, out);
    } else if (s.blocks.elements() > 0) {
      const std::vector<float> given =
          bindings::given_tensor_scales(coded->tensor_scales, s.sizes.tensor_scales);
      counts = mx::quantize_tensor(f.recipe, s, type, numbers->data, given.data(), out);
    }
    if (special_blocks != nullptr) *special_blocks = counts.special_blocks;
  });
}
