// SPDX-License-Identifier: Apache-2.0
// tests/train/step_hash_test.cpp: step_hash of sim/train/trainer.h.
#include <set>

#include "catch.h"
#include "sim/train/trainer.h"

namespace {

struct hashed {
  sim::training_state state;
  sim::rollout_step step;
};

hashed example() {
  hashed h;
  h.state.weights = {1.0F, 0.0F, -2.0F};
  h.state.optimizer.m = {0.5F, 0.25F, 0.125F};
  h.state.optimizer.v = {0.5F, 0.25F, 0.125F};
  h.step.rewards = {1.0F, 0.0F};
  for (const sim::token_id token : {3, 4}) {
    sim::rollout r;
    r.tokens.tokens = {1, 2, token, 13};
    r.tokens.prompt = 2;
    h.step.rollouts.push_back(r);
  }
  return h;
}

std::string hash_of(const hashed& h) { return sim::step_hash(h.state, h.step); }

TEST_CASE("the_hash_is_64_hexadecimal_digits_and_repeats") {
  const std::string hash = hash_of(example());
  CHECK(hash.size() == 64);
  CHECK(hash.find_first_not_of("0123456789abcdef") == std::string::npos);
  CHECK(hash_of(example()) == hash);
}

TEST_CASE("the_hash_of_nothing_is_that_of_the_empty_message") {
  // FIPS 180-4; the known answer for the empty message.
  CHECK(hash_of({}) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}

TEST_CASE("a_change_in_any_part_changes_the_hash") {
  std::set<std::string> hashes{hash_of(example())};
  const auto change = [&](const auto& how) {
    hashed h = example();
    how(h);
    hashes.insert(hash_of(h));
  };
  change([](hashed& h) { h.state.weights[1] = -0.0F; });  // bits, not values
  change([](hashed& h) { h.state.weights[2] = -2.0000002F; });
  change([](hashed& h) { h.state.optimizer.m[0] = 0.5000001F; });
  change([](hashed& h) { h.state.optimizer.v[2] = 0; });
  change([](hashed& h) { h.step.rewards[1] = 1.0F; });
  change([](hashed& h) { std::swap(h.step.rewards[0], h.step.rewards[1]); });
  change([](hashed& h) { h.step.rollouts[1].tokens.tokens[2] = 5; });
  change([](hashed& h) { std::swap(h.step.rollouts[0], h.step.rollouts[1]); });
  change([](hashed& h) { h.step.rollouts.pop_back(); });
  change([](hashed& h) { h.step.rollouts[1].tokens.tokens.pop_back(); });
  CHECK(hashes.size() == 11);
}

}  // namespace
