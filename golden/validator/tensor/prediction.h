// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/prediction.h: the codes and scales that a recipe makes of a tensor.
// Equals mx::quantize_block on every block of a plain recipe, and the presets' quantize_block.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <tuple>
#include <vector>

#include "geometry.h"
#include "numbers.h"

namespace golden::validator {

/// Remembers what was the largest in tensors and their rows, so that many recipes can ask.
class extent_memory {
 public:
  ///   returns  one, or one a row in the order of the tensor scales
  const std::vector<magnitudes>& of(const subject& s, const geometry& g, const recipe& r);

 private:
  std::mutex looking_;
  std::map<std::tuple<const subject*, precision, bool, std::size_t>, std::vector<magnitudes>>
      known_;
};

/// One block as a recipe makes it.
///   drawn  where not empty, random bits that elements are rounded with, instead of the recipe's
struct predicted_block {
  std::uint32_t scale = 0;
  std::vector<std::uint8_t> codes;
  std::vector<float> given, for_elements;  ///< its numbers, as they become
  std::vector<float> for_scale;            ///< those of all blocks that share its scale
  int drawn_bits = 8;
  std::vector<std::uint32_t> drawn;
};

/// A recipe on a tensor; both outlive it.
class prediction {
 public:
  ///   errors  std::logic_error unless the recipe is possible and has a geometry
  prediction(const recipe& r, const subject& s, extent_memory& extents);

  [[nodiscard]] const recipe& rules() const { return recipe_; }
  [[nodiscard]] const subject& of() const { return subject_; }
  [[nodiscard]] const geometry& where() const { return geometry_; }
  /// What blocks are made under: one, or one a row; none where the format has none. Where the
  /// recipe takes those in the file and one of them is unusable, the format's.
  [[nodiscard]] const std::vector<float>& tensor_scales() const { return tensor_scales_; }
  /// The same as largest magnitudes, as a preset or an order of operations takes them.
  [[nodiscard]] const std::vector<float>& preset_amax() const { return tensor_amax_; }
  /// What the recipe writes of them where it makes them itself.
  [[nodiscard]] std::vector<float> computed_tensor_scales() const;
  /// What is written of them.
  [[nodiscard]] std::vector<float> written_tensor_scales() const;
  /// Whether the tensor scales in the file are those the recipe writes; true where it has none.
  [[nodiscard]] bool agrees_on_tensor_scales() const;
  /// Makes a block: its codes, and its scale before scales are moved from place to place.
  void make(std::uint64_t block, predicted_block& out) const;

 private:
  void gather(const block_place& p, predicted_block& out) const;
  void gather_shared(const block_place& p, predicted_block& out) const;
  [[nodiscard]] std::uint64_t lines_unwritten() const;
  [[nodiscard]] bool is_unwritten(const block_place& p) const;
  void leave_unwritten(const block_place& p, predicted_block& out) const;
  [[nodiscard]] float seen_number(const block_place& p, std::uint64_t row,
                                  std::uint64_t position) const;
  void quantize(std::uint64_t block, const block_place& p, predicted_block& out) const;
  void quantize_by_preset(const block_place& p, predicted_block& out) const;
  void finish(const block_place& p, predicted_block& out) const;
  void choose_tensor_scales(extent_memory& extents);
  [[nodiscard]] const mx::nvfp4_variant* nvfp4() const;
  [[nodiscard]] float preset_factor(std::size_t row) const;
  [[nodiscard]] mx::nvfp4_tensor tensor_under(const mx::nvfp4_variant& v, std::uint64_t row) const;

  const recipe& recipe_;
  const subject& subject_;
  geometry geometry_;
  std::vector<float> tensor_scales_;
  std::vector<float> tensor_amax_;  ///< as a preset takes it
  bool is_plain_;
};

/// Whether two predictions of the same tensor are the same bytes on a block.
[[nodiscard]] bool same_on(const prediction& a, const prediction& b, std::uint64_t block);

}  // namespace golden::validator
