// SPDX-License-Identifier: Apache-2.0
// golden/probe/told_difference.h: which input tells two recipes apart that an output does not.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "golden/probe/probe_tensor.h"
#include "golden/validator/recipe.h"
#include "mx/tensor/blocks.h"

namespace golden::probe {

class told_differences {
 public:
  ///   type  of the numbers that the kernel was given
  explicit told_differences(mx::number_type type) : type_(type) {}

  /// One sentence for people; empty where no known input does.
  [[nodiscard]] std::string between(const validator::recipe& a, const validator::recipe& b);

 private:
  [[nodiscard]] bool told_by_usual_probe(const validator::recipe& a, const validator::recipe& b);
  [[nodiscard]] const probe& usual_probe(const mx::block_format& f);

  mx::number_type type_;
  std::vector<std::pair<mx::block_format, probe>> usual_;  ///< as far as they were asked for
};

}  // namespace golden::probe
