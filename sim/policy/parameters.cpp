// SPDX-License-Identifier: Apache-2.0
// sim/policy/parameters.cpp: the table of parameters, their initial values, and outlier channels.
#include "sim/policy/parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "sim/policy/normal_numbers.h"
#include "sim/task/random_streams.h"

namespace sim {

parameter parameter_table::place(std::string name, int rows, int columns) {
  parameter p{std::move(name), rows, columns, count_};
  count_ += p.count();
  return p;
}

parameter_table::parameter_table(const policy_shape& shape) : shape_(shape) {
  const int d = shape.width;
  embedding_ = place("model.embed_tokens.weight", shape.vocabulary, d);
  for (int i = 0; i < shape.layers; ++i) {
    layers_.push_back(place_layer(i));
  }
  final_norm_ = place("model.norm.weight", 1, d);
  if (has_own_head()) own_head_ = place("lm_head.weight", shape.vocabulary, d);
}

parameter parameter_table::place_weight(const product_place& at, int rows, int columns) {
  return place(name_of(shape_, at) + ".weight", rows, columns);
}

layer_parameters parameter_table::place_layer(int index) {
  const int d = shape_.width, hd = shape_.head_width;
  const std::string prefix = fmt::format("model.layers.{}.", index);
  layer_parameters layer;
  layer.input_norm = place(prefix + "input_layernorm.weight", 1, d);
  layer.linears = {place_weight({index, linear::q}, query_width(), d),
                   place_weight({index, linear::k}, key_width(), d),
                   place_weight({index, linear::v}, key_width(), d)};
  if (features().qkv_bias) {
    layer.biases = {place(prefix + "self_attn.q_proj.bias", 1, query_width()),
                    place(prefix + "self_attn.k_proj.bias", 1, key_width()),
                    place(prefix + "self_attn.v_proj.bias", 1, key_width())};
  }
  layer.linears.push_back(place_weight({index, linear::o}, d, query_width()));
  if (features().qk_norm) {
    layer.q_norm = place(prefix + "self_attn.q_norm.weight", 1, hd);
    layer.k_norm = place(prefix + "self_attn.k_norm.weight", 1, hd);
  }
  layer.post_norm = place(prefix + "post_attention_layernorm.weight", 1, d);
  place_feed_forward(index, layer);
  return layer;
}

void parameter_table::place_feed_forward(int index, layer_parameters& layer) {
  const int d = shape_.width, ff = shape_.hidden;
  if (shape_.has_experts()) {
    layer.router =
        place(fmt::format("model.layers.{}.mlp.gate.weight", index), shape_.experts.count, d);
  }
  for (int e = 0; e < parts_of_layer(); ++e) {
    layer.linears.push_back(place_weight({index, linear::gate, e}, ff, d));
    layer.linears.push_back(place_weight({index, linear::up, e}, ff, d));
    layer.linears.push_back(place_weight({index, linear::down, e}, d, ff));
  }
}

std::vector<parameter> parameter_table::all() const {
  std::vector<parameter> result{embedding_, final_norm_, own_head_};
  for (const layer_parameters& layer : layers_) {
    result.insert(result.end(),
                  {layer.input_norm, layer.q_norm, layer.k_norm, layer.post_norm, layer.router});
    result.insert(result.end(), layer.linears.begin(), layer.linears.end());
    result.insert(result.end(), layer.biases.begin(), layer.biases.end());
  }
  std::erase_if(result, [](const parameter& p) { return p.count() == 0; });
  std::ranges::sort(result, {}, &parameter::offset);
  return result;
}

std::ptrdiff_t parameter_table::linear_count() const noexcept {
  std::ptrdiff_t sum = 0;
  for (const layer_parameters& layer : layers_) {
    for (const parameter& p : layer.linears) sum += p.count();
  }
  return sum;
}

std::ptrdiff_t parameter_table::active_linear_count() const noexcept {
  const int idle = parts_of_layer() - shape_.parts_a_token();
  const std::ptrdiff_t expert = std::ptrdiff_t{3} * shape_.width * shape_.hidden;
  return linear_count() - shape_.layers * idle * expert;
}

namespace {

bool is_output(const std::string& name) {
  return name.ends_with("o_proj.weight") || name.ends_with("down_proj.weight");
}

}  // namespace

std::vector<float> initial_weights(const parameter_table& table, std::uint64_t seed) {
  std::vector<float> weights(static_cast<std::size_t>(table.count()), 1.0F);
  std::uint32_t tensor = 0;
  for (const parameter& p : table.all()) {
    const policy_shape& s = table.shape();
    const std::uint32_t own = tensor++;
    if (p.name.ends_with(".bias")) std::fill_n(weights.data() + p.offset, p.count(), 0.0F);
    if (p.rows == 1) continue;
    const bool of_tokens = p.offset == table.embedding().offset || p.offset == table.head().offset;
    const float deviation = of_tokens           ? s.embedding_std
                            : is_output(p.name) ? s.output_std
                                                : s.input_std;
    const std::uint32_t word = counter_word(stream::initial_weights, 0);
    float* out = weights.data() + p.offset;
    if (s.outliers.weights == weight_law::student_t) {
      fill_student_t(seed, word, own, s.outliers.degrees, deviation, out, p.count());
    } else {
      fill_normal(seed, word, own, deviation, out, p.count());
    }
  }
  return weights;
}

namespace {

void scale_row(const parameter& p, int row, float factor, std::vector<float>& w) {
  float* at = w.data() + p.offset + static_cast<std::ptrdiff_t>(row) * p.columns;
  for (int i = 0; i < p.columns; ++i) at[i] *= factor;
}

void scale_column(const parameter& p, int column, float factor, std::vector<float>& w) {
  if (p.count() == 0) return;
  for (int i = 0; i < p.rows; ++i) {
    w[static_cast<std::size_t>(p.offset + static_cast<std::ptrdiff_t>(i) * p.columns + column)] *=
        factor;
  }
}

}  // namespace

void insert_outliers(const parameter_table& table, const outlier_constants& where, int factor,
                     std::vector<float>& weights) {
  // Powers of two: every product is exact.
  const float up = static_cast<float>(factor), down = 1.0F / up;
  for (int i = 0; i < table.shape().layers; ++i) {
    const layer_parameters& layer = table.layer(i);
    for (const int channel : where.norm_channels) {
      scale_column(layer.input_norm, channel, up, weights);
      scale_column(layer.post_norm, channel, up, weights);
      scale_column(layer.router, channel, down, weights);
      for (const product_place& l : table.linears_of(i)) {
        if (l.which == linear::o || l.which == linear::down) continue;
        scale_column(table.at(l), channel, down, weights);
      }
    }
    for (const int unit : where.hidden_units) {
      for (int e = 0; e < table.parts_of_layer(); ++e) {
        scale_row(layer.of(linear::up, e), unit, up, weights);
        scale_column(layer.of(linear::down, e), unit, down, weights);
      }
    }
  }
}

void gradient_without_outliers(const parameter_table& table, const outlier_constants& where,
                               int factor, std::vector<float>& gradient) {
  // w' = up * w gives dL/dw = up * dL/dw'.
  insert_outliers(table, where, factor, gradient);
}

}  // namespace sim
