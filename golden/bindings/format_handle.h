// SPDX-License-Identifier: Apache-2.0
// golden/bindings/format_handle.h: what a mx_format is: rules that nothing refuses any more, and how
// codes and scales are stored.
#pragma once
#include <string>

#include "golden/bindings/guard.h"
#include "mx/bulk_blocks.h"
#include "mx/bulk_storage.h"
#include "mx/spelling.h"
#include "mxprism/tensor.h"

namespace bindings {

/// Who chooses the scale above the blocks.
enum class tensor_scale_source : unsigned char { chosen, given };

/// Whether codes are packed as the options say, or as is usual where they say nothing.
enum class packing_source : unsigned char { usual, asked };

}  // namespace bindings

/// The C header names it in the global namespace.
///   variant  a preset that replaces rule and rounding; null where there is none
///   order    of two codes in a byte, where they are packed
struct mx_format {
  mx::spelled_format spelled;
  mx::scale_rule rule = mx::scale_rule::floor;
  mx::rounding rounding = mx::rounding::ties_to_even;
  mx::random_source random;
  const mx::variant_entry* variant = nullptr;
  mx::code_packing packing = mx::code_packing::packed;
  bindings::packing_source packing_source = bindings::packing_source::usual;
  mx::nibble_order order = mx::nibble_order::low_first;
  mx::scale_layout layout = mx::scale_layout::linear;
  bindings::tensor_scale_source tensor_scale = bindings::tensor_scale_source::chosen;
  std::string spelling, element, scale;

  [[nodiscard]] const mx::block_format& blocks() const { return spelled.format; }
  [[nodiscard]] mx::quantization quantizer() const {
    return {spelled.format, rule, rounding, random};
  }
  [[nodiscard]] bool is_corrected() const { return !(spelled.corrections == mx::corrections{}); }
  [[nodiscard]] bool takes_tensor_scale() const {
    return tensor_scale == bindings::tensor_scale_source::given;
  }
  /// Whether two codes share a byte.
  [[nodiscard]] bool is_halved() const {
    return packing == mx::code_packing::packed && blocks().element.width() == 4;
  }
  /// What the core writes: other orders, and the codes of presets, are packed afterwards.
  [[nodiscard]] mx::code_packing core_packing() const {
    const bool same = order == mx::nibble_order::low_first && variant == nullptr;
    return same ? packing : mx::code_packing::unpacked;
  }
};

namespace bindings {

/// The format of a handle.
///   errors  mx_status_bad_argument for null
[[nodiscard]] const mx_format& format_of(const mx_format* handle);

}  // namespace bindings
