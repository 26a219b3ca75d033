// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/verdict_words.h: a verdict on a product in words, for whoever tells it:
// the command and the C ABI.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verdict.h"

namespace golden::validator {

/// What would tell a consistent model from the declared one, or from the first that is consistent.
struct model_distinction {
  std::string_view model, from;
  std::vector<std::string> data;
};

/// Every consistent arithmetic but one, once; empty where all that are left are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

/// "0x3FC00000 (1.5)"
[[nodiscard]] std::string word_text(const mx::format& f, std::uint32_t code);

/// "output_rounding: toward-zero instead of nearest-even"; several joined by "; ".
[[nodiscard]] std::string explanation_text(const product_explanation& explanation);

/// How a verdict is told.
///   name     of D, as it is shown; may be empty
///   k        before it is padded
///   broken   a line that may be long, in several; those behind the first are indented by 4
struct verdict_telling {
  std::string name;
  std::uint64_t k = 0;
  std::function<std::string(const std::string&)> broken = [](const std::string& line) {
    return line;
  };
};

/// Lines: what D is, the models, what explains it, the bound, the verdict.
[[nodiscard]] std::string report_text(const product_inputs& inputs, const product_verdict& verdict,
                                      const verdict_telling& how);

}  // namespace golden::validator
