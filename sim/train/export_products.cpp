// SPDX-License-Identifier: Apache-2.0
// sim/train/export_products.cpp: mx_export_products [--results NUMBERS] STUDY FILE [KEY=VALUE...]:
// warms up the study's policy, and writes the codes of all products of layer 0 in the first step of
// its arm `mxfp4`; to NUMBERS, the operands before quantization and the results.
#include <algorithm>
#include <cstdio>

#include "sim/pretrained/starting_policy.h"
#include "sim/study/study_file.h"
#include "sim/task/problem_file.h"
#include "sim/train/step_products.h"
#include "sim/train/warm_up.h"

namespace {

std::vector<sim::coded_products> products_of(const std::string& study_file,
                                             const std::vector<std::string>& overrides) {
  sim::study read = sim::read_study(study_file, overrides);
  sim::load_problems(read);
  sim::load_policy(read);
  const sim::setting s(read);
  const auto arm = std::ranges::find(s.constants.arms, "mxfp4", &sim::arm::name);
  if (arm == s.constants.arms.end()) throw std::invalid_argument("the study has no arm mxfp4");
  return sim::step_products(s, *arm, sim::start_of_grpo(sim::warmed_up_policy(s).weights), 0);
}

/// STUDY FILE [KEY=VALUE...]
///   results  a file for numbers and results; empty: none
void export_products(const std::string& results, const std::vector<std::string>& words) {
  const auto products = products_of(words[0], {words.begin() + 2, words.end()});
  sim::save_products(words[1], products);
  if (!results.empty()) sim::save_results(results, products);
}

}  // namespace

int main(int count, char** words) {
  std::vector<std::string> given(words + 1, words + count);
  std::string results;
  if (given.size() > 2 && given[0] == "--results") {
    results = given[1];
    given.erase(given.begin(), given.begin() + 2);
  }
  if (given.size() < 2) {
    std::fputs("usage: mx_export_products [--results NUMBERS] STUDY FILE [KEY=VALUE...]\n", stderr);
    return 2;
  }
  try {
    export_products(results, given);
    return 0;
  } catch (const std::exception& e) {
    std::fprintf(stderr, "mx_export_products: error: %s\n", e.what());
    return 2;
  }
}
