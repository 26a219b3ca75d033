// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/prediction.h: the codes and scales of a tensor under a recipe.
// Equals mx::quantize_block on every block of a plain hypothesis, and the presets' quantize_block.
#pragma once
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <vector>

#include "differing.h"
#include "geometry.h"
#include "numbers.h"
#include "whole_arrays.h"

namespace golden::validator {

/// Caches the largest magnitudes of tensors and their rows for many hypotheses.
class extent_memory {
 public:
  ///   returns  one, or one a row in the order of the tensor scales
  const std::vector<magnitudes>& of(const subject& s, const geometry& g, const hypothesis& r);

 private:
  std::mutex looking_;
  std::map<std::tuple<const subject*, precision, bool, std::size_t>, std::vector<magnitudes>>
      known_;
};

/// One block under a recipe.
///   drawn  if not empty, random bits for the rounding of elements, instead of the hypothesis's
struct predicted_block {
  std::uint32_t scale = 0;
  std::vector<std::uint8_t> codes;
  std::vector<float> given, for_elements;  ///< its numbers, as given and as encoded
  std::vector<float> for_scale;            ///< those of all blocks that share its scale
  int drawn_bits = 8;
  std::vector<std::uint32_t> drawn;
};

/// A hypothesis applied to a tensor; both outlive it.
class prediction {
 public:
  ///   errors  std::logic_error unless the hypothesis is possible and has a geometry
  prediction(const hypothesis& r, const subject& s, extent_memory& extents);

  [[nodiscard]] const hypothesis& kernel() const { return kernel_; }
  [[nodiscard]] const subject& of() const { return subject_; }
  [[nodiscard]] const geometry& where() const { return geometry_; }
  /// Tensor scales that blocks are encoded under: one, or one a row; empty where the format has
  /// none; the format's where the hypothesis takes those in the file and one of them is unusable.
  [[nodiscard]] const std::vector<float>& tensor_scales() const { return tensor_scales_; }
  /// The same as largest magnitudes, in the form of a preset or an order of operations.
  [[nodiscard]] const std::vector<float>& preset_amax() const { return tensor_amax_; }
  /// Those that the hypothesis writes where it computes them itself.
  [[nodiscard]] std::vector<float> computed_tensor_scales() const;
  /// Those that are written.
  [[nodiscard]] std::vector<float> written_tensor_scales() const;
  /// Indices of the tensor scales in the file that are not those of the hypothesis; none where it
  /// has none, and where their number is another one, all of the larger number.
  [[nodiscard]] std::vector<std::uint64_t> differing_tensor_scales() const;
  [[nodiscard]] bool agrees_on_tensor_scales() const { return differing_tensor_scales().empty(); }
  /// Indices of the pass's macro fractions that are not as predicted, in the order of
  /// mx::coded_pass; none where the hypothesis has none.
  [[nodiscard]] std::vector<std::uint64_t> differing_fractions() const;
  /// The numbers beside codes and scales that are not as predicted: tensor scales, or macro blocks'
  /// fractions, a residual's first; no value where all are. Arrays of corrections that the
  /// hypothesis leaves out hold zeros.
  [[nodiscard]] std::optional<differing> differing_numbers() const;
  /// Whether codes and scales come from the whole tensor.
  [[nodiscard]] bool is_of_whole() const { return whole_ != nullptr; }
  /// The residual in place of the first pass; no value where the hypothesis has none.
  [[nodiscard]] std::optional<prediction> residual() const;
  /// The bytes of the file that the pass is compared with.
  [[nodiscard]] byte_span found_codes() const { return found_codes_; }
  [[nodiscard]] byte_span found_scales() const { return found_scales_; }
  /// Computes a block: its codes, and its scale before scales are moved from place to place.
  void make(std::uint64_t block, predicted_block& out) const;

 private:
  void take(std::uint64_t block, predicted_block& out) const;
  void gather(const block_place& p, predicted_block& out) const;
  void gather_shared(const block_place& p, predicted_block& out) const;
  [[nodiscard]] std::uint64_t lines_unwritten() const;
  [[nodiscard]] bool is_unwritten(const block_place& p) const;
  void leave_unwritten(const block_place& p, predicted_block& out) const;
  [[nodiscard]] float seen_number(const block_place& p, std::uint64_t row,
                                  std::uint64_t position) const;
  void quantize(std::uint64_t block, const block_place& p, predicted_block& out) const;
  void quantize_by_reach(std::uint64_t block, const block_place& p, predicted_block& out) const;
  void quantize_by_preset(std::uint64_t block, const block_place& p, predicted_block& out) const;
  void finish(const block_place& p, predicted_block& out) const;
  void choose_tensor_scales(extent_memory& extents);
  [[nodiscard]] float preset_factor(std::size_t row) const;
  [[nodiscard]] mx::nvfp4_tensor tensor_under(const mx::nvfp4_variant& v, std::uint64_t row) const;

  const hypothesis& kernel_;
  const subject& subject_;
  geometry geometry_;
  std::vector<float> tensor_scales_;
  std::vector<float> tensor_amax_;  ///< in the form of a preset
  bool is_plain_;
  std::shared_ptr<const whole_arrays> whole_;
  const whole_arrays::pass* pass_ = nullptr;  ///< of whole_
  byte_span found_codes_, found_scales_, found_fractions_;
};

/// Whether two predictions of the same tensor have the same bytes for a block.
[[nodiscard]] bool same_on(const prediction& a, const prediction& b, std::uint64_t block);

}  // namespace golden::validator
