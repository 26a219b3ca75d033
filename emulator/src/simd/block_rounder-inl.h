// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/block_rounder-inl.h: blocks under a scale to codes, or to values; included once
// for each target. Equals mx::quantize_element, and mx::dequantize_element of its codes.
#if defined(MX_SIMD_BLOCK_ROUNDER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_ROUNDER_INL_H
#undef MX_SIMD_BLOCK_ROUNDER_INL_H
#else
#define MX_SIMD_BLOCK_ROUNDER_INL_H
#endif

#include <algorithm>
#include <type_traits>

#include "simd/part_coder-inl.h"
#include "simd/random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

enum class result : std::uint8_t { codes, values };

/// Rounds the blocks of one batch.
template <result Result, sign_style Style, class Scale>
class block_rounder {
 public:
  explicit block_rounder(const quantization& q)
      : q_(q),
        round_(q.format.element, q.rounding, q.random.bits),
        grid_(q.format.element),
        magnitudes_(q.format.element),
        stream_(q.random) {}

  /// The blocks of a part.
  HWY_INLINE void all(const block_batch& batch, const block_part& blocks) {
    run_end_ = 0;
    const rounder_of_elements round = round_;  // local copies, which codes cannot alias
    const grid_of_elements elements = grid_;
    const block_batch in = batch;
    if (q_.rounding == rounding::ties_to_even) {
      for (int b = 0; b < in.count; ++b) {
        fetch_after(in, b);
        round_to_even(round, elements, Scale(blocks, b), in, b);
      }
    } else if (q_.rounding != rounding::stochastic) {
      for (int b = 0; b < in.count; ++b) {
        fetch_after(in, b);
        round_plainly<rounding_class::plain>(round, Scale(blocks, b), in, b);
      }
    } else {
      for (int b = 0; b < in.count; ++b) {
        fetch_after(in, b);
        round_stochastically(round, Scale(blocks, b), in, b);
      }
    }
  }

  HWY_INLINE void one(const Scale& scale, const block_batch& batch, int b) {
    switch (q_.rounding) {
      case rounding::ties_to_even:
        return round_to_even(round_, grid_, scale, batch, b);
      case rounding::stochastic:
        return round_stochastically(round_, scale, batch, b);
      default:
        round_plainly<rounding_class::plain>(round_, scale, batch, b);
    }
  }

  /// Signed zeros: the codes of all elements under a scale of zero.
  void zeros(const float* x, std::uint64_t count, std::uint8_t* codes) const {
    for (std::uint64_t i = 0; i < count; i += lanes) {
      store_codes(round_.template with_sign<Style>(hn::Zero(I32()), load_bits(x + i)), codes + i);
    }
  }

  /// As many elements as a vector has to the nearest codes, ties to even.
  HWY_INLINE void vector_to_even(const Scale& scale, const float* x, std::uint8_t* codes) const {
    round_elements<rounding_class::to_even>(round_, scale, x, lanes, code_sink<Style>{codes});
  }

 private:
  using rounder_of_elements = element_rounder<Scale::fraction>;
  using grid_of_elements = typename Scale::grid_of_elements;
  /// Quotients have a grid for values with signs of their own.
  static constexpr bool on_grid =
      std::is_same_v<Scale, shifted> || (Result == result::values && Style == sign_style::own);
  using sink = std::conditional_t<Result == result::codes, code_sink<Style>, value_sink<Style>>;

  /// The results of elements from `at` on.
  HWY_INLINE sink sink_at(const block_batch& batch, std::uint64_t at) const {
    if constexpr (Result == result::codes) {
      return {batch.codes + at};
    } else {
      return {batch.values + at, magnitudes_};
    }
  }

  /// Prefetches while elements are rounded, the longest phase, which hides the latency of memory.
  static HWY_INLINE void fetch_after(const block_batch& batch, int b) {
    if (batch.how == storing::cached) return;
    fetch(batch.x + static_cast<std::uint64_t>(b) * batch.stride, batch.stride);
  }

  HWY_INLINE void round_to_even(const rounder_of_elements& round, const grid_of_elements& elements,
                                const Scale& scale, const block_batch& batch, int b) const {
    if constexpr (on_grid) {
      const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
      round_to_nearest(round, elements, scale, batch.x + at, batch.stride, sink_at(batch, at));
    } else {
      round_plainly<rounding_class::to_even>(round, scale, batch, b);
    }
  }

  template <rounding_class Class>
  HWY_INLINE void round_plainly(const rounder_of_elements& round, const Scale& scale,
                                const block_batch& batch, int b) const {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    round_elements<Class>(round, scale, batch.x + at, batch.stride, sink_at(batch, at));
  }

  HWY_INLINE void round_stochastically(const rounder_of_elements& round, const Scale& scale,
                                       const block_batch& batch, int b) {
    constexpr std::uint64_t most = random_kernel::random_stream::most;
    const auto size = static_cast<std::uint64_t>(q_.format.size());
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const std::uint64_t first = batch.number(b) * size;
    if (b >= run_end_) run_end_ = b + batch.run_from(b);
    const std::uint64_t ahead = static_cast<std::uint64_t>(run_end_ - b) * size;
    const float* x = batch.x + at;
    for (std::uint64_t i = 0; i < batch.stride; i += most) {
      const std::uint64_t length = std::min(most, batch.stride - i);
      const std::uint8_t* drawn = stream_.at(first + i, length, std::max(length, ahead - i));
      const sink to = sink_at(batch, at + i);
      switch (elements_a_word(q_.random.bits)) {
        case 4:
          round_randomly<8>(round, scale, x + i, length, drawn, to);
          break;
        case 2:
          round_randomly<16>(round, scale, x + i, length, drawn, to);
          break;
        default:
          round_randomly<32>(round, scale, x + i, length, drawn, to);
      }
    }
  }

  const quantization& q_;
  rounder_of_elements round_;
  grid_of_elements grid_;
  magnitude_values magnitudes_;
  int run_end_ = 0;  ///< of blocks with consecutive numbers
  random_kernel::random_stream stream_;
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
