// SPDX-License-Identifier: Apache-2.0
// golden/bindings/format_handle.h: what a mx_format is: a recipe that nothing refuses, and who says what
// it leaves open.
#pragma once
#include <string>

#include "golden/bindings/guard.h"
#include "mx/recipe_words.h"
#include "mxprism/tensor.h"

namespace bindings {

/// Who chooses the scale above the blocks.
enum class tensor_scale_source : unsigned char { chosen, given };

/// Whether codes are packed as the options say, or as is usual where they say nothing.
enum class packing_source : unsigned char { usual, asked };

}  // namespace bindings

/// The C header names it in the global namespace.
struct mx_format {
  mx::recipe recipe;
  bindings::packing_source packing_source = bindings::packing_source::usual;
  bindings::tensor_scale_source tensor_scale = bindings::tensor_scale_source::chosen;
  std::string spelling, element, scale;

  [[nodiscard]] bool takes_tensor_scale() const {
    return tensor_scale == bindings::tensor_scale_source::given;
  }
};

namespace bindings {

/// The format of a handle.
///   errors  mx_status_bad_argument for null
[[nodiscard]] const mx_format& format_of(const mx_format* handle);

}  // namespace bindings
