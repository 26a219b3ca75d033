// SPDX-License-Identifier: Apache-2.0
// golden/probe/told_difference.h: which input tells two recipes apart that an output does not.
#pragma once
#include <string>

#include "golden/validator/recipe.h"
#include "mx/bulk_blocks.h"

namespace golden::probe {

/// One sentence for people; empty where no known input does.
///   type  of the numbers that the kernel was given
[[nodiscard]] std::string told_difference(const validator::recipe& a, const validator::recipe& b,
                                          mx::number_type type);

}  // namespace golden::probe
