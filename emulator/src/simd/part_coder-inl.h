// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/part_coder-inl.h: blocks of a part to codes, four vectors of elements at a time;
// included once for each target.
#if defined(MX_SIMD_PART_CODER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_PART_CODER_INL_H
#undef MX_SIMD_PART_CODER_INL_H
#else
#define MX_SIMD_PART_CODER_INL_H
#endif

#include "simd/interval_codes-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_BYTE_CODES

/// Codes of the blocks of a part, one a byte.
///   Coder   of simd/nearest_codes-inl.h or simd/interval_codes-inl.h
///   Stride  of the batch: 16 or 32; or 0 for any that fills whole vectors of bytes
template <sign_style Style, int Stride, class Coder>
class part_coder {
 public:
  static constexpr int blocks_at_once = Stride > 0 && Stride < byte_lanes ? byte_lanes / Stride : 1;

  part_coder(const format& f, const Coder& coder, const block_batch& batch)
      : coder_(coder), bytes_(f), stride_(Stride > 0 ? Stride : static_cast<int>(batch.stride)) {}

  /// Whether every block of a part is in a group of whole vectors.
  [[nodiscard]] static bool takes(std::uint64_t stride, int count) {
    return Stride > 0 ? count % blocks_at_once == 0 : stride % byte_lanes == 0;
  }

  /// Blocks [first, first + count) of a batch.
  ///   again  again(b, at, count): elements from `at` on of block b, not decided here
  template <class Again>
  HWY_INLINE void all(const block_batch& batch, const block_part& part, int first, int count,
                      const Again& again) {
    const float* x = batch.x + static_cast<std::ptrdiff_t>(first) * stride_;
    std::uint8_t* codes = batch.codes + static_cast<std::ptrdiff_t>(first) * stride_;
    const int span = Stride > 0 ? blocks_at_once * Stride : stride_;
    for (int b = 0; b < count; b += blocks_at_once, x += span, codes += span) {
      if (batch.how == storing::streamed) fetch(x, static_cast<std::uint64_t>(span));
      const group blocks(coder_, part, b);
      for (int i = 0; i < span; i += byte_lanes) {
        if (batch.codes_how == storing::streamed) {
          hn::Stream(some(blocks, x + i), U8(), codes + i);
        } else {
          hn::StoreU(some(blocks, x + i), U8(), codes + i);
        }
        if (HWY_LIKELY(coder_.is_decided())) continue;
        for (int v = 0; v < 4; ++v)
          again(b + block_of(v), x + i + v * lanes, codes + i + v * lanes);
      }
    }
  }

 private:
  /// Number of vector v's block in its group.
  static constexpr int block_of(int v) {
    return blocks_at_once == 1 ? 0 : v * lanes / (Stride > 0 ? Stride : 1);
  }

  struct group {
    typename Coder::fields fields[blocks_at_once];
    halves first[blocks_at_once];

    HWY_INLINE group(const Coder& coder, const block_part& part, int b) {
      for (int k = 0; k < blocks_at_once; ++k) {
        fields[k] = coder.of_block(part, b + k);
        first[k] = coder.first_code(fields[k]);
      }
    }
    /// The first codes of vectors v and v + 1.
    template <int v>
    [[nodiscard]] HWY_INLINE halves first_of_two() const {
      constexpr int a = block_of(v), b = block_of(v + 1);
      return a == b ? first[a] : hn::OddEven(first[b], first[a]);
    }
  };

  HWY_INLINE byte_vector some(const group& blocks, const float* x) {
    Vi bits[4], codes[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      bits[v] = load_bits(x + v * lanes);
      codes[v] = coder_.code(bits[v], blocks.fields[block_of(v)]);
    }
    return bytes_.of(hn::Sub(lower_halves(codes[0], codes[1]), blocks.template first_of_two<0>()),
                     hn::Sub(lower_halves(codes[2], codes[3]), blocks.template first_of_two<2>()),
                     bits);
  }

  Coder coder_;
  code_bytes<Style> bytes_;
  int stride_;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
