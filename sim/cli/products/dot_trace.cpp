// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/dot_trace.cpp: records the steps of one dot product.
#include "sim/cli/products/dot_trace.h"

#include <fmt/format.h>

#include <array>

#include "mx/dot/dot.h"
#include "sim/cli/terminal/exact_text.h"

namespace sim::cli {
namespace {

/// Observer that records the first steps, with all their terms.
class step_keeper {
 public:
  static constexpr bool active = true;

  step_keeper(dot_trace& trace, std::uint64_t most) : trace_(trace), most_(most) {}

  void begin(int first_k) {
    current_ = dot_step{};
    current_.first_k = first_k;
    current_.of_products = first_k != mx::step_record::no_products;
  }
  void window(int largest_exponent, int unit) {
    current_.largest_exponent = largest_exponent;
    current_.window_unit = unit;
  }
  void term(const mx::term_record& term) {
    if (trace_.count < most_) current_.terms.push_back(term);
  }
  void addend(const mx::term_record& term) {
    current_.addend = term;
    current_.has_addend = true;
  }
  void late(int stage, const mx::unpacked& lost) { current_.late[stage] = lost; }
  void end(const mx::unpacked& sum, const mx::unpacked& discarded, mx::loss why,
           std::uint32_t result) {
    current_.sum = sum;
    current_.discarded = discarded;
    current_.why = why;
    current_.result = result;
    if (trace_.count++ < most_) trace_.steps.push_back(std::move(current_));
  }

 private:
  dot_trace& trace_;
  std::uint64_t most_;
  dot_step current_;
};

void append_special(const mx::format& f, const std::vector<std::uint32_t>& codes, int unread,
                    const char* name, std::string& text) {
  for (std::size_t i = 0; i < codes.size(); ++i) {
    const mx::unpacked value = mx::decode(f, codes[i] >> unread);
    if (!value.is_special()) continue;
    text += fmt::format("{}{}[{}] = {}", text.empty() ? "" : ", ", name, i, fraction_text(value));
  }
}

/// Index of a code in the order of values.
std::int64_t place_in_order(const mx::format& f, std::uint32_t code) {
  const auto magnitude = static_cast<std::int64_t>(code & f.magnitude_mask());
  return (code & f.sign_mask()) != 0 ? -magnitude : magnitude;
}

}  // namespace

dot_trace traced(const dot_file& words, std::uint64_t vector, std::uint64_t most) {
  dot_trace trace;
  trace.vector = vector;
  trace.word.read(words, vector);
  trace.has_expected = !words.d.empty();
  if (trace.has_expected) trace.expected = words.d[vector];
  step_keeper keeper(trace, most);
  const dot_word& w = trace.word;
  const bool scaled = words.scales > 0;
  using operand = mx::dot_operand<std::uint32_t, std::uint32_t>;
  const operand a{{w.a.data()}, {scaled ? w.scale_a.data() : nullptr}};
  const operand b{{w.b.data()}, {scaled ? w.scale_b.data() : nullptr}};
  trace.result = mx::dot_observed(words.model, a, b, static_cast<int>(words.k), w.c, keeper);
  return trace;
}

bool has_window(const dot_file& words, const dot_step& step) {
  return words.model.sum.alignment == mx::alignment::window && step.of_products &&
         step.why != mx::loss::special;
}

mx::term_place place_of(const mx::dot_model& model, const dot_step& step, int term) {
  return mx::place_of(model.sum, step.first_k, static_cast<int>(step.terms.size()), term);
}

std::string special_operands(const dot_file& words, const dot_trace& trace) {
  const mx::dot_model& m = words.model;
  std::string text;
  append_special(m.a, trace.word.a, m.unread_bits, "a", text);
  append_special(m.b, trace.word.b, m.unread_bits, "b", text);
  append_special(m.scale, trace.word.scale_a, 0, "scale_a", text);
  append_special(m.scale, trace.word.scale_b, 0, "scale_b", text);
  const mx::unpacked c = mx::decode(format_of_c(m.sum), trace.word.c);
  if (c.is_special()) text += (text.empty() ? "c = " : ", c = ") + fraction_text(c);
  return text;
}

std::string words_of(mx::loss why) {
  constexpr std::array words{"",
                             "its last bits lie below the window",
                             "all of it lies below the window",
                             "it lies too far below the products and counts as zero",
                             "bits below the last one of the result were rounded away",
                             "the result was subnormal and became zero",
                             "the sum is beyond the largest number and became Inf",
                             "a NaN or an Inf among the operands decides"};
  return words[static_cast<std::size_t>(why)];
}

std::string distance_text(const mx::format& f, std::uint32_t expected, std::uint32_t got) {
  if (mx::decode(f, expected).is_special() || mx::decode(f, got).is_special()) return "";
  const std::int64_t distance = place_in_order(f, got) - place_in_order(f, expected);
  return fmt::format("{:+} ULP", distance);
}

}  // namespace sim::cli
