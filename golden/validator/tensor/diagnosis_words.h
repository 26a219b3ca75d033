// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnosis_words.h: the text of a diagnosis, shared by the command and the
// C ABI.
#pragma once
#include <string>

#include "diagnose.h"

namespace golden::validator {

/// "scale_rule: expected floor, found ceil"; several joined by " and ".
[[nodiscard]] std::string changes_text(const explanation& h);

/// "has 3 bytes of codes and 1 of scales; expected 16 and 1, ...": sizes that no hypothesis
/// explains.
[[nodiscard]] std::string sizes_text(const hypothesis& declared, const subject& s);

/// What differs first in a tensor; requires a difference.
[[nodiscard]] differing what_differs(const tensor_result& r);

/// One line on the places of all differences of a tensor; empty where no code or scale differs, and
/// no number above some of the blocks.
[[nodiscard]] std::string where_text(const tensor_result& r);

/// One line on the first difference of a tensor that differs; of the first such one.
[[nodiscard]] std::string first_text(const tensor_result& r);
[[nodiscard]] std::string first_text(const diagnosis& d);

/// Why a tensor that differs fails a test.
[[nodiscard]] failure_words failure_of(const diagnosis& d, std::size_t tensor);

/// Lines: the first difference, what explains it, and what else does; empty where nothing differs.
[[nodiscard]] std::string reasons_text(const diagnosis& d);

/// Lines: every tensor, the first difference, what explains it, the verdict.
[[nodiscard]] std::string report_text(const diagnosis& d);

}  // namespace golden::validator
