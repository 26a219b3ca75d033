// SPDX-License-Identifier: Apache-2.0
// sim/policy/prepared_weights.cpp: quantizes weights once a step, and packs them for all tokens.
#include "sim/policy/prepared_weights.h"

#include "sim/policy/normal_numbers.h"
#include "sim/policy/row_functions.h"
#include "sim/task/random_streams.h"

namespace sim {
namespace {

/// Appends the transpose of a quantized (out, in) weight to the packed matrix; returns the end.
int append(const parameter& p, const std::vector<float>& weights, const mx::operand_format& format,
           int first, mx::packed_matrix& packed) {
  std::vector<float> quantized(static_cast<std::size_t>(p.count()));
  mx::apply_rows(format, p.rows, p.columns, weights.data() + p.offset, p.columns, quantized.data(),
                 p.columns);
  packed.set_columns_transposed(first, p.rows, quantized.data(), p.columns);
  return first + p.rows;
}

mx::packed_matrix side_by_side(const layer_parameters& layer, std::initializer_list<linear> which,
                               const std::vector<float>& weights,
                               const mx::operand_format& format) {
  int columns = 0;
  for (const linear l : which) columns += layer.of(l).rows;
  mx::packed_matrix packed(layer.of(*which.begin()).columns, columns);
  int first = 0;
  for (const linear l : which) first = append(layer.of(l), weights, format, first, packed);
  return packed;
}

void add_at(const parameter& p, const std::vector<float>& noise, std::vector<float>& norms) {
  if (noise.empty()) return;
  add(p.count(), noise.data() + p.offset, norms.data() + p.offset);
}

}  // namespace

forward_weights prepare_forward(const parameter_table& table, const std::vector<float>& weights,
                                const mx::operand_format& format, const std::vector<float>& noise) {
  forward_weights result;
  result.norms = weights;
  result.embedding = weights.data() + table.embedding().offset;
  add_at(table.final_norm(), noise, result.norms);
  result.final_norm = result.norms.data() + table.final_norm().offset;
  for (int i = 0; i < table.shape().layers; ++i) {
    const layer_parameters& p = table.layer(i);
    add_at(p.input_norm, noise, result.norms);
    add_at(p.post_norm, noise, result.norms);
    result.layers.push_back(
        {side_by_side(p, {linear::q, linear::k, linear::v}, weights, format),
         side_by_side(p, {linear::o}, weights, format),
         side_by_side(p, {linear::gate, linear::up}, weights, format),
         side_by_side(p, {linear::down}, weights, format),
         result.norms.data() + p.input_norm.offset, result.norms.data() + p.q_norm.offset,
         result.norms.data() + p.k_norm.offset, result.norms.data() + p.post_norm.offset});
  }
  const parameter& e = table.embedding();
  result.head = mx::packed_matrix(e.columns, e.rows);
  result.head.set_columns_transposed(0, e.rows, result.embedding, e.columns);
  return result;
}

backward_weights prepare_backward(const parameter_table& table, const std::vector<float>& weights,
                                  const mx::operand_format& format) {
  backward_weights result;
  for (int i = 0; i < table.shape().layers; ++i) {
    backward_layer layer;
    for (const linear l : all_linears) {
      const parameter& p = table.layer(i).of(l);
      std::vector<float> quantized(static_cast<std::size_t>(p.count()));
      mx::apply_columns(format, p.rows, p.columns, weights.data() + p.offset, p.columns,
                        quantized.data(), p.columns);
      mx::packed_matrix& packed = layer.linears[static_cast<std::size_t>(l)];
      packed = mx::packed_matrix(p.rows, p.columns);
      packed.set_columns(0, p.columns, quantized.data(), p.columns);
    }
    result.layers.push_back(std::move(layer));
  }
  const parameter& e = table.embedding();
  result.head = mx::packed_matrix(e.rows, e.columns);
  result.head.set_columns(0, e.columns, weights.data() + e.offset, e.columns);
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
