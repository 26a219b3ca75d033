// SPDX-License-Identifier: Apache-2.0
// sim/train/equal_ranks.cpp: see equal_ranks.h.
#include "sim/train/equal_ranks.h"

#include <algorithm>

#include "golden/io/file.h"
#include "sim/ranks/agreement_of_ranks.h"
#include "sim/study/sha256.h"
#include "sim/study/study_file.h"
#include "sim/train/shared_gradient.h"

namespace sim {
namespace {

/// SHA-256 of the program that this process runs.
std::string program_hash() {
  const golden::io::mapped_file program("/proc/self/exe");
  sha256 hash;
  hash.add(program.bytes());
  return hash.hexadecimal();
}

/// A number of sequences whose gradient is computed at once, and those of one product of wgrad.
struct batch_size {
  std::string name;
  int sequences, in_product;
};

/// The batch with the fewest groups.
batch_size smallest_batch(const study& s) {
  const int rollouts = s.grpo.prompts * s.grpo.samples;
  std::vector<batch_size> sizes{{"measurement", rollouts, 1}};
  if (s.warm_up.steps > 0) sizes.push_back({"warm-up", s.warm_up.sequences, 1});
  const int update = rollouts / s.grpo.minibatches;
  for (const arm& a : s.arms) {
    if (a.training == arm_training::none) continue;
    sizes.push_back({"arm '" + a.name + "'", update, a.formats.wgrad.sequences});
  }
  return *std::ranges::min_element(
      sizes, {}, [](const batch_size& b) { return groups_of(b.sequences, b.in_product); });
}

}  // namespace

void expect_equal_programs(const rank_group& ranks) {
  if (ranks.size() == 1) return;
  expect_equal(ranks, "program (SHA-256)", program_hash(), "start the same build on every rank");
}

void expect_equal_ranks(const rank_group& ranks, const study& s, int last_step) {
  if (ranks.size() == 1) return;
  expect_equal_programs(ranks);
  expect_equal(ranks, "study (hash)", study_hash(s),
               "give every rank the same study and overrides");
  expect_equal(ranks, "last step", std::to_string(last_step), "give every rank the same --steps");
  const batch_size least = smallest_batch(s);
  const int groups = groups_of(least.sequences, least.in_product);
  if (ranks.size() <= groups) return;
  throw rank_error(
      "{} ranks, but the {} sequences of a batch of the {} make {} groups that ranks can share; "
      "start at most {}",
      ranks.size(), least.sequences, least.name, groups, groups);
}

}  // namespace sim
