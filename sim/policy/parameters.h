// SPDX-License-Identifier: Apache-2.0
// sim/policy/parameters.h: the parameters of the decoder: names, shapes and offsets in one vector.
// Names and shapes as Hugging Face has them for the policy's family; weights are (out, in),
// row-major.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "sim/study/contractions.h"
#include "sim/study/linear.h"
#include "sim/study/study.h"

namespace sim {

struct parameter {
  std::string name;
  int rows = 1, columns = 0;
  std::ptrdiff_t offset = 0;

  [[nodiscard]] std::ptrdiff_t count() const noexcept {
    return static_cast<std::ptrdiff_t>(rows) * columns;
  }
  /// As files of tensors have it: (rows, columns), or (columns) of a vector.
  [[nodiscard]] std::vector<std::uint64_t> shape() const {
    const auto r = static_cast<std::uint64_t>(rows), c = static_cast<std::uint64_t>(columns);
    return rows > 1 ? std::vector{r, c} : std::vector{c};
  }
};

/// The parameters of a layer; those that its family lacks have no columns.
///   router   (experts, d)
///   linears  by product_place::index
///   biases   of q, k and v, one after the other
struct layer_parameters {
  parameter input_norm, q_norm, k_norm, post_norm, router;
  std::vector<parameter> linears;
  std::array<parameter, 3> biases;

  /// The biases as one.
  [[nodiscard]] parameter qkv_bias() const {
    return {"", 1, biases[0].columns + biases[1].columns + biases[2].columns, biases[0].offset};
  }

  [[nodiscard]] const parameter& of(linear l, int expert = 0) const noexcept {
    return linears[product_place{0, l, expert}.index()];
  }
};

/// The table of all parameters of a policy of this shape.
class parameter_table {
 public:
  explicit parameter_table(const policy_shape& shape);

  [[nodiscard]] const policy_shape& shape() const noexcept { return shape_; }
  [[nodiscard]] const parameter& embedding() const noexcept { return embedding_; }
  [[nodiscard]] const parameter& final_norm() const noexcept { return final_norm_; }
  /// The matrix of the logits: the embedding, or one of its own.
  [[nodiscard]] const parameter& head() const noexcept {
    return has_own_head() ? own_head_ : embedding_;
  }
  [[nodiscard]] bool has_own_head() const noexcept { return shape_.head == output_head::own; }
  [[nodiscard]] const family_features& features() const noexcept {
    return features_of(shape_.family);
  }
  [[nodiscard]] const layer_parameters& layer(int index) const {
    return layers_[static_cast<std::size_t>(index)];
  }
  /// The linears of a layer, by product_place::index.
  [[nodiscard]] std::vector<product_place> linears_of(int layer) const {
    return sim::linears_of(shape_, layer);
  }
  [[nodiscard]] const parameter& at(const product_place& p) const {
    return layer(p.layer).of(p.which, p.expert);
  }
  [[nodiscard]] int parts_of_layer() const noexcept { return shape_.parts_of_layer(); }
  /// The parameters of a layer are one range of offsets: its first, and how many.
  [[nodiscard]] std::ptrdiff_t first_of_layer(int index) const {
    return layer(index).input_norm.offset;
  }
  [[nodiscard]] std::ptrdiff_t count_of_layer() const noexcept {
    return (final_norm_.offset - embedding_.count()) / shape_.layers;
  }
  /// All of them, in the order of their offsets.
  [[nodiscard]] std::vector<parameter> all() const;
  [[nodiscard]] std::ptrdiff_t count() const noexcept { return count_; }
  /// Parameters of the quantized linears.
  [[nodiscard]] std::ptrdiff_t linear_count() const noexcept;
  /// Those that a token is multiplied with.
  [[nodiscard]] std::ptrdiff_t active_linear_count() const noexcept;

  [[nodiscard]] int query_width() const noexcept { return extents_of(shape_, linear::q).outputs; }
  [[nodiscard]] int key_width() const noexcept { return extents_of(shape_, linear::k).outputs; }

 private:
  parameter place(std::string name, int rows, int columns);
  parameter place_weight(const product_place& at, int rows, int columns);
  layer_parameters place_layer(int index);
  void place_feed_forward(int index, layer_parameters& layer);

  policy_shape shape_;
  parameter embedding_, final_norm_, own_head_;
  std::vector<layer_parameters> layers_;
  std::ptrdiff_t count_ = 0;
};

/// Initial weights: of the shape's law and standard deviations; norm weights are 1, biases 0. Each
/// parameter has its own random stream, so adding one does not change the others.
[[nodiscard]] std::vector<float> initial_weights(const parameter_table& table, std::uint64_t seed);

/// Multiplies and divides pairs of channels by a power of two such that the policy's function is
/// unchanged in FP32, while blocks see outliers: norm weights of `norm_channels` times the factor,
/// the columns of q, k, v (gate, up) that read them divided; rows of up times it, columns of down
/// divided, for `hidden_units`.
void insert_outliers(const parameter_table& table, const outlier_constants& where, int factor,
                     std::vector<float>& weights);

/// The gradient of the policy with outliers, in the coordinates of the policy without.
void gradient_without_outliers(const parameter_table& table, const outlier_constants& where,
                               int factor, std::vector<float>& gradient);

}  // namespace sim
