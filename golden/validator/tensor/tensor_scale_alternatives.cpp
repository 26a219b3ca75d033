// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/tensor_scale_alternatives.cpp: other sources and bounds of tensor scales.
#include <algorithm>

#include "alternatives.h"
#include "tensor_scale.h"

namespace golden::validator {

void append_tensor_scale_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                      alternative_list& list) {
  if (!declared.format().has_tensor_scale()) return;
  using enum tensor_source;
  std::vector<tensor_source> sources{as_stored, inverse_stored, one};
  if (std::any_of(subjects.begin(), subjects.end(), has_unusable_scale)) {
    sources.push_back(unusable);
  }
  for (const tensor_source source : sources) {
    add(list, dimension::tensor_scale, &habits::above, source);
  }
  for (const mx::tensor_bound bound : {mx::tensor_bound::largest, mx::tensor_bound::of_256}) {
    for (const mx::tensor_scaling scaling :
         {mx::tensor_scaling::per_tensor, mx::tensor_scaling::per_row}) {
      list.push_back({dimension::tensor_scale, [bound, scaling](hypothesis& r) {
                        r.recipe.rules.format.bound = bound;
                        r.recipe.rules.format.tensor = scaling;
                      }});
    }
  }
  if (declared.format().tensor == mx::tensor_scaling::per_row) return;
  // One of each row, which is the tensor's, or another kernel's.
  list.push_back({dimension::tensor_scale, [](hypothesis& r) {
                    r.recipe.rules.format.tensor = mx::tensor_scaling::per_row;
                    r.above = as_stored;
                  }});
}

}  // namespace golden::validator
