// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/verdict_words.h: the text of a verdict on a product, shared by the
// command and the C ABI.
#pragma once
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "verdict.h"

namespace golden::validator {

/// Data that distinguish a consistent model from the declared, or else the first consistent, one.
struct model_distinction {
  std::string_view model, from;
  std::vector<std::string> data;
};

/// Every other consistent arithmetic, once; empty where all consistent ones are the same.
[[nodiscard]] std::vector<model_distinction> distinctions_in(const product_inputs& inputs,
                                                             const product_verdict& verdict);

/// "0x3FC00000 (1.5)"
[[nodiscard]] std::string word_text(const mx::format& f, std::uint32_t code);

/// "output_rounding: toward-zero instead of nearest-even"; several joined by "; ".
[[nodiscard]] std::string explanation_text(const product_explanation& explanation);

/// Options of the report.
///   name     of D, as shown; may be empty
///   k        before padding
///   broken   breaks a long line into several; those after the first are indented by 4
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
