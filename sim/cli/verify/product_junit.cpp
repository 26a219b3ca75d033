// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_junit.cpp: a product's diagnosis as JUnit XML.
#include "sim/cli/verify/junit_text.h"
#include "sim/cli/verify/product_report.h"

namespace sim::cli {
namespace {

namespace validator = golden::validator;

junit_case words_case(const product_diagnosis& d) {
  const std::string words = d.declared ? std::string(d.declared_model()->entry->name) : "any model";
  junit_case one{"mxprism.verify.gemm", "words of " + words, {}};
  if (d.verdict == validator::verdict::exact) return one;
  const validator::failure_words why = validator::words_failure_of(d);
  one.failure = {std::string(name_of(d.verdict)), why.message, why.details};
  return one;
}

junit_case bound_case(const product_diagnosis& d) {
  const std::string name = "bound of the class of " + std::string(d.bound->entry->name);
  junit_case one{"mxprism.verify.gemm", name, {}};
  if (d.bound->errors.exceeded == 0) return one;
  const validator::failure_words why = validator::bound_failure_of(d);
  one.failure = {"bound", why.message, why.details};
  return one;
}

}  // namespace

std::string junit_of(const product_diagnosis& d) {
  std::vector<junit_case> cases{words_case(d)};
  if (d.bound) cases.push_back(bound_case(d));
  return junit_text("mxprism verify --gemm " + d.name, cases);
}

}  // namespace sim::cli
