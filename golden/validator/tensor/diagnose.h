// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnose.h: the smallest change of a hypothesis that explains every byte of
// a kernel's output.
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

/// One dimension in which the kernel differs from what was declared.
struct change {
  dimension what = dimension::variant;
  std::string expected, found;

  friend bool operator==(const change&, const change&) = default;
};

/// The change that tensor scales are unusable, with the numbers of the first one.
///   tensor  its name; empty if there is one tensor
[[nodiscard]] change change_of(const unusable_scale& u, const hypothesis& declared,
                               const std::string& tensor);

/// A hypothesis that reproduces every byte, by its changes.
struct explanation {
  std::vector<change> changes;
  hypothesis kernel;
};

/// One that the data cannot distinguish from the explanation, and an input that would.
///   probe  no value: no candidate distinguishes them
struct rival {
  explanation what;
  std::optional<telling_probe> probe;
};

/// Differences of one tensor from what was declared.
struct tensor_result {
  bool fits = true;  ///< whether the sizes of codes and scales are those of the hypothesis
  comparison found;
};

struct diagnosis {
  validator::verdict verdict = verdict::exact;
  std::vector<tensor_result> tensors;  ///< one for each subject
  std::optional<validator::explanation> explanation;
  std::vector<rival> ambiguous;
};

/// Extent of the search.
///   changes  maximum at once: 0, 1 or 2
struct search_depth {
  int changes = 2;
};

/// Compares, and where something differs searches for explanations of all tensors at once.
///   declared  possible, and with a geometry for every subject (else std::logic_error)
[[nodiscard]] diagnosis diagnose(const hypothesis& declared, std::span<const subject> subjects,
                                 search_depth depth = {}, const mx::blocks_done& done = {});

}  // namespace golden::validator
