// SPDX-License-Identifier: Apache-2.0
// sim/cli/explain_text.h: an explained block for people and for programs.
#pragma once
#include <string>

#include "sim/cli/explained_block.h"
#include "sim/cli/json_text.h"

namespace sim::cli {

[[nodiscard]] std::string text_of(const explained_block& block);
[[nodiscard]] ordered_json json_of(const explained_block& block);

}  // namespace sim::cli
