// SPDX-License-Identifier: Apache-2.0
// sim/study/policy_family.h: families of decoders, each as what its layers have. All are pre-norm
// decoders with grouped queries, rotary positions of pairs (j, j + head_width / 2) and a gated
// feed-forward part (SwiGLU); a family names its parameters as Hugging Face does.
// Source: config.json and modeling_{llama,qwen2,qwen3}.py of huggingface/transformers.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sim {

enum class policy_family : std::uint8_t { llama, qwen2, qwen3 };

/// The matrix that logits are computed with: the embedding, or `lm_head.weight`.
enum class output_head : std::uint8_t { embedding, own };

/// What the layers of a family have beside their linears.
///   name       in studies, and as `model_type` of config.json
///   qkv_bias   added to the outputs of q, k and v, before norms and rotation
///   qk_norm    RMSNorm of each head of q and of k, before the rotation
struct family_features {
  policy_family family;
  std::string_view name;
  bool qkv_bias, qk_norm;
};

inline constexpr std::array families{family_features{policy_family::llama, "llama", false, false},
                                     family_features{policy_family::qwen2, "qwen2", true, false},
                                     family_features{policy_family::qwen3, "qwen3", false, true}};

[[nodiscard]] constexpr const family_features& features_of(policy_family f) noexcept {
  return families[static_cast<std::size_t>(f)];
}

static_assert(features_of(policy_family::qwen3).family == policy_family::qwen3);
static_assert(features_of(policy_family::qwen2).qkv_bias &&
              !features_of(policy_family::qwen2).qk_norm);

}  // namespace sim
