// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_block_quantizer-inl.h: batches of blocks to scales and codes; included once for
// each target. Equals mx::quantize_block.
#if defined(MX_SIMD_BLOCK_QUANTIZER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_QUANTIZER_INL_H
#undef MX_SIMD_BLOCK_QUANTIZER_INL_H
#else
#define MX_SIMD_BLOCK_QUANTIZER_INL_H
#endif

#include <algorithm>

#include "block_batch.h"
#include "simd_block_elements-inl.h"
#include "simd_block_scale-inl.h"
#include "simd_random-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

/// Quantizes the blocks of one batch.
template <sign_style Style, class Scale>
class block_quantizer {
 public:
  explicit block_quantizer(const quantization& q)
      : q_(q),
        simple_rule_(Scale::fraction == shifted::fraction &&
                     (is_power_of_two_rule(q.rule) || q.rule == scale_rule::static_four)),
        round_(q.format.element, q.rounding, q.random.bits),
        stream_(q.random) {
    if (simple_rule_) bounds_ = rule_bounds_of(q.format.element, q.rule);
  }

  /// Returns the number of special blocks.
  int all(const block_batch& batch) {
    int special = 0;
    if (!simple_rule_) {
      for (int b = 0; b < batch.count; ++b) special += unusual_block(batch, b, amax_of(batch, b));
      return special;
    }
    for (int b = 0; b < batch.count; b += part_blocks) {
      special += simple_blocks(batch, b, std::min(part_blocks, batch.count - b));
    }
    return special;
  }

 private:
  static constexpr std::uint32_t smallest_normal = 0x00800000;
  static constexpr int part_blocks = 64;

  static HWY_INLINE std::uint32_t amax_of(const block_batch& batch, int b) {
    return largest_bits(batch.x + static_cast<std::uint64_t>(b) * batch.stride, batch.stride);
  }

  /// Blocks whose scale follows from amax's pattern, and among them those that are no such blocks.
  int simple_blocks(const block_batch& batch, int first, int count) {
    // A part that is not full ends with blocks that nothing is wrong with.
    HWY_ALIGN std::uint32_t amax[part_blocks];
    HWY_ALIGN std::uint32_t codes[part_blocks];
    std::fill_n(amax, part_blocks, bits_of(1.0F));
    largest_of_blocks(batch, first, count, amax);
    const int first_usual = first_usual_code();
    const bool unusual = power_of_two_scales(bounds_, first_usual, amax, part_blocks, codes);
    std::copy_n(codes, count, batch.scales + first);
    round_blocks(batch, first, count);
    if (HWY_LIKELY(!unusual)) return 0;
    int special = 0;
    for (int b = 0; b < count; ++b) {
      const bool usual = amax[b] >= smallest_normal && amax[b] <= formats::binary32.max_code() &&
                         static_cast<int>(codes[b]) >= first_usual;
      if (!usual) special += unusual_block(batch, first + b, amax[b]);
    }
    return special;
  }

  static HWY_INLINE void largest_of_blocks(const block_batch& batch, int first, int count,
                                           std::uint32_t* amax) {
    int b = 0;
#if HWY_TARGET != HWY_SCALAR
    for (; b + 4 <= count; b += 4) {
      if (batch.how == storing::streamed) {
        fetch(batch.x + static_cast<std::uint64_t>(first + b) * batch.stride, 4 * batch.stride);
      }
      largest_of_four(batch.x + static_cast<std::uint64_t>(first + b) * batch.stride, batch.stride,
                      amax + b);
    }
#endif
    for (; b < count; ++b) amax[b] = amax_of(batch, first + b);
  }

  void round_blocks(const block_batch& batch, int first, int count) {
    if (batch.stride == 32) return round_blocks_of<32>(batch, first, count);
    round_blocks_of<0>(batch, first, count);
  }

