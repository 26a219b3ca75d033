// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_junit.cpp: a diagnosis as JUnit XML: one test case a tensor.
#include <fmt/format.h>

#include "sim/cli/verify/junit_text.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {
namespace {

namespace gv = golden::validator;

bool differs(const gv::tensor_result& r) { return !r.fits || !r.found.is_exact(); }

junit_failure failure(const verified& v, std::size_t k) {
  const std::string why =
      v.found.explanation ? changes_text(*v.found.explanation) : std::string("unexplained");
  return {std::string(name_of(v.found.verdict)),
          fmt::format("{} elements differ; {}", mismatches_of(v, k), why),
          k == first_differing(v) ? first_text(v) : why};
}

}  // namespace

std::string report_junit(const verified& v) {
  std::vector<junit_case> cases;
  for (std::size_t k = 0; k < v.found.tensors.size(); ++k) {
    junit_case one{"mxprism.verify", v.files.subjects[k].name, {}};
    if (differs(v.found.tensors[k])) one.failure = failure(v, k);
    cases.push_back(std::move(one));
  }
  return junit_text("mxprism verify " + v.files.output.path(), cases);
}

}  // namespace sim::cli
