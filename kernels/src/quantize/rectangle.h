// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/rectangle.h: a block of several rows, of any format, under any rule and
// rounding, by the core's own functions: a block of threads processes it, with its values in shared
// memory. One thread chooses the scale. Equals mx::scale_of and mx::quantize_block
// (tests/kernels/quantize/rectangles_test.cpp).
//
// Shared memory: a word of each thread, then the values, row by row.
#pragma once
#include "quantize/blocks.h"

namespace mx::kernels {

inline constexpr int rectangle_threads = 128;
inline constexpr int largest_rectangle = 128 * 128;

[[nodiscard]] MX_HD constexpr bool is_of_rectangles(const block_format& f) noexcept {
  return f.rows > 1;
}

/// Bytes of shared memory of a block of threads.
[[nodiscard]] MX_HD constexpr int rectangle_bytes(int elements) noexcept {
  return (rectangle_threads + elements) * 4;
}
[[nodiscard]] MX_HD constexpr int rectangle_bytes(const block_format& f) noexcept {
  return rectangle_bytes(f.size());
}
inline constexpr int most_rectangle_bytes = rectangle_bytes(largest_rectangle);

/// Constructed by all threads of the block together, which also call its members together, except
/// for code_of and the places.
template <class Thread>
class rectangle {
 public:
  ///   number         of the block, in the order of the scales
  ///   blocks_a_line  of a line of blocks
  MX_HD rectangle(const Thread& self, const quantization& how, const matrix_lines& from,
                  std::uint64_t number, std::uint64_t blocks_a_line, const unpacked& tensor)
      : self_(self), how_(how), from_(from), number_(number) {
    const std::uint64_t line = number / blocks_a_line, along = number - line * blocks_a_line;
    first_line_ = line * static_cast<std::uint64_t>(how.format.rows);
    first_ = along * static_cast<std::uint64_t>(how.format.columns);
    const std::uint32_t largest = largest_magnitude(load());
    choose(largest, tensor);
  }

  [[nodiscard]] MX_HD const chosen_scale& scale() const noexcept { return scale_; }
  /// Zero for a special block.
  [[nodiscard]] MX_HD const unpacked& amax() const noexcept { return amax_; }

  [[nodiscard]] MX_HD int size() const noexcept { return how_.format.size(); }
  /// Of element i: its line in the matrix, its place in the line, its value.
  [[nodiscard]] MX_HD std::uint64_t line_of(int i) const noexcept {
    return first_line_ + static_cast<std::uint64_t>(i / how_.format.columns);
  }
  [[nodiscard]] MX_HD std::uint64_t along_of(int i) const noexcept {
    return first_ + static_cast<std::uint64_t>(i % how_.format.columns);
  }
  [[nodiscard]] MX_HD float value_of(int i) const noexcept { return values()[i]; }
  [[nodiscard]] MX_HD bool is_inside(int i) const noexcept {
    return line_of(i) < from_.lines && along_of(i) < from_.length;
  }
  [[nodiscard]] MX_HD std::uint32_t code_of(int i) const noexcept {
    if (scale_.special) return 0;
    const auto size = static_cast<std::uint64_t>(how_.format.size());
    const rounder rounding = rounder_of(how_, number_ * size + static_cast<std::uint64_t>(i));
    return element_code(how_.format.element, unpack(value_of(i)), scale_.ratio, rounding);
  }

 private:
  [[nodiscard]] MX_HD std::uint32_t* words() const noexcept {
    return self_.template shared<std::uint32_t>();
  }
  [[nodiscard]] MX_HD float* values() const noexcept {
    return self_.template shared<float>() + rectangle_threads;
  }

  /// Loads this thread's values; returns their largest magnitude, as bits.
  [[nodiscard]] MX_HD std::uint32_t load() const noexcept {
    std::uint32_t largest = 0;
    for (int i = self_.index(); i < size(); i += rectangle_threads) {
      const float value = is_inside(i) ? from_.at(line_of(i), along_of(i)) : 0.0F;
      const std::uint32_t magnitude = bits_of(value) & 0x7FFFFFFF;
      values()[i] = value;
      largest = largest > magnitude ? largest : magnitude;
    }
    return largest;
  }

  /// The maximum over all threads; afterwards the values may be read and the words written.
  [[nodiscard]] MX_HD std::uint32_t largest_magnitude(std::uint32_t own) const noexcept {
    words()[self_.index()] = own;
    self_.barrier();
    std::uint32_t largest = 0;
    for (int i = 0; i < rectangle_threads; ++i) {
      const std::uint32_t other = words()[i];
      largest = largest > other ? largest : other;
    }
    self_.barrier();
    return largest;
  }

  ///   largest  as bits; above those of the largest finite number if a value is special
  MX_HD void choose(std::uint32_t largest, const unpacked& tensor) noexcept {
    if (largest > format{formats::binary32}.max_code()) {
      scale_ = {how_.format.scale.nan_code(), true, {}};
      return;
    }
    amax_ = decode<formats::binary32>(largest);
    if (self_.index() == 0) {
      words()[0] = finite_scale_code(how_, values(), size(), amax_, tensor);
    }
    self_.barrier();
    const std::uint32_t code = words()[0];
    scale_ = {code, false, ratio_of(how_.format, code, tensor)};
  }

  const Thread& self_;
  const quantization& how_;
  const matrix_lines& from_;
  std::uint64_t number_, first_line_ = 0, first_ = 0;
  chosen_scale scale_;
  unpacked amax_;
};

}  // namespace mx::kernels
