// SPDX-License-Identifier: Apache-2.0
// golden/validator/places/marks.h: collects the places of differences from several threads.
#pragma once
#include <span>

#include "golden/validator/tensor/prediction.h"
#include "places.h"

namespace golden::validator {

/// A byte for each code of the tensor and each scale of its grid, set to 1 where it differs; either
/// may be empty.
struct difference_mask {
  std::span<std::uint8_t> codes, scales;
};

/// Collects places; one for a comparison. Any thread may add.
class marks {
 public:
  /// Keeps a reference to the prediction.
  explicit marks(const prediction& p, difference_mask mask = {});

  /// Adds a code that differs.
  void add_code(const block_place& at, std::uint64_t row, std::uint64_t position);
  /// Adds a block whose scale differs.
  void add_scale(std::uint64_t block);
  /// Adds a block under a tensor scale or a macro fraction that differs; or where all are, every
  /// element.
  void add_above(std::uint64_t block);
  void add_everything();

  /// What was added.
  ///   counts  of blocks, of codes with those of padding, of scales, of the numbers above blocks
  struct counts {
    std::uint64_t blocks = 0, codes = 0, scales = 0, above = 0;
  };
  [[nodiscard]] places found(const counts& n) const;

 private:
  struct matrix {
    matrix(std::uint64_t row_count, std::uint64_t column_count)
        : rows(row_count), columns(column_count) {}
    flag_set rows, columns;
  };

  [[nodiscard]] matrix_places of(const matrix& m, std::uint64_t count) const;
  void add_element(std::uint64_t element);
  /// Calls work(element) for a block's elements.
  template <class Work>
  void for_elements(std::uint64_t block, const Work& work) const;

  const geometry& g_;
  bool is_across_;
  std::uint64_t row_length_, rows_a_matrix_, grid_columns_;
  bool is_tiled_;
  matrix codes_, scales_, above_, elements_;
  flag_set positions_;
  std::atomic<std::uint64_t> padding_{0};
  difference_mask mask_;
};

}  // namespace golden::validator
