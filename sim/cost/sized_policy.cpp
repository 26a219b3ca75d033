// SPDX-License-Identifier: Apache-2.0
// sim/cost/sized_policy.cpp: see sized_policy.h.
#include "sim/cost/sized_policy.h"

namespace sim {
namespace {

policy_shape shaped(policy_family family, int width, int layers, int heads, int kv_heads,
                    int head_width, int hidden) {
  policy_shape shape;
  shape.family = family;
  shape.width = width;
  shape.layers = layers;
  shape.heads = heads;
  shape.kv_heads = kv_heads;
  shape.head_width = head_width;
  shape.hidden = hidden;
  shape.vocabulary = 151'936;
  return shape;
}

policy_shape mixture_of_experts() {
  policy_shape shape = shaped(policy_family::qwen3_moe, 2048, 48, 32, 4, 128, 768);
  shape.head = output_head::own;
  shape.experts = {128, 8};
  return shape;
}

}  // namespace

double sized_policy::parameters() const {
  return static_cast<double>(parameter_table(shape).count());
}

const std::vector<sized_policy>& published_policies() {
  constexpr policy_family qwen2 = policy_family::qwen2;
  static const std::vector<sized_policy> all{
      {"Qwen2.5-0.5B", shaped(qwen2, 896, 24, 14, 2, 64, 4864)},
      {"Qwen2.5-3B", shaped(qwen2, 2048, 36, 16, 2, 128, 11008)},
      {"Qwen3-30B-A3B", mixture_of_experts()}};
  return all;
}

}  // namespace sim
