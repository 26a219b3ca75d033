// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/diagnosis_words.h: the text of a product's diagnosis, shared by the
// command and the C ABI.
#pragma once
#include <functional>
#include <string>

#include "diagnose.h"

namespace golden::validator {

/// "0x3FC00000": a code with all the digits of its format.
[[nodiscard]] std::string code_text(const mx::format& f, std::uint32_t code);

/// "0x3FC00000 (1.5)"
[[nodiscard]] std::string word_text(const mx::format& f, std::uint32_t code);

/// "output_rounding: toward-zero instead of nearest-even"; several joined by "; ".
[[nodiscard]] std::string explanation_text(const product_explanation& explanation);

/// Why D fails a test of its words; requires that it is not exact.
[[nodiscard]] failure_words words_failure_of(const product_diagnosis& d);

/// Why D fails a test of its bound; requires an element beyond it.
[[nodiscard]] failure_words bound_failure_of(const product_diagnosis& d);

/// Breaks a long line into several; those after the first are indented by 4.
using line_breaks = std::function<std::string(const std::string&)>;

/// Lines: what D is, the models, what explains it, the bound, the verdict.
[[nodiscard]] std::string report_text(
    const product_diagnosis& d,
    const line_breaks& broken = [](const std::string& line) { return line; });

}  // namespace golden::validator
