// SPDX-License-Identifier: Apache-2.0
// golden/bindings/format_handle.h: the contents of an mx_format: a validated recipe, and the source
// of each choice that it leaves open.
#pragma once
#include <string>

#include "golden/bindings/guard.h"
#include "mx/recipe_words.h"
#include "mxprism/tensor.h"

namespace bindings {

/// Whether the library chooses the tensor scale or the caller gives it.
enum class tensor_scale_source : unsigned char { chosen, given };

/// Whether packing follows the options, or the default if they name none.
enum class packing_source : unsigned char { usual, requested };

}  // namespace bindings

/// In the global namespace, where the C header declares it.
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
