// SPDX-License-Identifier: Apache-2.0
// tests/probe/probe_case.h: a kernel that follows a recipe, run on a probe.
#pragma once
#include <deque>
#include <vector>

#include "golden/probe/probe_tensor.h"
#include "golden/validator/tensor/rendering.h"
#include "mx/block/names.h"

namespace golden::probe {

/// A probe's tensors with a recipe's output for them.
class probed_kernel {
 public:
  /// errors  std::logic_error if the recipe does not apply to the tensors
  probed_kernel(const probe& p, mx::number_type type, const validator::hypothesis& r) {
    for (const probe_tensor& t : p.tensors) {
      validator::subject s = subject_of(t, type);
      validator::extent_memory extents;
      const validator::prediction made(r, s, extents);
      made_.push_back(render(made));
      s.tensor_scales = made.written_tensor_scales();
      s.codes = made_.back().codes;
      s.scales = made_.back().scales;
      subjects_.push_back(s);
    }
  }

  [[nodiscard]] const std::vector<validator::subject>& subjects() const { return subjects_; }
  [[nodiscard]] validator::rendered& output(std::size_t tensor) { return made_[tensor]; }

 private:
  std::deque<validator::rendered> made_;
  std::vector<validator::subject> subjects_;
};

/// Whether a recipe applies to all tensors of a probe.
[[nodiscard]] inline bool goes_with(const validator::hypothesis& r, const probe& p,
                                    mx::number_type type) {
  return std::all_of(p.tensors.begin(), p.tensors.end(), [&](const probe_tensor& t) {
    return validator::geometry::of(r, subject_of(t, type)).has_value();
  });
}

}  // namespace golden::probe
