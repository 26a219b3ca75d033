// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/storage.h: how codes and scales lie in a file, by the names of --packing and
// --layout.
#pragma once
#include <array>

#include "mx/bulk_blocks.h"
#include "mx/bulk_storage.h"
#include "mx/layout.h"
#include "mx/names.h"
#include "mx/packing.h"
#include "sim/cli/rules/rule_options.h"

namespace sim::cli {

/// How codes of 4 bits lie in bytes; wider codes are one a byte either way.
///   order  of two codes in a byte, where they are packed
struct code_storage {
  mx::code_packing packing = mx::code_packing::packed;
  mx::nibble_order order = mx::nibble_order::low_first;

  friend constexpr bool operator==(const code_storage&, const code_storage&) = default;
};

inline constexpr std::array code_storage_table{
    mx::named<code_storage>{
        {},
        "packed",
        "two 4-bit codes a byte along the axis, low nibble first (CUDA, torchao, "
        "ONNX)"},
    mx::named<code_storage>{
        {mx::code_packing::unpacked, mx::nibble_order::low_first}, "unpacked", "one code a byte"},
    mx::named<code_storage>{{mx::code_packing::packed, mx::nibble_order::high_first},
                            "high-first",
                            "two 4-bit codes a byte along the axis, high nibble first"},
    mx::named<code_storage>{{mx::code_packing::packed, mx::nibble_order::split_half},
                            "split-half",
                            "codes j and j + K/2 of a block of K share a byte, j in its low bits "
                            "(llama.cpp)"}};

struct storage {
  code_storage codes;
  mx::scale_layout layout = mx::scale_layout::linear;
};

/// The storage that the options name.
///   usual   order of nibbles where none is asked for
///   errors  usage_error
[[nodiscard]] storage storage_of(const storage_options& options, mx::nibble_order usual);

/// Whether two codes share a byte.
[[nodiscard]] bool is_halved(const mx::block_format& f, const code_storage& how);

}  // namespace sim::cli
