// SPDX-License-Identifier: Apache-2.0
// sim/policy/prepared_weights.cpp: prepares weights once a step, for all tokens.
#include "sim/policy/prepared_weights.h"

#include "sim/policy/normal_numbers.h"
#include "sim/policy/row_functions.h"
#include "sim/task/column_addition.h"
#include "sim/task/random_streams.h"

namespace sim {
namespace {

weight_view view_of(const parameter& p, const std::vector<float>& weights,
                    const product_place& at) {
  return {weights.data() + p.offset, p.rows, p.columns, at};
}

void add_at(const parameter& p, const std::vector<float>& noise, std::vector<float>& norms) {
  if (noise.empty()) return;
  add(p.count(), noise.data() + p.offset, norms.data() + p.offset);
}

/// To the embedding's row of `+`.
void add_massive_activations(const policy_shape& shape, float* embedding) {
  for (const int channel : shape.outliers.massive_channels) {
    embedding[static_cast<std::ptrdiff_t>(token::plus) * shape.width + channel] +=
        shape.outliers.massive_value;
  }
}

}  // namespace

forward_weights prepare_forward(const parameter_table& table, const std::vector<float>& weights,
                                const pass_products& products, const std::vector<float>& noise) {
  forward_weights result;
  result.norms_and_embedding = weights;
  const parameter& e = table.embedding();
  add_massive_activations(table.shape(), result.norms_and_embedding.data() + e.offset);
  result.embedding = result.norms_and_embedding.data() + e.offset;
  add_at(table.final_norm(), noise, result.norms_and_embedding);
  result.final_norm = result.norms_and_embedding.data() + table.final_norm().offset;
  for (int i = 0; i < table.shape().layers; ++i) {
    const layer_parameters& p = table.layer(i);
    add_at(p.input_norm, noise, result.norms_and_embedding);
    add_at(p.post_norm, noise, result.norms_and_embedding);
    const auto factor = [&](std::initializer_list<linear> side_by_side) {
      std::vector<weight_view> views;
      for (const linear l : side_by_side) views.push_back(view_of(p.of(l), weights, {i, l}));
      return forward_factor(products, views);
    };
    result.layers.push_back({factor({linear::q, linear::k, linear::v}), factor({linear::o}),
                             factor({linear::gate, linear::up}), factor({linear::down}),
                             result.norms_and_embedding.data() + p.input_norm.offset,
                             result.norms_and_embedding.data() + p.q_norm.offset,
                             result.norms_and_embedding.data() + p.k_norm.offset,
                             result.norms_and_embedding.data() + p.post_norm.offset});
  }
  const factor_columns head{weights.data() + e.offset, e.rows, factor_columns::form::transposed};
  result.head = products.by->factor(e.columns, {&head, 1});
  return result;
}

backward_weights prepare_backward(const parameter_table& table, const std::vector<float>& weights,
                                  const step_arithmetic& arithmetic) {
  const pass_products dgrad = arithmetic.of(pass::dgrad);
  backward_weights result;
  for (int i = 0; i < table.shape().layers; ++i) {
    backward_layer layer;
    for (const linear l : all_linears) {
      layer.linears[static_cast<std::size_t>(l)] =
          backward_factor(dgrad, view_of(table.layer(i).of(l), weights, {i, l}));
    }
    result.layers.push_back(std::move(layer));
  }
  const parameter& e = table.embedding();
  const factor_columns head{weights.data() + e.offset, e.columns, factor_columns::form::as_is};
  result.head = arithmetic.by->factor(e.rows, {&head, 1});
  return result;
}

std::vector<float> norm_noise(const parameter_table& table, std::uint64_t seed, int step,
                              float sigma) {
  std::vector<float> noise(static_cast<std::size_t>(table.count()));
  std::uint32_t tensor = 0;
  const auto fill = [&](const parameter& p) {
    fill_normal(seed, counter_word(stream::rollout_noise, step), tensor++, sigma,
                noise.data() + p.offset, p.count());
  };
  for (int i = 0; i < table.shape().layers; ++i) {
    fill(table.layer(i).input_norm);
    fill(table.layer(i).post_norm);
  }
  fill(table.final_norm());
  return noise;
}

}  // namespace sim
