// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/bulk_codes.h: codes and scales of a part of a tensor, by the core's
// whole-tensor functions, and block by block where a hypothesis differs from them. Equals
// prediction::make.
#pragma once
#include <vector>

#include "chunks.h"
#include "mx/presets/bulk_variants.h"
#include "prediction.h"

namespace golden::validator {

class bulk_codes {
 public:
  /// Keeps a reference to the prediction.
  explicit bulk_codes(const prediction& p);

  /// Whether the core's functions compute most blocks of the recipe.
  [[nodiscard]] bool is_possible() const { return how_ != how::by_block; }

  /// Computes a part; requires is_possible().
  void make(const chunk& c);
  /// Codes of the part in the core's order, two a byte where the geometry is halved.
  [[nodiscard]] const std::vector<std::uint8_t>& codes() const { return codes_; }
  /// The place of a code in these.
  [[nodiscard]] stored_code place_of(const chunk& c, const block_place& block, std::uint64_t row,
                                     std::uint64_t position) const;
  /// One byte a block.
  [[nodiscard]] const std::vector<std::uint8_t>& scales() const { return scales_; }
  [[nodiscard]] const mx::blocked_sizes& sizes() const { return sizes_; }

 private:
  /// The function used: rules of the core; a preset; an order of operations.
  enum class how : unsigned char { by_block, rules, preset, order };

  /// Numbers of a block of one row.
  struct block_numbers {
    bool special = false, tiny = false, zero = true;  ///< tiny: has a zero or a subnormal
  };

  [[nodiscard]] how chosen() const;
  [[nodiscard]] bool has_exceptions() const;
  [[nodiscard]] mx::code_packing packing() const;
  [[nodiscard]] std::uint64_t line_of(const chunk& c) const;
  [[nodiscard]] std::uint64_t first_number(const chunk& c) const;
  [[nodiscard]] const std::uint8_t* bytes_of(const chunk& c) const;
  [[nodiscard]] const void* numbers_of(const chunk& c, mx::number_type& type);
  [[nodiscard]] const float* floats_of(const chunk& c);
  void make_by_rules(const chunk& c);
  void make_by_preset(const chunk& c);
  void make_exceptions(const chunk& c);
  [[nodiscard]] block_numbers numbers_in(const block_place& at) const;
  [[nodiscard]] bool is_exception(const block_place& at, std::uint8_t scale) const;
  [[nodiscard]] predicted_block taken(const chunk& c, std::uint64_t block) const;
  void put(const chunk& c, std::uint64_t block, const predicted_block& made);

  const prediction& p_;
  const geometry& g_;
  how how_;
  mx::blocked_sizes sizes_;
  std::vector<std::uint8_t> codes_, scales_, single_;
  std::vector<float> numbers_;
  std::vector<mx::variant_tensor_scale> above_;
};

}  // namespace golden::validator
