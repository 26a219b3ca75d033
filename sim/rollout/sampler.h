// SPDX-License-Identifier: Apache-2.0
// sim/rollout/sampler.h: rollouts with a key-value cache. Tokens are drawn by the Gumbel-max trick
// at temperature 1 with random numbers keyed by prompt, sample, position and token, so all arms of
// a study share them and stay coupled until their policies truly differ.
#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "sim/policy/layer_rows.h"
#include "sim/task/sequence.h"

namespace sim {

/// A sampled response, with the sampling policy's figures for each of its tokens.
struct rollout {
  sequence tokens;
  std::vector<float> log_probability;
  std::vector<float> entropy;            ///< of each distribution, in nats
  std::vector<float> log_distributions;  ///< of each token over the vocabulary, where kept
};

/// sampled: one draw from the policy; greedy: the likeliest token. Ties go to the lower id.
enum class decoding : std::uint8_t { sampled, greedy };

/// What a rollout keeps of the distributions that its tokens were drawn from.
enum class kept_figures : std::uint8_t { of_tokens, distributions };

struct sampling {
  decoding how = decoding::sampled;
  int samples = 1;            ///< of each prompt
  std::uint64_t key = 0;      ///< the study's seed
  std::uint32_t counter = 0;  ///< first counter word (random_streams.h)
  int response_limit = 0;     ///< tokens; a response cut off there is kept
  kept_figures keep = kept_figures::of_tokens;
  std::uint32_t first_index = 0;  ///< of a prompt's counter word: it is this and the prompt's place
  std::vector<int> places = {};   ///< of the prompts in their batch, ascending; empty: 0, 1, ...
  int end = token::end;           ///< the token that ends a response
};

/// Responses to all prompts, which may differ in length, prompt by prompt, sample by sample. A
/// response ends with the end-of-sequence token, or at the limit. Random bits of quantization:
/// sample j of a prompt at place i is sequence i * samples + j; all samples share the prompt's
/// tokens, with the first one's bits.
[[nodiscard]] std::vector<rollout> sample_responses(const forward_context& context,
                                                    const forward_weights& weights,
                                                    std::span<const sequence> prompts,
                                                    const sampling& how);

}  // namespace sim
