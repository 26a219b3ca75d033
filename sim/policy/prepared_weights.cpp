// SPDX-License-Identifier: Apache-2.0
// sim/policy/prepared_weights.cpp: prepares weights for all tokens of a pass.
#include "sim/policy/prepared_weights.h"

#include "sim/policy/element_functions.h"
#include "sim/policy/normal_numbers.h"
#include "sim/task/column_addition.h"
#include "sim/task/random_streams.h"

namespace sim {
namespace {

weight_view view_of(const parameter& p, const std::vector<float>& weights,
                    const product_place& at) {
  return {weights.data() + p.offset, p.rows, p.columns, at};
}

/// The norms of width d, with noise on each.
std::vector<float> noisy_norms(const parameter_table& table, const std::vector<float>& weights,
                               const std::vector<float>& noise) {
  std::vector<float> norms;
  const auto append = [&](const parameter& p) {
    norms.insert(norms.end(), weights.begin() + p.offset, weights.begin() + p.offset + p.count());
    add(p.count(), noise.data() + p.offset, norms.data() + std::ssize(norms) - p.count());
  };
  for (int i = 0; i < table.shape().layers; ++i) {
    append(table.layer(i).input_norm);
    append(table.layer(i).post_norm);
  }
  append(table.final_norm());
  return norms;
}

/// The embedding, with massive activations in the row of `+`.
std::vector<float> massive_embedding(const parameter_table& table,
                                     const std::vector<float>& weights) {
  const policy_shape& shape = table.shape();
  const auto first = weights.begin() + table.embedding().offset;
  std::vector<float> result(first, first + table.embedding().count());
  for (const int channel : shape.outliers.massive_channels) {
    result.data()[static_cast<std::ptrdiff_t>(token::plus) * shape.width + channel] +=
        shape.outliers.massive_value;
  }
  return result;
}

/// B of a matrix that is not quantized: of the head, of a router; null for what the policy lacks.
std::unique_ptr<const right_factor> forward_matrix(const value_products& by, const parameter& p,
                                                   const std::vector<float>& weights) {
  if (p.count() == 0) return nullptr;
  const factor_columns whole{weights.data() + p.offset, p.rows, factor_columns::form::transposed};
  return by.factor(p.columns, {&whole, 1});
}

std::unique_ptr<const right_factor> backward_matrix(const value_products& by, const parameter& p,
                                                    const std::vector<float>& weights) {
  if (p.count() == 0) return nullptr;
  const factor_columns whole{weights.data() + p.offset, p.columns, factor_columns::form::as_is};
  return by.factor(p.rows, {&whole, 1});
}

}  // namespace

forward_weights::forward_weights(const parameter_table& table, const std::vector<float>& weights,
                                 const pass_products& products, const std::vector<float>& noise)
    : table_(&table), weights_(&weights), products_(products) {
  if (!noise.empty()) noisy_norms_ = noisy_norms(table, weights, noise);
  if (!table.shape().outliers.massive_channels.empty()) {
    massive_embedding_ = massive_embedding(table, weights);
  }
}

forward_layer forward_weights::layer(int index) const {
  const layer_parameters& p = table_->layer(index);
  const auto factor = [&](std::initializer_list<linear> side_by_side, int expert = 0) {
    std::vector<weight_view> views;
    for (const linear l : side_by_side) {
      views.push_back(view_of(p.of(l, expert), *weights_, {index, l, expert}));
    }
    return forward_factor(products_, views);
  };
  const auto values = [&](const parameter& of) {
    return of.count() == 0 ? nullptr : weights_->data() + of.offset;
  };
  forward_layer result{factor({linear::q, linear::k, linear::v}),
                       factor({linear::o}),
                       wide_norm(2 * index, p.input_norm),
                       values(p.qkv_bias()),
                       values(p.q_norm),
                       values(p.k_norm),
                       wide_norm(2 * index + 1, p.post_norm),
                       forward_matrix(*products_.by, p.router, *weights_),
                       {}};
  for (int e = 0; e < table_->parts_of_layer(); ++e) {
    result.parts.push_back({factor({linear::gate, linear::up}, e), factor({linear::down}, e)});
  }
  return result;
}

std::unique_ptr<const right_factor> forward_weights::head() const {
  return forward_matrix(*products_.by, table_->head(), *weights_);
}

forward_weights prepare_forward(const parameter_table& table, const std::vector<float>& weights,
                                const pass_products& products, const std::vector<float>& noise) {
  return {table, weights, products, noise};
}

backward_weights::backward_weights(const parameter_table& table, const std::vector<float>& weights,
                                   const step_arithmetic& arithmetic)
    : table_(&table), weights_(&weights), dgrad_(arithmetic.of(pass::dgrad)) {}

backward_layer backward_weights::layer(int index) const {
  backward_layer result;
  for (const product_place& at : table_->linears_of(index)) {
    result.linears.push_back(backward_factor(dgrad_, view_of(table_->at(at), *weights_, at)));
  }
  result.router = backward_matrix(*dgrad_.by, table_->layer(index).router, *weights_);
  return result;
}

std::unique_ptr<const right_factor> backward_weights::head() const {
  return backward_matrix(*dgrad_.by, table_->head(), *weights_);
}

backward_weights prepare_backward(const parameter_table& table, const std::vector<float>& weights,
                                  const step_arithmetic& arithmetic) {
  return {table, weights, arithmetic};
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
