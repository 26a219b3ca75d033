// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_trace.h: every step of one dot product, recorded while the core computes it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "mx/dot/steps.h"
#include "sim/cli/products/dot_file.h"

namespace sim::cli {

/// One step of mx::step_record, with all its terms.
struct dot_step {
  int first_k = 0;
  bool of_products = true;  ///< or of results of earlier steps, and C
  int largest_exponent = mx::no_exponent, window_unit = mx::no_exponent;
  std::vector<mx::term_record> terms;
  mx::term_record addend;
  bool has_addend = false;
  mx::unpacked late[3], sum, discarded;
  mx::loss why = mx::loss::nothing;
  std::uint32_t result = 0;
};

/// The steps of one word.
///   steps   the first ones; `count` is the number of all
struct dot_trace {
  std::uint64_t vector = 0, count = 0;
  dot_word word;
  std::vector<dot_step> steps;
  std::uint32_t result = 0, expected = 0;
  bool has_expected = false;
};

/// Recomputes a word and records at most `most` of its steps.
[[nodiscard]] dot_trace traced(const dot_file& words, std::uint64_t vector, std::uint64_t most);

/// Whether a step's terms are cut to a window.
[[nodiscard]] bool has_window(const dot_file& words, const dot_step& step);

/// mx::place_of term number `term` of a step of products.
[[nodiscard]] mx::term_place place_of(const mx::dot_model& model, const dot_step& step, int term);

/// Operands of a word that are NaN or Inf: "a[3] = NaN, scale_b[0] = NaN, c = Inf".
[[nodiscard]] std::string special_operands(const dot_file& words, const dot_trace& trace);

/// Why a number lost bits, in words; empty for no loss.
[[nodiscard]] std::string words_of(mx::loss why);

/// got minus expected in steps of the format; empty where one is NaN or Inf.
[[nodiscard]] std::string distance_text(const mx::format& f, std::uint32_t expected,
                                        std::uint32_t got);

}  // namespace sim::cli
