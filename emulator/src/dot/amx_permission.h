// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/amx_permission.h: whether this process may multiply matrices by AMX.
#pragma once

namespace mx {

/// Whether the processor has AMX-TILE and AMX-BF16 and Linux grants the registers, which it does
/// only on request, for all threads of the process.
[[nodiscard]] bool may_multiply_matrices();

}  // namespace mx
