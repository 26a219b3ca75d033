// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/part_coder-inl.h: blocks of a part to codes, four vectors of elements at a
// time; included once for each target.
#if defined(MX_SIMD_PART_CODER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_PART_CODER_INL_H
#undef MX_SIMD_PART_CODER_INL_H
#else
#define MX_SIMD_PART_CODER_INL_H
#endif

#include "simd/interval_codes-inl.h"
#include "simd/pairs-inl.h"
#include "tensor/block_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace block_kernel {

#if MX_SIMD_BYTE_CODES

/// A coder that may leave elements undecided.
template <class Coder>
concept settles = requires(Coder coder) {
  coder.is_decided();
};

/// Codes of the blocks of a part, stored as its batch says.
///   Coder   of simd/nearest_codes-inl.h or simd/interval_codes-inl.h: finds a number for each
///           element under the fields of its block, and makes bytes of four vectors of numbers
///   Stride  of the batch: 16 or 32; or 0 for any that fills whole vectors of bytes
template <sign_style Style, int Stride, class Coder>
class part_coder {
 public:
  static constexpr int blocks_at_once = Stride > 0 && Stride < byte_lanes ? byte_lanes / Stride : 1;

  part_coder(const Coder& coder, const block_batch& batch)
      : coder_(coder), stride_(Stride > 0 ? Stride : static_cast<int>(batch.stride)) {}

  /// Whether every block of a batch is in a group of whole vectors.
  [[nodiscard]] static bool takes(const block_batch& batch) {
    return Stride > 0 ? batch.count % blocks_at_once == 0 : batch.stride % byte_lanes == 0;
  }

  /// The blocks of a batch.
  ///   again  again(b, x, codes): a vector of elements of block b, not decided here; codes have a
  ///          byte
  template <class Again>
  HWY_INLINE void all(const block_batch& batch, const block_part& part, const Again& again) {
    const float* x = batch.x;
    std::uint8_t* codes = batch.codes;
    const place to(batch);
    const int span = Stride > 0 ? blocks_at_once * Stride : stride_;
    for (int b = 0; b < batch.count; b += blocks_at_once, x += span, codes += to.bytes(span)) {
      if (batch.how == storing::streamed) fetch(x, static_cast<std::uint64_t>(span));
      const group blocks(coder_, part, b);
      for (int i = 0; i < span; i += byte_lanes) {
        byte_vector bytes = some(blocks, x + i);
        if constexpr (settles<Coder>) {
          if (HWY_UNLIKELY(!coder_.is_decided())) {
            bytes = completed(bytes, blocks, part.products + b, x + i,
                              [&](int v, std::uint8_t* to_codes) HWY_ATTR {
                                again(b + block_of(v), x + i + v * lanes, to_codes);
                              });
          }
        }
        to.put(bytes, codes + to.bytes(i));
      }
    }
  }

 private:
  /// How codes are stored.
  class place {
   public:
    explicit HWY_INLINE place(const block_batch& batch)
        : pairs_(batch.packing == code_packing::packed),
          streamed_(pairs_ ? may_stream_pairs(batch.codes_how, batch.codes)
                           : batch.codes_how == storing::streamed) {}
    [[nodiscard]] HWY_INLINE int bytes(int codes) const { return pairs_ ? codes / 2 : codes; }
    HWY_INLINE void put(byte_vector codes, std::uint8_t* to) const {
      if (pairs_) {
        put(pairs_of(codes), pair_bytes(), to);
      } else {
        put(codes, U8(), to);
      }
    }

   private:
    template <class D>
    HWY_INLINE void put(hn::Vec<D> bytes, D d, std::uint8_t* to) const {
      if (streamed_) {
        hn::Stream(bytes, d, to);
      } else {
        hn::StoreU(bytes, d, to);
      }
    }

    bool pairs_, streamed_;
  };

  /// Number of vector v's block in its group.
  static constexpr int block_of(int v) {
    return blocks_at_once == 1 ? 0 : v * lanes / (Stride > 0 ? Stride : 1);
  }

  struct group {
    typename Coder::fields fields[blocks_at_once];

    HWY_INLINE group(const Coder& coder, const block_part& part, int b) {
      for (int k = 0; k < blocks_at_once; ++k) fields[k] = coder.of_block(part, b + k);
    }
  };

  /// Bytes of four vectors, of which some elements were not decided.
  ///   scales  of the blocks
  template <class Again>
  HWY_NOINLINE byte_vector completed(byte_vector bytes, const group& blocks, const double* scales,
                                     const float* x, const Again& again) {
    V elements[4];
    Vi numbers[4];
    bool settled = true;
    for (int v = 0; v < 4 && settled; ++v) {
      const int k = block_of(v);
      elements[v] = hn::LoadU(F32(), x + v * lanes);
      settled = coder_.settle(elements[v], blocks.fields[k], scales[k], numbers[v]);
    }
    if (settled) return coder_.template bytes<Style>(numbers, elements);
    return completed_by(again, bytes, blocks, x);
  }

  /// The same by again(v, codes) for each vector that has such an element.
  template <class Again>
  HWY_NOINLINE byte_vector completed_by(const Again& again, byte_vector bytes, const group& blocks,
                                        const float* x) {
    HWY_ALIGN std::uint8_t codes[byte_lanes];
    hn::Store(bytes, U8(), codes);
    for (int v = 0; v < 4; ++v) {
      static_cast<void>(coder_.number(hn::LoadU(F32(), x + v * lanes), blocks.fields[block_of(v)]));
      if (!coder_.is_decided()) again(v, codes + v * lanes);
    }
    return hn::Load(U8(), codes);
  }

  HWY_INLINE byte_vector some(const group& blocks, const float* x) {
    V elements[4];
    Vi numbers[4];
#pragma GCC unroll 4
    for (int v = 0; v < 4; ++v) {
      elements[v] = hn::LoadU(F32(), x + v * lanes);
      numbers[v] = coder_.number(elements[v], blocks.fields[block_of(v)]);
    }
    return coder_.template bytes<Style>(numbers, elements);
  }

  Coder coder_;
  int stride_;
};

#endif

}  // namespace block_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
