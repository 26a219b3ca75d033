// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_line.h: one line of an operand after another by the core, without
// tasks: the clear path, which the kernels equal.
#pragma once
#include <vector>

#include "mx/presets/bulk_variants.h"
#include "mx/tensor/operand.h"
#include "tensor/line_room.h"

namespace mx {

/// A line: `count` elements, `step` apart, and the numbers of its blocks for random bits.
struct line_elements {
  const float* x;
  std::ptrdiff_t step;
  block_numbers numbers = {};
};

/// Throws std::invalid_argument if the operand's lines have no codes of a byte with scales of one.
void require_codes(const operand& f);

/// Whether lines have a tensor scale.
[[nodiscard]] bool has_line_scale(const operand& f) noexcept;

/// Quantizes lines of equal length.
///   f  coded; line_refusal_of is none
class clear_line {
 public:
  clear_line(const operand& f, int count);

  [[nodiscard]] std::ptrdiff_t padded() const noexcept { return padded_; }
  [[nodiscard]] std::ptrdiff_t blocks() const noexcept { return blocks_; }

  /// Takes a line's amax, as the tensor scale needs it, into that of the lines seen so far.
  void see(const line_elements& line);
  /// The tensor scale of the lines seen so far, which are forgotten; 1 if there is none.
  [[nodiscard]] variant_tensor_scale seen_scale();

  void values(const line_elements& line, const variant_tensor_scale& tensor, float* out,
              std::ptrdiff_t out_step);
  ///   codes   receives padded() of them      scales  receives blocks() of them
  ///   errors  requires require_codes(f) not to throw
  void codes(const line_elements& line, const variant_tensor_scale& tensor, std::uint8_t* codes,
             std::uint8_t* scales);

 private:
  void gather(const line_elements& line);
  void toggled_values();
  void recipe_values(const line_elements& line, float tensor);
  void preset_values(const line_elements& line, const variant_tensor_scale& tensor);
  void preset_codes(const line_elements& line, const variant_tensor_scale& tensor,
                    std::uint8_t* codes, std::uint8_t* scales);
  [[nodiscard]] const variant_entry& preset() const;

  operand f_;
  block_format format_;  ///< under one tensor scale for each line
  int count_;
  std::ptrdiff_t padded_, blocks_;
  std::uint32_t largest_ = 0;
  std::vector<float> seen_;  ///< elements of lines seen, for a preset
  line_room room_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace mx
