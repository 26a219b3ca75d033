// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/trace_json.cpp: the steps of one dot product as JSON: codes as numbers, exact
// values as text.
#include <fmt/format.h>

#include "mx/dot/alignment.h"
#include "mx/number/element.h"
#include "sim/cli/products/trace_text.h"
#include "sim/cli/terminal/exact_text.h"

namespace sim::cli {
namespace {

ordered_json code_json(const mx::format& f, std::uint32_t code) {
  const mx::unpacked value = mx::decode(f, code);
  return {{"bits", fmt::format("0x{:0{}X}", code, (f.width() + 3) / 4)},
          {"value", json_number(static_cast<double>(mx::to_binary32(value)))},
          {"exact", fraction_text(value)}};
}

/// null: no term has an exponent.
ordered_json exponent_json(int exponent) {
  return exponent == mx::no_exponent ? ordered_json() : ordered_json(exponent);
}

ordered_json term_json(const mx::term_record& t) {
  ordered_json json{{"exact", fraction_text(t.exact)},
                    {"aligned", fraction_text(t.aligned)},
                    {"lost", fraction_text(t.lost)}};
  json["exponent"] = exponent_json(t.exponent);
  if (t.why != mx::loss::nothing) json["why"] = words_of(t.why);
  return json;
}

ordered_json terms_json(const dot_file& words, const dot_step& step) {
  ordered_json terms = ordered_json::array();
  for (std::size_t i = 0; i < step.terms.size(); ++i) {
    ordered_json term = term_json(step.terms[i]);
    if (step.of_products) {
      const mx::term_place place = place_of(words.model, step, static_cast<int>(i));
      term["k"] = {place.first, place.last};
    }
    terms.push_back(std::move(term));
  }
  return terms;
}

ordered_json step_json(const dot_file& words, const dot_step& step) {
  const bool products = step.of_products;
  ordered_json json{{"adds", products ? "products" : "sums"}};
  if (products) json["first_k"] = step.first_k;
  if (has_window(words, step)) {
    json["largest_exponent"] = exponent_json(step.largest_exponent);
    json["window_unit"] = exponent_json(step.window_unit);
  }
  if (step.why != mx::loss::special) {
    json["terms"] = terms_json(words, step);
    if (step.has_addend) json["addend"] = term_json(step.addend);
    json["late"] = json_array(step.late, [](const mx::unpacked& x) { return fraction_text(x); });
  }
  json["sum"] = fraction_text(step.sum);
  json["discarded"] = fraction_text(step.discarded);
  json["why"] = words_of(step.why);
  json["result"] = code_json(words.model.sum.result, step.result);
  return json;
}

}  // namespace

ordered_json trace_json(const dot_file& words, const dot_trace& trace) {
  const mx::format& f = words.model.sum.result;
  const dot_word& w = trace.word;
  ordered_json json{{"index", trace.vector}, {"result", code_json(f, trace.result)}};
  if (trace.has_expected) {
    json["expected"] = code_json(f, trace.expected);
    json["distance"] = distance_text(f, trace.expected, trace.result);
  }
  json["a"] = w.a;
  json["b"] = w.b;
  if (words.scales > 0) {
    json["scale_a"] = w.scale_a;
    json["scale_b"] = w.scale_b;
  }
  json["c"] = code_json(format_of_c(words.model.sum), w.c);
  const std::string special = special_operands(words, trace);
  if (!special.empty()) json["special_operands"] = special;
  json["step_count"] = trace.count;
  json["steps"] =
      json_array(trace.steps, [&](const dot_step& step) { return step_json(words, step); });
  return json;
}

}  // namespace sim::cli
