// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_junit.cpp: a diagnosis as JUnit XML: one test case a tensor.
#include "sim/cli/verify/junit_text.h"
#include "sim/cli/verify/verify_report.h"

namespace sim::cli {

namespace gv = golden::validator;

std::string report_junit(const gv::diagnosis& d, const std::string& output) {
  std::vector<junit_case> cases;
  for (std::size_t k = 0; k < d.tensors.size(); ++k) {
    cases.push_back({"mxprism.verify", d.tensors[k].name, {}});
    if (!d.tensors[k].differs()) continue;
    const gv::failure_words why = gv::failure_of(d, k);
    cases.back().failure = {std::string(name_of(d.verdict)), why.message, why.details};
  }
  return junit_text("mxprism verify " + output, cases);
}

}  // namespace sim::cli
