// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/corrected_verdict.h: a verdict on formats with corrections or two passes: compares
// the output with what `quantize` writes as declared, and under one other option.
#pragma once
#include "sim/cli/verify/verify_files.h"

namespace sim::cli {

/// Whether a format has corrections or two passes.
[[nodiscard]] bool is_corrected(const mx::recipe& r);

/// Every array of every tensor: codes, scales, tensor_scale, macro_fractions, and the residual's.
/// Explanations are one other scale rule, rounding, order of nibbles or layout of scales, or one
/// correction left out: then the arrays it would have added hold zeros.
///   r       the declared recipe, without its corrections
///   errors  file_error where an array is missing, or no option gives its size
[[nodiscard]] golden::validator::diagnosis diagnose_corrected(
    const declared_recipe& declared, const verified_files& files,
    const golden::validator::hypothesis& r);

}  // namespace sim::cli
