// SPDX-License-Identifier: Apache-2.0
// sim/study/linear.h: the linears of a policy's layers, whose products are quantized, and their
// names.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace sim {

struct policy_shape;

/// The seven linears of a layer whose products are quantized.
enum class linear : std::uint8_t { q, k, v, o, gate, up, down };
[[nodiscard]] const char* name_of(linear l) noexcept;
[[nodiscard]] constexpr bool is_of_experts(linear l) noexcept { return l > linear::o; }

/// A linear of a layer. An X that several linears share belongs to the first: q, gate; each expert
/// has its own.
///   expert  of gate, up and down; 0 for others, and where a layer has no experts
struct product_place {
  int layer;
  linear which;
  int expert = 0;

  /// Among all linears of the layer: q, k, v, o, then gate, up and down of each expert.
  [[nodiscard]] constexpr std::size_t index() const noexcept {
    return static_cast<std::size_t>(which) + 3 * static_cast<std::size_t>(expert);
  }
};

/// The first linear with the same X.
[[nodiscard]] constexpr linear owner_of_input(linear l) noexcept {
  if (l == linear::k || l == linear::v) return linear::q;
  return l == linear::up ? linear::gate : l;
}
[[nodiscard]] constexpr product_place owner_of_input(const product_place& p) noexcept {
  return {p.layer, owner_of_input(p.which), p.expert};
}

/// The linears of a layer, by product_place::index.
[[nodiscard]] std::vector<product_place> linears_of(const policy_shape& shape, int layer);

/// As Hugging Face names the module in every family: "model.layers.0.self_attn.q_proj".
[[nodiscard]] std::string name_of(const policy_shape& shape, const product_place& at);

}  // namespace sim
