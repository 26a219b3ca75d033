// SPDX-License-Identifier: Apache-2.0
// kernels/verify/expected_refusals.h: which cases a device may refuse, since it lacks the
// instructions of their kernel. Refusing any other is no pass.
#pragma once
#include <cstdint>
#include <string_view>

#include "value_names.h"

namespace mx::kernels {

/// Instructions that some devices lack: wgmma, and FP4 products with block scales.
enum class special_instructions : std::uint8_t { none, wgmma, native };

inline constexpr named_value<special_instructions> special_instruction_names[] = {
    {special_instructions::wgmma, "wgmma"}, {special_instructions::native, "native"}};

/// Those of a case: its kernel is the last word of its name.
[[nodiscard]] special_instructions instructions_of(std::string_view case_name) noexcept;

/// Whether a device of this compute capability, "9.0", has them; an unknown one, "", has none.
[[nodiscard]] bool has_instructions(std::string_view compute_capability,
                                    special_instructions which) noexcept;

}  // namespace mx::kernels
