// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/block_quantizer-inl.h: batches of blocks to scales and codes, or to values;
// included once for each target. Equals mx::quantize_block, and mx::dequantize_element of its
// codes.
#if defined(MX_SIMD_BLOCK_QUANTIZER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_BLOCK_QUANTIZER_INL_H
#undef MX_SIMD_BLOCK_QUANTIZER_INL_H
#else
#define MX_SIMD_BLOCK_QUANTIZER_INL_H
#endif

#include <algorithm>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "simd/block_rounder-inl.h"
#include "simd/pairs-inl.h"
#include "simd/scale_search-inl.h"
#include "simd/widening-inl.h"
#include "tensor/core_blocks.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

/// Quantizes the blocks of one batch.
template <result Result, sign_style Style, class Scale>
class block_quantizer {
 public:
  explicit block_quantizer(const quantization& q) : q_(q), scales_(q), round_(q) {
#if HWY_TARGET != HWY_SCALAR
    if (search::serves(q)) search_.emplace(q);
#endif
  }

  /// Returns the number of special blocks.
  int all(const block_batch& batch) {
#if MX_SIMD_INTERVAL_CODES
    if (may_have_table && scale_table::serves(q_, batch)) {
      scale_table table(q_, batch.tensor_scales[0]);
      table_ = &table;
      return known_parts(batch);
    }
#endif
    if (scales_.known() || has_search()) return known_parts(batch);
    return parts(batch, [&](const block_batch& some) HWY_ATTR {
      return in_bytes(some, [&](const block_batch& bytes) HWY_ATTR {
        int special = 0;
        for (int b = 0; b < bytes.count; ++b) special += any_block(bytes, b);
        return special;
      });
    });
  }

 private:
#if HWY_TARGET != HWY_SCALAR
  using search = scale_search<typename Scale::scales>;
  [[nodiscard]] bool has_search() const { return search_.has_value(); }
#else
  [[nodiscard]] static bool has_search() { return false; }
#endif

  static HWY_INLINE std::int32_t amax_of(const block_batch& batch, int b) {
    return largest_bits(batch.x + static_cast<std::uint64_t>(b) * batch.stride, batch.stride);
  }

  static constexpr bool may_have_table =
      Result == result::codes && Style == sign_style::own && !std::is_same_v<Scale, shifted>;

  int known_parts(const block_batch& batch) {
    if (batch.stride == 16) return known_parts_of<16>(batch);
    if (batch.stride == 32) return known_parts_of<32>(batch);
    return known_parts_of<0>(batch);
  }

  /// Blocks whose elements, read twice, stay in the first-level cache; whole vectors of them. Two
  /// vectors if that is possible: one would wait for each of the divisions that choose its scales.
  static int blocks_a_part(std::uint64_t stride) {
    constexpr std::uint64_t least = 16;
    const std::uint64_t elements = stride < 128 ? 2048 : 4096;
    return static_cast<int>(
        std::clamp<std::uint64_t>(elements / stride, least, block_part::blocks));
  }

  /// Stride  of the batch if it is a compile-time constant; else 0
  template <int Stride>
  int known_parts_of(const block_batch& batch) {
    return parts(batch, [&](const block_batch& some) HWY_ATTR {
      if (takes_four<Stride>(some)) return part<Stride>(some);
      return in_bytes(some, [&](const block_batch& bytes) HWY_ATTR { return part<Stride>(bytes); });
    });
  }

  /// Calls work(part) for the parts of a batch.
  ///   returns  the sum of what it returns
  template <class Work>
  HWY_INLINE int parts(const block_batch& batch, const Work& work) {
    const int most = blocks_a_part(batch.stride);
    if (batch.narrow.numbers != nullptr) {
      widened_ = hwy::AllocateAligned<float>(static_cast<std::size_t>(std::min(most, batch.count)) *
                                             batch.stride);
      if (widened_ == nullptr) throw std::bad_alloc();
    }
    int special = 0;
    for (int b = 0; b < batch.count; b += most) {
      special += work(in_fp32(batch.part(b, std::min(most, batch.count - b))));
    }
    return special;
  }

  /// A part whose numbers are FP32, and in a near cache if they were not.
  HWY_INLINE block_batch in_fp32(block_batch part) {
    if (part.narrow.numbers == nullptr) return part;
    const std::uint64_t count = static_cast<std::uint64_t>(part.count) * part.stride;
    widen_on_vectors(part.narrow.type, part.narrow.numbers, count, widened_.get());
    part.x = widened_.get();
    part.how = storing::cached;
    part.narrow = {};
    return part;
  }

