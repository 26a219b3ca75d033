// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_text.h: the blocks of a quantization as lines of text.
// Format: golden/vectors/README.md.
#pragma once
#include <string>

#include "golden/vectors/block_pack.h"

namespace golden {

[[nodiscard]] std::string text_of(const block_pack& pack);

}  // namespace golden