  /// Stride  of the batch, where the compiler shall know it; else 0
  template <int Stride>
  HWY_INLINE void round_blocks_of(const block_batch& batch, int first, int count) {
    const std::uint64_t stride = Stride > 0 ? Stride : batch.stride;
    const element_rounder<Scale::fraction> round = round_;  // codes cannot point into it
    const block_batch in = batch;
    for (int b = first; b < first + count; ++b) {
      const std::uint64_t at = static_cast<std::uint64_t>(b) * stride;
      const chosen_scale scale{in.scales[b], false, {unpacked::finite(false, 1, 0)}};
      round_block(round, Scale(scale), in.x + at, stride, in.first + static_cast<std::uint64_t>(b),
                  in.codes + at);
    }
  }

  /// Special blocks, zeros, and scales that take more than a look at amax.
  HWY_NOINLINE int unusual_block(const block_batch& batch, int b, std::uint32_t amax) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const float* x = batch.x + at;
    std::uint8_t* codes = batch.codes + at;
    if (amax > formats::binary32.max_code()) {
      batch.scales[b] = q_.format.scale.nan_code();
      std::fill_n(codes, batch.stride, std::uint8_t{0});
      return 1;
    }
    const chosen_scale scale = scale_of(q_, x, q_.format.size(), unpack(batch.tensor_scales[b]));
    batch.scales[b] = scale.code;
    if (amax == 0 || scale.ratio.numerator.is_zero()) {
      zero_elements(x, batch.stride, codes);
    } else {
      quantize_under(scale, x, batch.stride, batch.first + static_cast<std::uint64_t>(b), codes);
    }
    return 0;
  }

  /// Signed zeros: what everything is under a scale of zero.
  void zero_elements(const float* x, std::uint64_t count, std::uint8_t* codes) const {
    for (std::uint64_t i = 0; i < count; i += lanes) {
      store_codes(round_.template with_sign<Style>(hn::Zero(I32()), load_bits(x + i)), codes + i);
    }
  }

  HWY_INLINE void quantize_under(const chosen_scale& scale, const float* x, std::uint64_t count,
                                 std::uint64_t number, std::uint8_t* codes) {
    if (Scale::fraction == shifted::fraction && static_cast<int>(scale.code) < first_usual_code()) {
      quantize_block(q_, x, no_tensor_scale, number, codes);
    } else {
      round_block(round_, Scale(scale), x, count, number, codes);
    }
  }

  HWY_INLINE void round_block(const element_rounder<Scale::fraction>& round, const Scale& scale,
                              const float* x, std::uint64_t count, std::uint64_t number,
                              std::uint8_t* codes) {
    if (q_.rounding == rounding::ties_to_even) {
      return round_elements<Style, rounding_class::to_even>(round, scale, x, count, codes);
    }
    if (q_.rounding != rounding::stochastic) {
      return round_elements<Style, rounding_class::plain>(round, scale, x, count, codes);
    }
    constexpr std::uint64_t most = random_kernel::random_stream::most;
    const std::uint64_t first = number * static_cast<std::uint64_t>(q_.format.size());
    for (std::uint64_t i = 0; i < count; i += most) {
      const std::uint64_t length = std::min(most, count - i);
      const std::uint8_t* drawn = stream_.at(first + i, length);
      switch (elements_a_word(q_.random.bits)) {
        case 4:
          round_randomly<Style, 8>(round, scale, x + i, length, drawn, codes + i);
          break;
        case 2:
          round_randomly<Style, 16>(round, scale, x + i, length, drawn, codes + i);
          break;
        default:
          round_randomly<Style, 32>(round, scale, x + i, length, drawn, codes + i);
      }
    }
  }

  /// The smallest scale code under which FP32's subnormals are dead, with up to 24 random bits too:
  /// they are below 2^(1 - code) scales. Their hidden bit would be missed.
  HWY_INLINE int first_usual_code() const {
    const int last_place = q_.format.element.emin() - q_.format.element.fraction_bits;
    return 1 - last_place + 25;
  }

  const quantization& q_;
  bool simple_rule_;  ///< the scale follows from amax's pattern
  rule_bounds bounds_;
  element_rounder<Scale::fraction> round_;
  random_kernel::random_stream stream_;
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
