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

/// The blocks of an output that recipes are judged by: all of its input, or those left after others
/// were set aside.
enum class judged_blocks : std::uint8_t { of_input, remaining };

class recipe_differences {
 public:
  ///   type  of the kernel's input numbers
  recipe_differences(mx::number_type type, judged_blocks judged) : type_(type), judged_(judged) {}

  /// One readable sentence; empty if no known input distinguishes them.
  [[nodiscard]] std::string between(const validator::hypothesis& a, const validator::hypothesis& b);

 private:
  [[nodiscard]] bool differ_on_usual_probe(const validator::hypothesis& a,
                                           const validator::hypothesis& b);
  [[nodiscard]] const probe& usual_probe(const mx::block_format& f);

  mx::number_type type_;
  judged_blocks judged_;
  std::vector<std::pair<mx::block_format, probe>> usual_;  ///< cached on first use
};

}  // namespace golden::probe
