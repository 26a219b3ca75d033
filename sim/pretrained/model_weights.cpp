// SPDX-License-Identifier: Apache-2.0
// sim/pretrained/model_weights.cpp: reads the parameters of a checkpoint by their names.
#include "sim/pretrained/model_weights.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <set>

#include "golden/io/coded_view.h"
#include "golden/io/widen.h"
#include "mx/tensor/coded_tensor.h"
#include "sim/study/gguf_model.h"

namespace sim {
namespace {

namespace io = golden::io;

using floats = std::vector<float>;

/// Values of the codes of a GGUF file; a tensor scale is of the whole tensor, or one of each
/// matrix.
std::vector<float> decoded(const io::coded_view& view) {
  const bool nvfp4 = view.format == "nvfp4";
  mx::recipe recipe{{nvfp4 ? mx::block_formats::nvfp4 : mx::block_formats::mxfp4}};
  recipe.codes.nibbles = mx::nibble_order::split_half;
  std::vector<std::uint8_t> codes(view.codes.size), scales(view.scales.size);
  view.codes.copy(0, codes.size(), codes.data());
  view.scales.copy(0, scales.size(), scales.data());
  const float one = 1;
  const bool own = nvfp4 && view.use == io::tensor_scale_use::multiplies;
  const std::uint8_t* above =
      own ? view.tensor_scales.data() : reinterpret_cast<const std::uint8_t*>(&one);
  const std::size_t parts = own ? view.tensor_scales.size() / sizeof(float) : 1;
  std::vector<std::uint64_t> shape = view.shape;
  if (parts > 1) shape.erase(shape.begin(), shape.end() - 2);
  const mx::coded_shape part = mx::coded_shape_of(recipe, *mx::axes_of(shape, -1));
  std::vector<float> values(parts * part.blocks.elements());
  for (std::size_t k = 0; k < parts; ++k) {
    mx::constant_coded_arrays in{{codes.data() + k * (codes.size() / parts),
                                  scales.data() + k * (scales.size() / parts), nullptr},
                                 {},
                                 nullptr,
                                 nullptr};
    if (nvfp4) in.tensor_scales = above + k * sizeof(float);
    mx::dequantize_tensor(recipe, part, in, values.data() + k * part.blocks.elements());
  }
  return values;
}

/// Takes a model's tensors by the names of parameters, and knows which of them are left.
class weight_reader {
 public:
  explicit weight_reader(const model_file& model)
      : model_(model), file_(model.tensors), views_(coded_views_of(model)) {}

  /// The numbers of a parameter.
  std::vector<float> take(const parameter& p) {
    const gguf_place place = place_in_file(p.name);
    const io::tensor& t = file_.at(place.tensor);
    used_.insert(t.name);
    std::vector<float> values = place.expert ? expert_of(t, p, *place.expert) : whole_of(t, p);
    if (model_.convention == model_convention::gguf && has_interleaved_rows(file_, p.name)) {
      order_rows_by_halves(model_.shape.head_width, p.columns, values);
    }
    const auto unbounded = std::ranges::find_if(values, [](float v) { return !std::isfinite(v); });
    if (unbounded == values.end()) return values;
    throw io::file_error(t.source, t.name,
                         fmt::format("holds {} at {}; expected finite numbers", *unbounded,
                                     unbounded - values.begin()));
  }

  /// Refuses tensors that the policy has no parameter for.
  ///   embedding  which is the head too
  void expect_all_used(const parameter& embedding) {
    pass_equal_head(embedding);
    for (const io::foreign_tensor& t : file_.foreign()) io::refuse_foreign(t, file_.path());
    for (const io::tensor& t : file_.tensors()) {
      if (used_.contains(t.name) || t.name.ends_with(".rotary_emb.inv_freq")) continue;
      throw io::file_error(t.source, t.name,
                           "is no parameter of this family of policies; expected a model of the "
                           "family that its configuration names");
    }
  }

 private:
  static std::vector<io::coded_view> coded_views_of(const model_file& model) {
    if (model.convention != model_convention::gguf) return {};
    return io::coded_views(model.tensors);
  }

  [[nodiscard]] gguf_place place_in_file(const std::string& name) const {
    if (model_.convention == model_convention::gguf) return gguf_place_of(name);
    return {name, {}};
  }

  static void expect_shape(const io::tensor& t, const std::vector<std::uint64_t>& shape) {
    if (t.shape == shape) return;
    throw io::file_error(t.source, t.name,
                         fmt::format("has the shape {}; its configuration says {}",
                                     io::shape_text(t.shape), io::shape_text(shape)));
  }

  std::vector<float> whole_of(const io::tensor& t, const parameter& p) {
    expect_shape(t, p.shape());
    return numbers_of(t);
  }

  /// One expert's part of a tensor of (experts, rows, columns). The last three tensors are kept:
  /// those of a layer, whose experts are taken one after the other.
  std::vector<float> expert_of(const io::tensor& t, const parameter& p, int expert) {
    auto kept = std::ranges::find(layer_experts_, t.name, &std::pair<std::string, floats>::first);
    if (kept == layer_experts_.end()) {
      expect_shape(t, {static_cast<std::uint64_t>(model_.shape.experts.count),
                       static_cast<std::uint64_t>(p.rows), static_cast<std::uint64_t>(p.columns)});
      if (layer_experts_.size() == 3) layer_experts_.pop_front();
      layer_experts_.emplace_back(t.name, numbers_of(t));
      kept = std::prev(layer_experts_.end());
    }
    const auto first = kept->second.begin() + expert * p.count();
    return {first, first + p.count()};
  }

  std::vector<float> numbers_of(const io::tensor& t) {
    const auto view = std::ranges::find_if(
        views_, [&](const io::coded_view& v) { return std::ranges::count(v.arrays, t.name) > 0; });
    if (view == views_.end()) return io::to_float32(t);
    used_.insert(view->arrays.begin(), view->arrays.end());
    return decoded(*view);
  }

  /// Some files store the head once more.
  void pass_equal_head(const parameter& embedding) {
    const io::tensor* head = file_.find(place_in_file("lm_head.weight").tensor);
    if (head == nullptr || used_.contains(head->name)) return;
    const io::tensor& tied = file_.at(place_in_file(embedding.name).tensor);
    if (head->type != tied.type || !std::ranges::equal(head->bytes, tied.bytes)) {
      throw io::file_error(head->source, head->name,
                           "differs from the embedding, which its configuration says is the head");
    }
    used_.insert(head->name);
  }

  const model_file& model_;
  const io::tensor_file& file_;
  std::vector<io::coded_view> views_;
  std::set<std::string> used_;
  std::deque<std::pair<std::string, floats>> layer_experts_;
};

}  // namespace

std::vector<float> read_weights(const model_file& model, const parameter_table& table) {
  weight_reader reader(model);
  std::vector<float> weights(static_cast<std::size_t>(table.count()));
  for (const parameter& p : table.all()) {
    std::ranges::copy(reader.take(p), weights.begin() + p.offset);
  }
  reader.expect_all_used(table.embedding());
  return weights;
}

}  // namespace sim
