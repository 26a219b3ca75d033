// SPDX-License-Identifier: Apache-2.0
// golden/bindings/stored_order.h: arrays between the order of the core and that of the caller.
#pragma once
#include <cstdint>
#include <vector>

#include "golden/bindings/coded_places.h"

namespace bindings {

using bytes = std::vector<std::uint8_t>;

/// Codes and scales in the order of the core. Where the caller's is the same they are the caller's
/// own, else copies.
struct core_arrays {
  bytes codes_copy, scales_copy;
  std::uint8_t *codes = nullptr, *scales = nullptr;
};

/// Space for the core to write into.
[[nodiscard]] core_arrays space_for(const mx_format& format, const coded_places& places,
                                    const mx_buffer& codes, const mx_buffer& scales);

/// Puts what the core wrote into the caller's order.
void store(const mx_format& format, const coded_places& places, const core_arrays& made,
           const mx_buffer& codes, const mx_buffer& scales);

/// The caller's arrays as the core reads them.
///   errors  mx_status_bad_argument where an unpacked code has more bits than its element
[[nodiscard]] core_arrays loaded(const mx_format& format, const coded_places& places,
                                 const mx_buffer& codes, const mx_buffer& scales);

}  // namespace bindings
