// SPDX-License-Identifier: Apache-2.0
// sim/study/policy_family.h: families of decoders, each as what its layers have. All are pre-norm
// decoders with grouped queries, rotary positions of pairs (j, j + head_width / 2) and a gated
// feed-forward part (SwiGLU), or several of them; a family names its parameters as Hugging Face
// does.
// Source: config.json and modeling_{llama,qwen2,qwen3,qwen3_moe}.py of huggingface/transformers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sim {

enum class policy_family : std::uint8_t { llama, qwen2, qwen3, qwen3_moe };

/// The matrix that logits are computed with: the embedding, or `lm_head.weight`.
enum class output_head : std::uint8_t { embedding, own };

/// What the layers of a family have beside their linears.
///   name       in studies, and as `model_type` of config.json
///   qkv_bias   added to the outputs of q, k and v, before norms and rotation
///   qk_norm    RMSNorm of each head of q and of k, before the rotation
///   experts    the feed-forward part is a mixture: a router sends each token to some of them
struct family_features {
  policy_family family;
  std::string_view name;
  bool qkv_bias, qk_norm, experts;
};

inline constexpr std::array families{
    family_features{policy_family::llama, "llama", false, false, false},
    family_features{policy_family::qwen2, "qwen2", true, false, false},
    family_features{policy_family::qwen3, "qwen3", false, true, false},
    family_features{policy_family::qwen3_moe, "qwen3_moe", false, true, true}};

/// What a token's chosen experts are weighted with: their probabilities over the sum of these
/// (`norm_topk_prob` of config.json), or their probabilities.
enum class expert_weights : std::uint8_t { over_chosen, over_all };

/// The experts of a layer.
///   chosen   of a token: the likeliest ones; of equal ones those of lower index
struct expert_mixture {
  int count = 8, chosen = 2;
  expert_weights weights = expert_weights::over_chosen;
  friend bool operator==(const expert_mixture&, const expert_mixture&) = default;
};

[[nodiscard]] constexpr const family_features& features_of(policy_family f) noexcept {
  return families[static_cast<std::size_t>(f)];
}

static_assert(features_of(policy_family::qwen3).family == policy_family::qwen3);
static_assert(features_of(policy_family::qwen2).qkv_bias &&
              !features_of(policy_family::qwen2).qk_norm);
static_assert(features_of(policy_family::qwen3_moe).experts);

}  // namespace sim