  /// Returns work(batch), whose codes have a byte each, and are packed behind it if the batch's
  /// are.
  template <class Work>
  HWY_INLINE int in_bytes(const block_batch& batch, const Work& work) {
    if (batch.packing != code_packing::packed) return work(batch);
    const std::uint64_t codes = static_cast<std::uint64_t>(batch.count) * batch.stride;
    bytes_.resize(std::max<std::size_t>(bytes_.size(), codes));
    block_batch bytes = batch;
    bytes.codes = bytes_.data();
    bytes.codes_how = storing::cached;
    bytes.packing = code_packing::unpacked;
    const int special = work(bytes);
    store_pairs(bytes_.data(), codes / 2, batch.codes_how, batch.codes);
    return special;
  }

  /// Whether the elements of a part, those of unusual blocks too, are rounded four vectors at a
  /// time.
  template <int Stride>
  [[nodiscard]] HWY_INLINE bool takes_four([[maybe_unused]] const block_batch& batch) const {
#if MX_SIMD_BYTE_CODES
    constexpr bool has_coder = Style != sign_style::negated || std::is_same_v<Scale, shifted>;
    if constexpr (Result == result::codes && has_coder) {
      return q_.rounding == rounding::ties_to_even &&
             part_coder<Style, Stride, multiplied_codes>::takes(batch);
    }
#endif
    return false;
  }

  /// Blocks whose scale follows from amax; unusual ones among them are handled separately.
  template <int Stride>
  HWY_INLINE int part(const block_batch& batch) {
    block_part blocks;
    fill<Stride>(batch, blocks);
    const bool unusual = choose<Stride>(batch, blocks);
    if constexpr (Result == result::codes) {
      std::copy_n(blocks.codes, batch.count, batch.scales);
      if (takes_four<Stride>(batch)) {
        round_four<Stride>(batch, blocks);
        return unusual ? unusual_blocks(batch, blocks) : 0;
      }
    }
    if (HWY_LIKELY(!unusual)) {
      round_.all(batch, blocks);
      return 0;
    }
    return mixed_blocks(batch, blocks);
  }

  /// Returns whether a block is unusual.
  template <int Stride>
  HWY_INLINE bool choose(const block_batch& batch, block_part& blocks) {
#if MX_SIMD_INTERVAL_CODES
    if constexpr (may_have_table) {
      if (has_table<Stride>(batch)) return choose_from_table(blocks, batch.count);
    }
#endif
#if HWY_TARGET != HWY_SCALAR
    if (search_) return search_->choose(batch, blocks);
#endif
    return scales_.choose(blocks, batch.count);
  }

#if MX_SIMD_INTERVAL_CODES
  HWY_INLINE bool choose_from_table(block_part& blocks, int count) {
    const I32 d;
    Vi any = hn::Zero(d);
    for (int b = 0; b < count; b += lanes) {
      const Vi unusual = table_->choose(blocks, b);
      hn::Store(unusual, d, blocks.unusual + b);
      any = hn::Or(any, unusual);
    }
    return !hn::AllFalse(d, hn::Lt(any, hn::Zero(d)));
  }

  /// Whether scales and elements of a part follow from the table.
  template <int Stride>
  [[nodiscard]] HWY_INLINE bool has_table(const block_batch& batch) const {
    return table_ != nullptr && takes_four<Stride>(batch);
  }
#endif

#if MX_SIMD_BYTE_CODES
  /// Codes of all the blocks of a part.
  template <int Stride>
  HWY_INLINE void round_four(const block_batch& batch, const block_part& blocks) {
    const format& element = q_.format.element;
    if constexpr (!std::is_same_v<Scale, shifted>) {
#if MX_SIMD_INTERVAL_CODES
      if constexpr (may_have_table) {
        if (has_table<Stride>(batch)) {
          return round_four_by<Stride>(tabled_codes(element, *table_), batch, blocks);
        }
      }
      if (element == formats::e2m1) {
        return round_four_by<Stride>(interval_codes(element), batch, blocks);
      }
#endif
      round_four_by<Stride>(multiplied_codes(element), batch, blocks);
    } else if constexpr (Style != sign_style::negated) {
      round_four_by<Stride>(shifted_codes(element), batch, blocks);
    } else {
      round_four_by<Stride>(shifted_integers(element), batch, blocks);
    }
  }

  template <int Stride, class Coder>
  HWY_INLINE void round_four_by(const Coder& elements, const block_batch& batch,
                                const block_part& blocks) {
    part_coder<Style, Stride, Coder>(elements, batch)
        .all(batch, blocks, [&](int b, const float* x, std::uint8_t* codes) HWY_ATTR {
          round_.vector_to_even(Scale(blocks, b), x, codes);
        });
  }
#else
  template <int Stride>
  void round_four(const block_batch&, const block_part&) {}
#endif

