// SPDX-License-Identifier: Apache-2.0
// golden/probe/recipe_difference.h: an input that distinguishes recipes which an output does not.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "golden/probe/probe_tensor.h"
#include "golden/validator/hypothesis.h"
#include "mx/tensor/blocks.h"

namespace golden::probe {

class recipe_differences {
 public:
  ///   type  of the kernel's input numbers
  explicit recipe_differences(mx::number_type type) : type_(type) {}

  /// One readable sentence; empty if no known input distinguishes them.
  [[nodiscard]] std::string between(const validator::hypothesis& a, const validator::hypothesis& b);

 private:
  [[nodiscard]] bool differ_on_usual_probe(const validator::hypothesis& a,
                                           const validator::hypothesis& b);
  [[nodiscard]] const probe& usual_probe(const mx::block_format& f);

  mx::number_type type_;
  std::vector<std::pair<mx::block_format, probe>> usual_;  ///< cached on first use
};

}  // namespace golden::probe
