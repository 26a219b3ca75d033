// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_junit.cpp: a verdict on a product as JUnit XML.
#include <fmt/format.h>

#include "sim/cli/verify/junit_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

namespace validator = golden::validator;

std::string why_text(const product_verdict& verdict) {
  return verdict.explanations.empty() ? "unexplained"
                                      : explanation_text(verdict.explanations.front());
}

/// Failure of the bits: against the declared model, or against every model.
junit_failure words_failure(const product_inputs& in, const product_verdict& verdict) {
  const std::size_t expected = expected_of(in.judged(), verdict);
  const validator::product_comparison& c = verdict.comparisons[expected];
  const std::string head =
      in.declared ? fmt::format("{} of {} elements differ", c.numbers + c.nan_codes, in.d.size())
                  : std::string("no model computes every element");
  return {std::string(name_of(verdict.kind)), head + "; " + why_text(verdict),
          fmt::format("({}, {}): {} says {}, D has {}", c.first->row, c.first->column,
                      in.candidates[expected].entry->name, word_text(in.output, c.first->expected),
                      word_text(in.output, c.first->found))};
}

junit_failure bound_failure(const product_inputs& in, const validator::class_bound& bound) {
  const validator::bound_breach& b = *bound.errors.first;
  const std::string head = fmt::format("{} of {} elements exceed the bound of the class",
                                       bound.errors.exceeded, bound.errors.elements);
  std::string body =
      fmt::format("({}, {}): D has {}", b.row, b.column, word_text(in.output, b.found));
  if (!b.error.empty()) body += fmt::format("; error {}, bound {}", b.error, b.bound);
  return {"bound", head, body};
}

}  // namespace

std::string junit_of(const product_inputs& in, const product_verdict& verdict) {
  const std::string words =
      in.declared ? std::string(in.candidates[*in.declared].entry->name) : "any model";
  std::vector<junit_case> cases{{"mxprism.verify.gemm", "words of " + words, {}}};
  if (verdict.kind != golden::validator::verdict::exact)
    cases[0].failure = words_failure(in, verdict);
  if (verdict.bound) {
    junit_case bound{"mxprism.verify.gemm",
                     fmt::format("bound of the class of {}", verdict.bound->entry->name),
                     {}};
    if (verdict.bound->errors.exceeded > 0) bound.failure = bound_failure(in, *verdict.bound);
    cases.push_back(std::move(bound));
  }
  return junit_text("mxprism verify --gemm " + in.kernel_out, cases);
}

}  // namespace sim::cli
