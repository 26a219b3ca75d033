// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/trace_text.cpp: the steps of one dot product as text to compare with the signals
// of a design.
#include "sim/cli/products/trace_text.h"

#include <fmt/format.h>

#include <algorithm>

#include "mx/block/names.h"
#include "mx/dot/alignment.h"
#include "mx/number/element.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/exact_text.h"

namespace sim::cli {
namespace {

/// Most rows of a list that are printed; --json has all.
constexpr std::size_t most_rows = 256;

std::string left_out(std::size_t count) {
  return count <= most_rows
             ? ""
             : fmt::format("    and {} more (--json lists them)\n", count - most_rows);
}

/// A line without trailing blanks.
std::string line(std::string text) { return text.erase(text.find_last_not_of(' ') + 1) + "\n"; }

/// "0x3F800000"
std::string code_text(int width, std::uint32_t code) {
  return fmt::format("0x{:0{}X}", code, (width + 3) / 4);
}

/// "0x3F 1.5": a code of an operand and its value.
std::string valued(const mx::format& f, std::uint32_t code, int unread) {
  return fmt::format("{} {}", code_text(f.width() + unread, code),
                     decimal_text(mx::decode(f, code >> unread)));
}

/// "0x3F800000, 0 01111111 000..., 1"
std::string result_text(const mx::format& f, std::uint32_t code) {
  const std::string bits = binary_text(code, f.width());
  const auto exponent = static_cast<std::size_t>(f.exponent_bits);
  const mx::unpacked value = mx::decode(f, code);
  const std::string exact = fraction_text(value), decimal = decimal_text(value);
  return fmt::format("{}  {} {} {}  {}{}", code_text(f.width(), code), bits.substr(0, 1),
                     bits.substr(1, exponent), bits.substr(1 + exponent), decimal,
                     exact == decimal ? "" : " = " + exact);
}

/// A number of 62 bits may be the leading part of a longer one.
std::string sticky_text(const mx::unpacked& x) {
  return mx::bit_width(x.significand) == 62 ? "  (its last bit is sticky)" : "";
}

std::string lost_text(const mx::term_record& t) {
  if (t.why == mx::loss::nothing) return "";
  return fmt::format("cut off {}{}: {}", fraction_text(t.lost), sticky_text(t.lost),
                     words_of(t.why));
}

std::string term_line(const std::string& name, const mx::term_record& t, bool window) {
  if (!window) return fmt::format("    {:<14}{}\n", name, fraction_text(t.exact));
  const bool silent = t.exponent <= mx::no_exponent;
  return line(fmt::format("    {:<14}{:>8}  {:<26}{:<26}{}", name,
                          silent ? "none" : std::to_string(t.exponent), fraction_text(t.exact),
                          fraction_text(t.aligned), lost_text(t)));
}

std::string term_name(const dot_file& words, const dot_step& step, int term) {
  const mx::term_place place = place_of(words.model, step, term);
  if (place.first == place.last) return fmt::format("k {}", place.first);
  return fmt::format("k {} to {}", place.first,
                     std::min(place.last, static_cast<int>(words.k) - 1));
}

std::string operands_text(const dot_file& words, const dot_trace& trace) {
  const mx::dot_model& m = words.model;
  const dot_word& w = trace.word;
  const auto block = static_cast<std::size_t>(m.block);
  std::string text =
      fmt::format("  operands\n    {:<8}{:<26}{}\n", "k", "a in " + number_format_name(m.a),
                  "b in " + number_format_name(m.b));
  for (std::size_t k = 0; k < std::min(w.a.size(), most_rows); ++k) {
    if (words.scales > 0 && k % block == 0) {
      text += fmt::format("    {:<8}{:<26}{}\n", fmt::format("scale {}", k / block),
                          valued(m.scale, w.scale_a[k / block], 0),
                          valued(m.scale, w.scale_b[k / block], 0));
    }
    text += fmt::format("    {:<8}{:<26}{}\n", k, valued(m.a, w.a[k], m.unread_bits),
                        valued(m.b, w.b[k], m.unread_bits));
  }
  return text + left_out(w.a.size()) +
         fmt::format("    {:<8}{}\n", "c", result_text(format_of_c(m.sum), w.c));
}

/// Name of what is added to the terms of a step: C, or an earlier result.
std::string addend_name(const dot_file& words, const dot_trace& trace, std::size_t number) {
  const mx::accumulation& how = words.model.sum;
  bool is_c = number == 0;
  if (how.addend == mx::addend::after_span) {
    const auto before = trace.steps.begin() + static_cast<std::ptrdiff_t>(number);
    const bool last = number + 1 == trace.count;
    const bool first_addition = std::all_of(trace.steps.begin(), before,
                                            [&](const dot_step& step) { return step.of_products; });
    is_c = !trace.steps[number].of_products &&
           (how.joining == mx::joining::pairwise ? last : first_addition);
  }
  return is_c ? "c" : "sum so far";
}

/// The lines of a step's terms; padding zeros share one.
std::string product_lines(const dot_file& words, const dot_step& step) {
  const bool window = has_window(words, step), products = step.of_products;
  std::string text;
  int filled = 0;
  const std::size_t shown = std::min(step.terms.size(), most_rows);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto term = static_cast<int>(i);
    const bool real =
        !products || place_of(words.model, step, term).first < static_cast<int>(words.k);
    if (!real) {
      ++filled;
      continue;
    }
    text +=
        term_line(products ? term_name(words, step, term) : "sum of steps", step.terms[i], window);
  }
  if (filled > 0) text += fmt::format("    zeros that fill the step: {}\n", filled);
  return text + left_out(step.terms.size());
}

std::string terms_text(const dot_file& words, const dot_trace& trace, std::size_t number) {
  const dot_step& step = trace.steps[number];
  const bool window = has_window(words, step);
  std::string text;
  if (window) {
    text += line(fmt::format("    {:<14}{:>8}  {:<26}{}", "", "exponent", "exact", "aligned"));
  }
  text += product_lines(words, step);
  if (step.has_addend) text += term_line(addend_name(words, trace, number), step.addend, window);
  for (const mx::unpacked& late : step.late) {
    if (late.is_zero()) continue;
    text +=
        fmt::format("    cut off after the window: {}{}\n", fraction_text(late), sticky_text(late));
  }
  return text;
}

/// The sum before rounding.
std::string sum_text(const dot_file& words, const dot_step& step) {
  const bool exact = words.model.sum.alignment == mx::alignment::exact || !step.of_products;
  return fmt::format("    sum         {}{}\n", fraction_text(step.sum),
                     exact ? sticky_text(step.sum) : "");
}

std::string step_text(const dot_file& words, const dot_trace& trace, std::size_t number) {
  const dot_step& step = trace.steps[number];
  const mx::accumulation& how = words.model.sum;
  const bool products = step.of_products;
  std::string text = fmt::format("  step {} of {}: {}", number + 1, trace.count,
                                 products ? fmt::format("products from k {} on", step.first_k)
                                          : std::string("an addition, rounded to nearest even"));
  if (step.why == mx::loss::special) {
    return text + fmt::format("\n    {}: {}\n    result      {}\n", words_of(step.why),
                              special_operands(words, trace), result_text(how.result, step.result));
  }
  if (has_window(words, step)) {
    text += step.largest_exponent == mx::no_exponent
                ? "; largest exponent none, no window"
                : fmt::format("; largest exponent {}, the window ends with 2^{}",
                              step.largest_exponent, step.window_unit);
  }
  text += "\n" + terms_text(words, trace, number);
  text += sum_text(words, step);
  if (step.why != mx::loss::nothing) {
    text +=
        fmt::format("    discarded   {}: {}\n", fraction_text(step.discarded), words_of(step.why));
  }
  return text + fmt::format("    result      {}  {}\n", result_text(how.result, step.result),
                            products ? mx::name_in(mx::rounding_table, how.rounding)
                                     : std::string_view("nearest-even"));
}

}  // namespace

std::string trace_text(const dot_file& words, const dot_trace& trace) {
  const mx::format& f = words.model.sum.result;
  std::string text = fmt::format("word {}: the model gives\n  result    {}\n", trace.vector,
                                 result_text(f, trace.result));
  if (trace.has_expected) {
    const std::string distance = distance_text(f, trace.expected, trace.result);
    const bool same = trace.expected == trace.result;
    text += fmt::format(
        "  file's d  {}  {}\n", result_text(f, trace.expected),
        same ? "the same" : "differs" + (distance.empty() ? "" : "; result - d = " + distance));
  }
  text += operands_text(words, trace);
  for (std::size_t i = 0; i < trace.steps.size(); ++i) text += step_text(words, trace, i);
  if (trace.count > trace.steps.size()) {
    text += fmt::format("  and {} more steps (--steps N shows more)\n",
                        trace.count - trace.steps.size());
  }
  return text;
}

}  // namespace sim::cli
