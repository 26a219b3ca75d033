// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_progress.cpp: the decision, and the times.
#include "case_progress.h"

namespace mx::kernels {

bool case_progress::begins(const std::string& name, const std::string& kernel) {
  if (log_.has(group_, name)) return false;
  if (log_.breakdowns(group_, kernel) >= 2) {
    log_.leave_out(group_, name, kernel, "this kernel broke down twice in this group");
    return false;
  }
  if (log_.timeouts(kernel) >= 3) {
    log_.leave_out(group_, name, kernel, "this kernel ran into the time limit three times");
    return false;
  }
  log_.begin(group_, name, kernel);
  began_ = std::chrono::steady_clock::now();
  watch_.begin();
  return true;
}

void case_progress::ends(outcome result, const std::string& detail) {
  watch_.end();
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - began_;
  log_.end(result, seconds.count(), detail);
}

}  // namespace mx::kernels
