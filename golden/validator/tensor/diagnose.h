// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnose.h: the smallest change of a hypothesis that explains every byte
// of a kernel's output.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "compare.h"
#include "golden/validator/dimension.h"
#include "golden/validator/verdict.h"
#include "probe_block.h"

namespace golden::validator {

/// A hypothesis that reproduces every byte, by its changes.
///   where  the part that the kernel's habits are in, beside which the declared ones hold; empty:
///          everything
struct explanation {
  std::vector<change> changes;
  hypothesis kernel;
  std::string where = {};
};

/// One that the data cannot distinguish from the explanation, and an input that would.
///   probe  no value: no candidate distinguishes them
struct rival {
  explanation what;
  std::optional<telling_probe> probe;
};

/// Differences of one tensor from what was declared.
///   shown    its name in texts
///   columns  length of the last axis, or of a tensor without axes, 1
///   fits     whether the sizes of codes and scales are those of the hypothesis
struct tensor_result {
  std::string name, shown;
  mx::number_type type = mx::number_type::fp32;
  std::uint64_t elements = 0, columns = 1, code_bytes = 0, scale_bytes = 0;
  bool fits = true;
  comparison found;

  [[nodiscard]] bool differs() const { return !fits || !found.is_exact(); }
  /// Elements and codes of padding that differ; all elements where the sizes are wrong.
  [[nodiscard]] std::uint64_t mismatches() const { return fits ? found.mismatches : elements; }
};

/// The verdict on tensors: a value that every writer (text, JSON, JUnit XML, C) renders, and that
/// keeps nothing of the verified data.
struct diagnosis {
  validator::verdict verdict = verdict::exact;
  std::vector<tensor_result> tensors;  ///< one for each subject
  std::optional<validator::explanation> explanation;
  std::vector<rival> ambiguous;

  [[nodiscard]] std::uint64_t elements() const;
  [[nodiscard]] std::uint64_t mismatches() const;
  /// Mismatches that are codes of padding.
  [[nodiscard]] std::uint64_t padding() const;
  /// Index of the first tensor that differs; requires one.
  [[nodiscard]] std::size_t first_differing() const;
  /// Whether all differences of all tensors are of NaN.
  [[nodiscard]] nan_alone nan() const;
};

/// Whether a change may hold in a part of a tensor alone.
enum class search_reach : std::uint8_t { parts, whole };

/// Extent of the search.
///   changes  maximum at once: 0, 1 or 2
struct search_depth {
  int changes = 2;
  search_reach reach = search_reach::parts;
};

/// Compares, and where something differs searches for explanations of all tensors at once; if there
/// is none, of each that differs by itself.
///   declared  possible, and with a geometry for every subject (else std::logic_error)
[[nodiscard]] diagnosis diagnose(const hypothesis& declared, std::span<const subject> subjects,
                                 search_depth depth = {}, const mx::blocks_done& done = {});

}  // namespace golden::validator
