// SPDX-License-Identifier: Apache-2.0
// sim/train/export_products.cpp: mx_export_products STUDY FILE [KEY=VALUE...]: warms up the study's
// policy, and writes the codes of all products of layer 0 in the first step of its arm `mxfp4`.
#include <algorithm>
#include <cstdio>

#include "sim/study/study_file.h"
#include "sim/train/step_products.h"
#include "sim/train/warm_up.h"

namespace {

void export_products(const std::string& study_file, const std::string& to,
                     const std::vector<std::string>& overrides) {
  const sim::setting s(sim::read_study(study_file, overrides));
  const auto arm = std::ranges::find(s.constants.arms, "mxfp4", &sim::arm::name);
  if (arm == s.constants.arms.end()) throw std::invalid_argument("the study has no arm mxfp4");
  sim::training_state fresh;
  fresh.weights = sim::warmed_up_policy(s).weights;
  sim::save_products(to, sim::step_products(s, *arm, fresh, 0));
}

}  // namespace

int main(int count, char** words) {
  if (count < 3) {
    std::fputs("usage: mx_export_products STUDY FILE [KEY=VALUE...]\n", stderr);
    return 2;
  }
  try {
    export_products(words[1], words[2], {words + 3, words + count});
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mx_export_products: %s\n", e.what());
    return 1;
  }
}
