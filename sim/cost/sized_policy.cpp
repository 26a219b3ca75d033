// SPDX-License-Identifier: Apache-2.0
// sim/cost/sized_policy.cpp: see sized_policy.h.
#include "sim/cost/sized_policy.h"

namespace sim {
namespace {

policy_shape shaped(int width, int layers, int heads, int kv_heads, int head_width, int hidden) {
  policy_shape shape;
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
  sized_policy result{"Qwen3-30B-A3B", shaped(width, 48, 32, 4, 128, used * hidden)};
  constexpr double router = double{width} * experts;
  result.inactive = (experts - used) * 3.0 * width * hidden + router;
  result.apart = double{width} * result.shape.vocabulary;
  return result;
}

}  // namespace

policy_numbers sized_policy::numbers() const {
  policy_numbers all{parameter_table(shape)};
  all.of_layer += inactive;
  all.parameters += shape.layers * inactive + apart;
  return all;
}

double sized_policy::active_parameters() const {
  return numbers().parameters - shape.layers * inactive;
}

const std::vector<sized_policy>& published_policies() {
  static const std::vector<sized_policy> all{{"Qwen2.5-0.5B", shaped(896, 24, 14, 2, 64, 4864)},
                                             {"Qwen2.5-3B", shaped(2048, 36, 16, 2, 128, 11008)},
                                             mixture_of_experts()};
  return all;
}

}  // namespace sim
