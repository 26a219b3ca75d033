// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/matrix_permission.h: whether this process may multiply matrices by AMX.
#pragma once

namespace mx {

/// Whether the processor has AMX-TILE and AMX-BF16; asks Linux, which gives the registers only to
/// processes that ask, for all threads of this one.
[[nodiscard]] bool may_multiply_matrices();

}  // namespace mx
