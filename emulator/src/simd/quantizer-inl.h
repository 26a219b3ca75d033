// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/quantizer-inl.h: lines quantized and dequantized under E8M0 scales, to nearest,
// without codes; included once for each target.
// Two shapes share all code: along a row a block fills whole vectors and its scale is the same in
// all lanes; along columns every lane is a block of its own.
#if defined(MX_SIMD_QUANTIZER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_QUANTIZER_INL_H
#undef MX_SIMD_QUANTIZER_INL_H
#else
#define MX_SIMD_QUANTIZER_INL_H
#endif

#include <algorithm>
#include <vector>

#include "mx/tensor/fused-inl.h"
#include "simd/factored_block-inl.h"
#include "simd/toggled_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

enum class axis { row, column };

/// Signs of elements that are rounded to zero: those of the numbers, or none.
enum class zero_signs { kept, cleared };

/// Constants of one block for quantizing its elements, without corrections.
template <zero_signs Zeros>
struct plain_block {
  Vi field;
  grid elements;
  HWY_INLINE plain_block(const scale_fields& fields, const grid& of, V amax)
      : field(fields.of(amax)), elements(of) {}
  HWY_INLINE V operator()(V x) const {
    const V magnitude = to_grid(hn::Abs(x), field, elements);
    const V result = hn::CopySign(magnitude, x);
    if constexpr (Zeros == zero_signs::kept) return result;
    return hn::IfThenElse(hn::Eq(magnitude, hn::Zero(F32())), magnitude, result);
  }
};

/// Quantizes along one row, or along one column in every lane. Requires is_on_grid(f).
template <axis Axis>
class line_quantizer {
 public:
  explicit line_quantizer(const operand& f)
      : f_(f),
        c_(f.recipe.corrections),
        block_(f.recipe.format().columns),
        grid_(f.recipe.format().element),
        fields_(f.recipe.format().element, f.recipe.rules.rule) {}

  /// All of `count` elements along the line, `step` apart; in and out may alias.
  ///   count    along a row, whole blocks
  ///   returns  false, with nothing written, if an element is too large for the anchors or not
  ///            finite: then the clear path is required
  bool all(const float* in, std::ptrdiff_t step, int count, float* out,
           std::ptrdiff_t out_step) const {
    if (f_.numbers == operand_numbers::fp32) return copy(in, step, count, out, out_step);
    if (!manageable(in, step, count)) return false;
    if (f_.numbers == operand_numbers::bf16) return round(in, step, count, out, out_step);
    const int span = c_.macro_block > 0 ? c_.macro_block : count;
    for (int begin = 0; begin < count; begin += span) {
      const int length = std::min(span, count - begin);
      const float* x = in + begin * step;
      float* y = out + begin * out_step;
      if (c_.has_residual()) {
        with_fallback(x, step, length, y, out_step);
      } else {
        once(x, step, length, y, out_step);
      }
    }
    return true;
  }

 private:
  /// Elements along the axis in one vector.
  static constexpr int per_vector = Axis == axis::row ? lanes : 1;

  static HWY_INLINE V load(const float* in, std::ptrdiff_t step, int i) {
    return hn::LoadU(F32(), in + i * step);
  }
  static HWY_INLINE V largest(const float* in, std::ptrdiff_t step, int count) {
    const F32 d;
    V amax = hn::Zero(d);
    for (int i = 0; i < count; i += per_vector) {
      amax = hn::Max(amax, hn::Abs(load(in, step, i)));
    }
    return Axis == axis::row ? hn::MaxOfLanes(d, amax) : amax;
  }
  /// Whether every magnitude is below 2^100: no NaN, and the anchors stay finite.
  static bool manageable(const float* in, std::ptrdiff_t step, int count) {
    const I32 di;
    Vi high = hn::Zero(di);
    for (int i = 0; i < count; i += per_vector) {
      high = hn::Max(high, hn::BitCast(di, hn::Abs(load(in, step, i))));
    }
    return hn::AllTrue(di, hn::Lt(high, hn::Set(di, (127 + 100) << 23)));
  }

