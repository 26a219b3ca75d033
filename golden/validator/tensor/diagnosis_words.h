// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnosis_words.h: the text of a diagnosis, shared by the command and the
// C ABI.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "diagnose.h"

namespace golden::validator {

/// A diagnosis with its inputs.
///   names  of the subjects, as shown
struct told_diagnosis {
  const hypothesis& declared;
  std::span<const subject> subjects;
  std::span<const std::string> names;
  const diagnosis& found;
};

/// Index of the first tensor that differs; requires one.
[[nodiscard]] std::size_t first_differing(const diagnosis& found);

/// Elements that differ in a tensor; all of them where its sizes are wrong.
[[nodiscard]] std::uint64_t mismatches_of(const tensor_result& r, const subject& s);

/// The place of an element in its tensor.
[[nodiscard]] std::vector<std::uint64_t> index_of(const subject& s, std::uint64_t element);
/// "[3, 17]": the same.
[[nodiscard]] std::string index_text(const subject& s, std::uint64_t element);

/// "0x3fc0 (1.5)"
[[nodiscard]] std::string number_text(const subject& s, std::uint32_t bits);

/// "scale_rule: expected floor, found ceil"; several joined by " and ".
[[nodiscard]] std::string changes_text(const explanation& h);

/// Index of the change in which a rival differs from the explanation, or 0.
[[nodiscard]] std::size_t telling_change(const explanation& rival, const explanation& explanation);

/// The number of a difference's block, counted without the padding that corrections add, where it
/// has an element.
[[nodiscard]] std::uint64_t shown_block(const hypothesis& declared, const subject& s,
                                        const difference& d);

/// The bits of a block's numbers in the tensor, row by row, without padding.
[[nodiscard]] std::vector<std::uint32_t> bits_of_block(const hypothesis& declared, const subject& s,
                                                       std::uint64_t block);

/// "has 3 bytes of codes and 1 of scales; expected 16 and 1, ...": sizes that no hypothesis explains.
[[nodiscard]] std::string sizes_text(const hypothesis& declared, const subject& s);

/// One line on the first difference.
[[nodiscard]] std::string first_text(const told_diagnosis& d);

/// Lines: every tensor, the first difference, what explains it, the verdict.
[[nodiscard]] std::string report_text(const told_diagnosis& d);

}  // namespace golden::validator