  /// Over codes that are already stored.
  HWY_NOINLINE int unusual_blocks(const block_batch& batch, const block_part& blocks) {
    if (batch.codes_how == storing::streamed) hwy::FlushStream();
    int special = 0;
    for (int b = 0; b < batch.count; ++b) {
      if (blocks.unusual[b] >= 0) continue;
      block_batch one = batch.part(b, 1);
      one.codes_how = storing::cached;
      special +=
          in_bytes(one, [&](const block_batch& bytes) HWY_ATTR { return any_block(bytes, 0); });
    }
    return special;
  }

  HWY_NOINLINE int mixed_blocks(const block_batch& batch, const block_part& blocks) {
    int special = 0;
    for (int b = 0; b < batch.count; ++b) {
      if (blocks.unusual[b] < 0) {
        special += any_block(batch, b);
      } else {
        round_.one(Scale(blocks, b), batch, b);
      }
    }
    return special;
  }

  /// A partial part is padded with regular blocks.
  template <int Stride>
  static HWY_INLINE void fill(const block_batch& batch, block_part& blocks) {
    if (batch.count < block_part::blocks) {
      std::fill_n(blocks.amax, block_part::blocks, static_cast<std::int32_t>(bits_of(1.0F)));
      std::fill_n(blocks.tensor_scales, block_part::blocks, 1.0F);
    }
    const std::uint64_t stride = Stride > 0 ? Stride : batch.stride;
    largest_of_blocks(batch.x, stride, batch.count, blocks.amax);
    std::copy_n(batch.tensor_scales, batch.count, blocks.tensor_scales);
  }

  HWY_INLINE int any_block(const block_batch& batch, int b) {
    if constexpr (Result == result::codes) return unusual_block(batch, b);
    unusual_values(batch, b);
    return 0;
  }

  /// Values of any block, which may be in place.
  HWY_NOINLINE void unusual_values(const block_batch& batch, int b) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const float* x = batch.x + at;
    float* y = batch.values + at;
    if (amax_of(batch, b) != 0) return mx::values_by_core(q_, batch, b);
    const bool signs = Style == sign_style::own;
    for (int i = 0; i < size(); ++i) y[i] = signs ? x[i] : 0.0F;
  }

  /// Codes of special blocks, zeros, and scales that do not follow from amax alone.
  HWY_NOINLINE int unusual_block(const block_batch& batch, int b) {
    const std::uint64_t at = static_cast<std::uint64_t>(b) * batch.stride;
    const float* x = batch.x + at;
    std::uint8_t* codes = batch.codes + at;
    const bool zeros = amax_of(batch, b) == 0;
    const chosen_scale scale = zeros ? scale_of_zeros(x, batch.tensor_scales[b])
                                     : scale_of(q_, x, size(), unpack(batch.tensor_scales[b]));
    batch.scales[b] = scale.code;
    if (scale.special) {
      std::fill_n(codes, batch.stride, std::uint8_t{0});
      return 1;
    }
    if (scale.ratio.numerator.is_zero() || zeros) {
      round_.zeros(x, batch.stride, codes);
    } else {
      quantize_under(scale, batch, b);
    }
    return 0;
  }

  /// The scale of a block of zeros, which depends on its tensor scale alone: chosen once for as
  /// many as follow one another.
  chosen_scale scale_of_zeros(const float* zeros, float tensor_scale) {
    if (!has_zeros_ || bits_of(tensor_scale) != bits_of(tensor_scale_of_zeros_)) {
      scale_of_zeros_ = scale_of(q_, zeros, size(), unpack(tensor_scale));
      tensor_scale_of_zeros_ = tensor_scale;
      has_zeros_ = true;
    }
    return scale_of_zeros_;
  }

  [[nodiscard]] int size() const { return q_.format.size(); }

  HWY_INLINE void quantize_under(const chosen_scale& chosen, const block_batch& batch, int b) {
    const Scale scale(chosen);
    if (scale.serves(q_.format.element)) return round_.one(scale, batch, b);
    codes_by_core(q_, batch, b);
  }

  const quantization& q_;
  typename Scale::scales scales_;
#if HWY_TARGET != HWY_SCALAR
  std::optional<search> search_;
#endif
#if MX_SIMD_INTERVAL_CODES
  scale_table* table_ = nullptr;  ///< of the batch
#endif
  block_rounder<Result, Style, Scale> round_;
  std::vector<std::uint8_t> bytes_;  ///< codes of a part before they are packed
  hwy::AlignedFreeUniquePtr<float[]> widened_;
  chosen_scale scale_of_zeros_{};
  float tensor_scale_of_zeros_ = 0;
  bool has_zeros_ = false;
};

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
