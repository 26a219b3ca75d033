// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/diagnose.h: the smallest change of a recipe that explains every byte of a
// kernel's output.
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

/// One dimension in which the kernel is not as declared.
struct change {
  dimension what = dimension::variant;
  std::string expected, found;

  friend bool operator==(const change&, const change&) = default;
};

/// That tensor scales are unusable, with the numbers of the first one.
///   tensor  its name; empty where there is one tensor
[[nodiscard]] change change_of(const unusable_scale& u, const recipe& declared,
                               const std::string& tensor);

/// A recipe that gives every byte, by its changes.
struct hypothesis {
  std::vector<change> changes;
  recipe rules;
};

/// A hypothesis that the data cannot tell from the explanation, and an input that would.
///   probe  nothing: no candidate tells them apart
struct rival {
  hypothesis what;
  std::optional<telling_probe> probe;
};

/// Where one tensor differs from what was declared.
struct tensor_result {
  bool fits = true;  ///< whether the sizes of codes and scales are those of the recipe
  comparison found;
};

struct diagnosis {
  validator::verdict verdict = verdict::exact;
  std::vector<tensor_result> tensors;  ///< one a subject
  std::optional<hypothesis> explanation;
  std::vector<rival> ambiguous;
};

/// How far the search goes.
///   changes  at most so many at once: 0, 1 or 2
struct search_depth {
  int changes = 2;
};

/// Compares, and where something differs looks for explanations of every tensor at once.
///   declared  possible, and with a geometry for every subject (else std::logic_error)
[[nodiscard]] diagnosis diagnose(const recipe& declared, std::span<const subject> subjects,
                                 search_depth depth = {}, const mx::blocks_done& done = {});

}  // namespace golden::validator
