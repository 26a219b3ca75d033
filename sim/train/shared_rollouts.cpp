// SPDX-License-Identifier: Apache-2.0
// sim/train/shared_rollouts.cpp: see shared_rollouts.h.
#include "sim/train/shared_rollouts.h"

#include "sim/ranks/packed_values.h"

namespace sim {
namespace {

/// Responses to this rank's share of the prompts, with the random numbers of their places.
std::vector<rollout> own_responses(const setting& s, const pass_products& products,
                                   const forward_weights& prepared,
                                   std::span<const sequence> prompts, sampling how) {
  const piece own = own_piece(s.ranks, static_cast<int>(prompts.size()));
  std::vector<int> places;
  for (int i = own.first; i < own.first + own.count; ++i) {
    places.push_back(how.places.empty() ? i : how.places[static_cast<std::size_t>(i)]);
  }
  how.places = std::move(places);
  return sample_responses(
      s.context(products), prepared,
      prompts.subspan(static_cast<std::size_t>(own.first), static_cast<std::size_t>(own.count)),
      how);
}

std::string packed(const std::vector<rollout>& rollouts) {
  packed_values values;
  for (const rollout& r : rollouts) {
    values.put(std::span(&r.tokens.prompt, 1));
    values.put(r.tokens.tokens);
    values.put(r.log_probability);
    values.put(r.entropy);
    values.put(r.log_distributions);
  }
  return values.bytes();
}

void append_unpacked(std::string_view bytes, std::vector<rollout>& to) {
  unpacked_values values(bytes);
  while (values.any_left()) {
    rollout& r = to.emplace_back();
    r.tokens.prompt = values.take<int>().front();
    r.tokens.tokens = values.take<int>();
    r.log_probability = values.take<float>();
    r.entropy = values.take<float>();
    r.log_distributions = values.take<float>();
  }
}

}  // namespace

std::vector<rollout> shared_responses(const setting& s, const pass_products& products,
                                      const forward_weights& prepared,
                                      std::span<const sequence> prompts, const sampling& how) {
  std::vector<rollout> own = own_responses(s, products, prepared, prompts, how);
  if (s.ranks.size() == 1) return own;
  std::vector<rollout> all;
  for (const std::string& bytes : s.ranks.gather(packed(own))) append_unpacked(bytes, all);
  return all;
}

std::vector<bool> shared_answers(const setting& s, const pass_products& products,
                                 const forward_weights& prepared, std::span<const sequence> prompts,
                                 const sampling& how) {
  std::vector<std::uint8_t> own;
  for (const rollout& r : own_responses(s, products, prepared, prompts, how)) {
    own.push_back(s.task->solved(r.tokens) ? 1 : 0);
  }
  const std::vector<std::uint8_t> all = gathered(s.ranks, std::move(own));
  return {all.begin(), all.end()};
}

}  // namespace sim
