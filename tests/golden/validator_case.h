// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator_case.h: a kernel that follows a recipe, and what the validator says of it.
#pragma once
#include <deque>
#include <vector>

#include "golden/validator/diagnose.h"
#include "golden/validator/rendering.h"
#include "mx/names.h"

namespace golden::validator {

/// Tensors, and the bytes that a kernel made of them.
class validator_case {
 public:
  explicit validator_case(std::vector<probe_input> inputs) : inputs_(std::move(inputs)) {}

  /// The outputs of a kernel that follows a recipe, to be changed or judged.
  void run_kernel(const recipe& r) {
    made_.clear();
    scales_.clear();
    for (const probe_input& input : inputs_) {
      const subject s = given(input);
      extent_memory extents;
      const prediction p(r, s, extents);
      made_.push_back(render(p));
      scales_.push_back(p.written_tensor_scales());
    }
  }
  [[nodiscard]] diagnosis judge(const recipe& declared, int changes = 1) const {
    const std::vector<subject> all = subjects();
    return diagnose(declared, all, {changes});
  }
  [[nodiscard]] std::vector<subject> subjects() const {
    std::vector<subject> all;
    for (std::size_t k = 0; k < inputs_.size(); ++k) {
      all.push_back(given(inputs_[k]));
      all.back().codes = made_[k].codes;
      all.back().scales = made_[k].scales;
      if (writes_tensor_scales) all.back().tensor_scales = scales_[k];
    }
    return all;
  }
  [[nodiscard]] rendered& output(std::size_t tensor) { return made_[tensor]; }
  [[nodiscard]] std::vector<float>& tensor_scales(std::size_t tensor) { return scales_[tensor]; }
  [[nodiscard]] const std::deque<rendered>& outputs() const { return made_; }

  bool writes_tensor_scales = true;

 private:
  static subject given(const probe_input& input) {
    subject s;
    s.name = input.what;
    s.shape = input.shape;
    s.values = {reinterpret_cast<const std::uint8_t*>(input.values.data()),
                input.values.size() * sizeof(float)};
    return s;
  }

  std::vector<probe_input> inputs_;
  std::deque<rendered> made_;
  std::deque<std::vector<float>> scales_;
};

/// The plain recipe of a format for tensors of two axes.
[[nodiscard]] inline recipe plain(const mx::block_format& f) {
  recipe r;
  r.rules.format = f;
  r.rules.rule = mx::default_rule(f);
  r.axes = 2;
  return r;
}

}  // namespace golden::validator
