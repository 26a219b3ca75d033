// SPDX-License-Identifier: Apache-2.0
// kernels/verify/main.cpp: every kernel on the current device against the emulator's core and
// golden's words and blocks, byte by byte; then its speed.
#include <iostream>
#include <string>

#include "../bench/benches.h"
#include "../bench/measures.h"
#include "device_backend.h"
#include "device_memory.h"
#include "full_size_products.h"
#include "graph_cases.h"
#include "program.h"
#include "refusals.h"

namespace {

namespace mxk = mx::kernels;

/// Number of wrong answers, which are printed.
int wrong_answers(const std::vector<mxk::refusal>& requests, std::ostream& out) {
  int wrong = 0;
  for (const mxk::refusal& r : requests) {
    if (r.is_right()) continue;
    ++wrong;
    out << r.what << ": " << mxk::sentence_of(r.answer) << "\n";
  }
  out << requests.size() << " requests to refuse, " << wrong << " answered otherwise" << std::endl;
  return wrong;
}

/// Without a device, also that the launchers report that.
int wrong_refusals(std::ostream& out) {
  int wrong = wrong_answers(mxk::refused_requests(), out);
  if (!mxk::device_absence().empty()) {
    wrong += wrong_answers(mxk::requests_without_a_device(), out);
  }
  return wrong;
}

/// The figures of a measure; if it cannot run here, the reason in place of a figure.
std::vector<mxk::figure> figures_or_reason(const std::string& name) {
  try {
    return mxk::figures_of(name);
  } catch (const mxk::not_measurable& why) {
    return {{name, {}, "", why.what(), {}}};
  }
}

mxk::device_layer current_device() {
  mxk::device_layer device{
      mxk::device_absence,
      mxk::device_in_use_now,
      wrong_refusals,
      {mxk::results_of_device, mxk::product_of_device, mxk::corrected_product_of_device,
       mxk::values_of_device, mxk::groups_of_device},
      mxk::full_size_cases(),
      {},
      figures_or_reason,
      mxk::device_memory};
  for (const auto& one : mxk::graph_cases()) device.own_cases.push_back(one);
  for (const mxk::measure& m : mxk::measures) device.measures.emplace_back(m.name);
  return device;
}

}  // namespace

int main(int count, char** words) {
  return mxk::run_program("/proc/self/exe", {words + 1, words + count}, current_device());
}
