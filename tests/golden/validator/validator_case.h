// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/validator_case.h: a kernel that follows a recipe, and the validator's
// verdict on it.
#pragma once
#include <deque>
#include <vector>

#include "golden/validator/tensor/diagnose.h"
#include "golden/validator/tensor/rendering.h"
#include "mx/block/names.h"
#include "mx/number/philox.h"

namespace golden::validator {

/// Tensors, and the bytes that a kernel computed from them.
class validator_case {
 public:
  explicit validator_case(std::vector<probe_input> inputs) : inputs_(std::move(inputs)) {}

  /// The outputs of a kernel that follows a recipe, to be modified or verified.
  void run_kernel(const hypothesis& r) {
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
  [[nodiscard]] diagnosis judge(const hypothesis& declared, int changes = 1) const {
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
[[nodiscard]] inline hypothesis plain(const mx::block_format& f) {
  hypothesis r;
  r.recipe.rules.format = f;
  r.recipe.rules.rule = mx::default_rule(f);
  r.axes = 2;
  return r;
}

/// The same with stochastic rounding.
[[nodiscard]] inline hypothesis drawn_with(const mx::block_format& f,
                                           const mx::random_source& from) {
  hypothesis r = plain(f);
  r.recipe.rules.rounding = mx::rounding::stochastic;
  r.recipe.rules.random = from;
  return r;
}

/// `rows` rows of eight blocks with numbers of several binades.
[[nodiscard]] inline probe_input rows_of(const mx::block_format& f, std::uint64_t rows) {
  const std::uint64_t length = 8 * static_cast<std::uint64_t>(f.columns);
  probe_input p{"rows", {rows, length}, {}};
  for (std::uint32_t k = 0; k < rows * length; ++k) {
    const mx::philox_counter drawn = mx::philox(3, {{k, 0, 0, 0}});
    const std::uint32_t exponent = 120 + drawn.word[1] % 5 + k / 16 % 7;
    p.values.push_back(mx::float_of((drawn.word[0] & 0x807FFFFF) | exponent << 23));
  }
  return p;
}

/// Every kind of special number, in their own blocks and beside ordinary ones.
[[nodiscard]] inline probe_input with_specials(const mx::block_format& f, std::uint64_t rows = 4) {
  probe_input p = rows_of(f, rows);
  const std::uint64_t length = p.shape[1];
  p.values[3] = mx::float_of(0x7FC00000);
  p.values[length + 5] = mx::float_of(0xFFC00000);
  p.values[2 * length + 70] = mx::float_of(0x7F800000);
  p.values[3 * length + 100] = mx::float_of(0xFF800000);
  return p;
}

}  // namespace golden::validator
