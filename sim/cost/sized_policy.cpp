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

sized_policy mixture_of_experts() {
  constexpr int width = 2048, experts = 128, used = 8, hidden = 768;
  sized_policy result{"Qwen3-30B-A3B", shaped(policy_family::qwen3, width, 48, 32, 4, 128, used * hidden)};
  result.shape.head = output_head::own;
  constexpr double router = double{width} * experts;
  result.inactive = (experts - used) * 3.0 * width * hidden + router;
  return result;
}

}  // namespace

policy_numbers sized_policy::numbers() const {
  policy_numbers all{parameter_table(shape)};
  all.of_layer += inactive;
  all.parameters += shape.layers * inactive;
  return all;
}

double sized_policy::active_parameters() const {
  return numbers().parameters - shape.layers * inactive;
}

const std::vector<sized_policy>& published_policies() {
  constexpr policy_family qwen2 = policy_family::qwen2;
  static const std::vector<sized_policy> all{
      {"Qwen2.5-0.5B", shaped(qwen2, 896, 24, 14, 2, 64, 4864)},
      {"Qwen2.5-3B", shaped(qwen2, 2048, 36, 16, 2, 128, 11008)},
      mixture_of_experts()};
  return all;
}

}  // namespace sim
