// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/preference.h: which of several explanations is named first.
#pragma once
#include "diagnose.h"

namespace golden::validator {

/// In order: changes of what was declared, another order of operations, another preset of the same
/// project, any other preset. A tensor scale that is only taken from the file is left out where a
/// formula gives it.
[[nodiscard]] std::vector<explanation> preferred(std::vector<explanation> all);

/// Whether each of them is a preset of another project than the declared one, if one was declared.
[[nodiscard]] bool are_foreign_presets(const std::vector<explanation>& all);

/// The explanations of codes that differ in NaN alone: treatments of NaN and presets; where there
/// is none, that nothing else differs.
[[nodiscard]] std::vector<explanation> of_nan(const hypothesis& declared, nan_alone nan,
                                              std::vector<explanation> all);

}  // namespace golden::validator
