// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_grpo.cpp: loss and slopes of an update of GRPO as a program: reads from the
// standard input, as text,
//   AGGREGATION KL_COEFFICIENT RATIO_LOW RATIO_HIGH DUAL_CLIP IMPORTANCE_CAP LIMIT SEQUENCES
// with a cap of 0 for no correction, and for each sequence
//   ADVANTAGE TOKENS, and for each token log p, of the old policy, of the reference, of the rollout
// and writes the loss, the mean k3 of its tokens, and d loss / d log p of each token.
#include <cstdio>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/study/study_words.h"
#include "sim/train/grpo.h"
#include "sim/train/kl_term.h"
#include "sim/train/loss_aggregation.h"

namespace {

struct token {
  float now, old, reference, rollout;
};

struct scored_sequence {
  float advantage = 0;
  std::vector<token> tokens;
};

struct update {
  sim::grpo_constants constants;
  float cap = 0;
  int limit = 0;
  std::vector<scored_sequence> sequences;
};

sim::loss_aggregation aggregation_named(const std::string& name) {
  for (const auto& w : sim::aggregation_words) {
    if (w.text == name) return w.value;
  }
  throw std::invalid_argument("no aggregation " + name);
}

update read_update() {
  update u;
  std::string aggregation;
  std::size_t sequences = 0;
  sim::grpo_constants& c = u.constants;
  std::cin >> aggregation >> c.kl_coefficient >> c.ratio_low >> c.ratio_high >> c.dual_clip >>
      u.cap >> u.limit >> sequences;
  c.aggregation = aggregation_named(aggregation);
  for (std::size_t i = 0; i < sequences; ++i) {
    scored_sequence& s = u.sequences.emplace_back();
    std::size_t tokens = 0;
    std::cin >> s.advantage >> tokens;
    for (token& t : s.tokens = std::vector<token>(tokens)) {
      std::cin >> t.now >> t.old >> t.reference >> t.rollout;
    }
  }
  if (!std::cin)
    throw std::invalid_argument("the input ends early, or has a word that is no number");
  return u;
}

std::vector<sim::sequence> shapes_of(const update& u) {
  std::vector<sim::sequence> result;
  for (const scored_sequence& s : u.sequences) {
    result.push_back({std::vector<sim::token_id>(s.tokens.size()), 0});
  }
  return result;
}

void write_update(const update& u) {
  const sim::grpo_constants& c = u.constants;
  const std::vector<float> share = sim::token_shares(shapes_of(u), c.aggregation, u.limit);
  sim::aggregated_value loss(c.aggregation, u.limit),
      kl(sim::loss_aggregation::token_mean, u.limit);
  std::vector<float> slopes;
  for (std::size_t i = 0; i < u.sequences.size(); ++i) {
    const scored_sequence& s = u.sequences[i];
    loss.begin(static_cast<int>(s.tokens.size()));
    kl.begin(static_cast<int>(s.tokens.size()));
    for (const token& t : s.tokens) {
      const float ratio = sim::policy_ratio(t.now, t.old),
                  l = sim::reference_log_ratio(t.now, t.reference),
                  weight = u.cap == 0 ? 1 : sim::importance_weight(t.old, t.rollout, u.cap);
      const double k3 = sim::kl_estimate(sim::kl_estimator::k3, l);
      kl.take(k3);
      loss.take(double{c.kl_coefficient} * k3 -
                double{weight} * sim::clipped_objective(ratio, s.advantage, c));
      const float objective = weight * sim::clipped_slope(ratio, s.advantage, c),
                  restraint = c.kl_coefficient * sim::kl_slope(sim::kl_estimator::k3, l);
      slopes.push_back(-share[i] * (objective - restraint));
    }
  }
  std::printf("%.17g %.17g\n", loss.value(), kl.value());
  for (const float slope : slopes) std::printf("%.9g\n", double{slope});
}

}  // namespace

int main() {
  try {
    write_update(read_update());
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "oracle_grpo: %s\n", error.what());
    return 2;
  }
}