  static bool copy(const float* in, std::ptrdiff_t step, int count, float* out,
                   std::ptrdiff_t out_step) {
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(load(in, step, i), F32(), out + i * out_step);
    }
    return true;
  }

  static bool round(const float* in, std::ptrdiff_t step, int count, float* out,
                    std::ptrdiff_t out_step) {
    const F32 d;
    const I32 di;
    for (int i = 0; i < count; i += per_vector) {
      const Vi bits = hn::BitCast(di, load(in, step, i));
      const Vi odd = hn::And(hn::ShiftRight<16>(bits), hn::Set(di, 1));
      const Vi raised = hn::Add(bits, hn::Add(odd, hn::Set(di, 0x7FFF)));
      hn::StoreU(hn::BitCast(d, hn::And(raised, hn::Set(di, -0x10000))), d, out + i * out_step);
    }
    return true;
  }

  template <class Block>
  static HWY_INLINE void each(const Block& quantize, const float* in, std::ptrdiff_t step,
                              int count, float* out, std::ptrdiff_t out_step) {
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(quantize(load(in, step, i)), F32(), out + i * out_step);
    }
  }

  /// Block  elements of a block if they are a compile-time constant; else 0
  template <int Block>
  [[nodiscard]] HWY_INLINE int block() const {
    return Block > 0 ? Block : block_;
  }

  void once(const float* in, std::ptrdiff_t step, int count, float* out,
            std::ptrdiff_t out_step) const {
    if (block_ == mxfp4::size) return once_in<mxfp4::size>(in, step, count, out, out_step);
    once_in<0>(in, step, count, out, out_step);
  }

  template <int Block>
  HWY_INLINE void once_in(const float* in, std::ptrdiff_t step, int count, float* out,
                          std::ptrdiff_t out_step) const {
    if (c_.macro_block > 0) return with_factor<Block>(in, step, count, out, out_step);
    if (f_.toggle != toggle::none) return with_parts<Block>(in, step, count, out, out_step);
    if (f_.recipe.format().element.has_negative_zero()) {
      return plainly<Block, zero_signs::kept>(in, step, count, out, out_step);
    }
    plainly<Block, zero_signs::cleared>(in, step, count, out, out_step);
  }

  /// Whole blocks, then a short one. Local copies, which results cannot alias.
  template <int Block, zero_signs Zeros>
  HWY_NOINLINE void plainly(const float* in, std::ptrdiff_t step, int count, float* out,
                            std::ptrdiff_t out_step) const {
    const scale_fields fields = fields_;
    const grid elements = grid_;
    const int size = block<Block>();
    const std::ptrdiff_t from = Axis == axis::row ? 1 : step, to = Axis == axis::row ? 1 : out_step;
    const auto one = [&](int i, int length) HWY_ATTR {
      const float* x = in + i * from;
      float* y = out + i * to;
      const V amax = largest(x, from, length);
      if (fields.are_low(amax)) return by_core(x, from, length, y, to);
      each(plain_block<Zeros>(fields, elements, amax), x, from, length, y, to);
    };
    int i = 0;
    for (; i + size <= count; i += size) one(i, size);
    if (i < count) one(i, count - i);
  }

  template <int Block>
  HWY_INLINE void with_parts(const float* in, std::ptrdiff_t step, int count, float* out,
                             std::ptrdiff_t out_step) const {
    const int size = block<Block>();
    for (int i = 0; i < count; i += size) {
      const int length = std::min(size, count - i);
      const float* x = in + i * step;
      const toggled_block quantize(f_, fields_, largest(x, step, length));
      each(quantize, x, step, length, out + i * out_step, out_step);
    }
  }

  /// The block of a row, or a block in every lane; in and out may alias.
  HWY_NOINLINE void by_core(const float* in, std::ptrdiff_t step, int length, float* out,
                            std::ptrdiff_t out_step) const {
    const quantization& q = f_.recipe.rules;
    std::vector<float> x(static_cast<std::size_t>(block_));
    std::vector<std::uint8_t> codes(x.size());
    for (int lane = 0; lane < (Axis == axis::row ? 1 : lanes); ++lane) {
      for (int i = 0; i < length; ++i) x[static_cast<std::size_t>(i)] = in[i * step + lane];
      const chosen_scale scale = quantize_block(q, x.data(), no_tensor_scale, 0, codes.data());
      for (int i = 0; i < length; ++i) {
        out[i * out_step + lane] =
            dequantize_element(q.format, codes[static_cast<std::size_t>(i)], scale.ratio);
      }
    }
  }

  template <int Block>
  HWY_INLINE void with_factor(const float* in, std::ptrdiff_t step, int count, float* out,
                              std::ptrdiff_t out_step) const {
    const macro factor(c_.macro_bits, largest(in, step, count));
    const int size = block<Block>();
    for (int i = 0; i < count; i += size) {
      const int length = std::min(size, count - i);
      const float* x = in + i * step;
      each(factored_block(fields_, factor, largest(x, step, length)), x, step, length,
           out + i * out_step, out_step);
    }
  }

  /// In pieces that fit the buffers; a macro block, or a block, is never split.
  void with_fallback(const float* in, std::ptrdiff_t step, int count, float* out,
                     std::ptrdiff_t out_step) const {
    constexpr int piece = 128;
    if (count > piece && (c_.macro_block > 0 || piece % block_ != 0)) {
      return with_large_fallback(in, step, count, out, out_step);
    }
    HWY_ALIGN float first[piece * (Axis == axis::row ? 1 : lanes)];
    HWY_ALIGN float residual[piece * (Axis == axis::row ? 1 : lanes)];
    for (int i = 0; i < count; i += piece) {
      const int length = std::min(piece, count - i);
      fallback_piece(in + i * step, step, length, out + i * out_step, out_step, first, residual);
    }
  }
  void with_large_fallback(const float* in, std::ptrdiff_t step, int count, float* out,
                           std::ptrdiff_t out_step) const {
    const std::size_t size = static_cast<std::size_t>(count) * (Axis == axis::row ? 1 : lanes);
    std::vector<float> buffer(2 * size);
    fallback_piece(in, step, count, out, out_step, buffer.data(), buffer.data() + size);
  }

  void fallback_piece(const float* in, std::ptrdiff_t step, int count, float* out,
                      std::ptrdiff_t out_step, float* first, float* residual) const {
    const F32 d;
    constexpr std::ptrdiff_t dense = Axis == axis::row ? 1 : lanes;
    once(in, step, count, first, dense);
    for (int i = 0; i < count; i += per_vector) {
      hn::StoreU(hn::Sub(load(in, step, i), load(first, dense, i)), d, residual + i * dense);
    }
    once(residual, dense, count, residual, dense);
    const V alpha = hn::Set(d, c_.alpha);
    for (int i = 0; i < count; i += per_vector) {
      const V second = load(residual, dense, i);
      hn::StoreU(fused(alpha, second, load(first, dense, i)), d, out + i * out_step);
    }
  }

  operand f_;
  corrections c_;
  int block_;
  grid grid_;
  scale_fields fields_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
