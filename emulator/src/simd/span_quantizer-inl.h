// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/span_quantizer-inl.h: spans, one in each lane, quantized to nearest under
// powers of two, with corrections or with parts of the error switched off, to values; included once
// for each target. Equals mx::clear_line.
#if defined(MX_SIMD_SPAN_QUANTIZER_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_SPAN_QUANTIZER_INL_H
#undef MX_SIMD_SPAN_QUANTIZER_INL_H
#else
#define MX_SIMD_SPAN_QUANTIZER_INL_H
#endif

#include <algorithm>

#include "hwy/aligned_allocator.h"
#include "mx/tensor/fused-inl.h"
#include "simd/factored_block-inl.h"
#include "simd/toggled_block-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// A block in each lane, without corrections.
struct plain_block {
  Vi field;
  grid<F32> elements;
  V zero;  ///< -0 if elements have one: a sum with +0 is not -0
  HWY_INLINE V operator()(V x) const {
    return hn::Add(hn::CopySign(elements.nearest_value(hn::Abs(x), field), x), zero);
  }
};

/// Quantizes as many spans at once as a vector has lanes. Requires has_span_kernel(f).
class span_quantizer {
 public:
  ///   most  elements of a span
  span_quantizer(const operand& f, int most)
      : f_(f),
        c_(f.recipe.corrections),
        block_(f.recipe.format().columns),
        scales_(f.recipe.rules),
        wide_fields_(formats::e2m1, f.recipe.rules.rule),
        elements_(f.recipe.format().element) {
    if (c_.has_residual()) {
      space_ = hwy::AllocateAligned<float>(2 * static_cast<std::size_t>(most) * lanes);
    }
  }

  /// All of `count` elements, `step` apart; in and out may alias.
  ///   returns  false, with nothing written, if a lane requires the core
  [[nodiscard]] bool all(const float* in, std::ptrdiff_t step, int count, float* out,
                         std::ptrdiff_t out_step) const {
    const V amax = largest(in, step, count);
    if (!hn::AllTrue(F32(), hn::Lt(amax, hn::Set(F32(), 0x1p100F)))) return false;  // or a NaN
    if (f_.toggle != toggle::none) return with_parts(in, step, count, amax, out, out_step);
    return c_.has_residual() ? with_residual(in, step, count, amax, out, out_step)
                             : once(in, step, count, amax, out, out_step);
  }

 private:
  static HWY_INLINE V load(const float* in, std::ptrdiff_t step, int i) {
    return hn::LoadU(F32(), in + i * step);
  }
  /// Of a NaN's pattern the order is that of the largest number.
  static HWY_INLINE V largest(const float* in, std::ptrdiff_t step, int count) {
    Vi amax = hn::Zero(I32());
    for (int i = 0; i < count; ++i) {
      amax = hn::Max(amax, hn::BitCast(I32(), hn::Abs(load(in, step, i))));
    }
    return hn::BitCast(F32(), amax);
  }

  template <class Block>
  static HWY_INLINE bool each(const Block& quantize, const float* in, std::ptrdiff_t step,
                              int count, float* out, std::ptrdiff_t out_step) {
    for (int i = 0; i < count; ++i) {
      hn::StoreU(quantize(load(in, step, i)), F32(), out + i * out_step);
    }
    return true;
  }

  bool once(const float* in, std::ptrdiff_t step, int count, V amax, float* out,
            std::ptrdiff_t out_step) const {
    if (c_.macro_block > 0) return with_factor(in, step, count, amax, out, out_step);
    const Vi field = scales_.fields(hn::BitCast(I32(), amax));
    if (!are_usual(amax, field)) return false;
    const bool signs = f_.recipe.format().element.has_negative_zero();
    const V zero = hn::Set(F32(), signs ? -0.0F : 0.0F);
    return each(plain_block{field, elements_, zero}, in, step, count, out, out_step);
  }

  /// Blocks of zeros are.
  [[nodiscard]] HWY_INLINE bool are_usual(V amax, Vi field) const {
    const I32 d;
    const Vi bits = hn::BitCast(d, amax);
    const Vi unusual = hn::BroadcastSignBit(scales_.unusual(bits, field));
    return hn::AllTrue(d, hn::Eq(hn::And(unusual, bits), hn::Zero(d)));
  }

  bool with_parts(const float* in, std::ptrdiff_t step, int count, V amax, float* out,
                  std::ptrdiff_t out_step) const {
    const Vi field = scales_.fields(hn::BitCast(I32(), amax));
    if (!are_usual(amax, field)) return false;
    return each(toggled_block(f_, field, amax), in, step, count, out, out_step);
  }

  bool with_factor(const float* in, std::ptrdiff_t step, int count, V amax, float* out,
                   std::ptrdiff_t out_step) const {
    const macro factor(c_.macro_bits, amax);
    for (int i = 0; i < count; i += block_) {
      const int length = std::min(block_, count - i);
      const float* x = in + i * step;
      each(factored_block(wide_fields_, factor, largest(x, step, length)), x, step, length,
           out + i * out_step, out_step);
    }
    return true;
  }

  bool with_residual(const float* in, std::ptrdiff_t step, int count, V amax, float* out,
                     std::ptrdiff_t out_step) const {
    const F32 d;
    float *first = space_.get(), *residual = first + std::ptrdiff_t{count} * lanes;
    if (!once(in, step, count, amax, first, lanes)) return false;
    Vi left = hn::Zero(I32());
    for (int i = 0; i < count; ++i) {
      const V rest = hn::Sub(load(in, step, i), load(first, lanes, i));
      left = hn::Max(left, hn::BitCast(I32(), hn::Abs(rest)));
      hn::Store(rest, d, residual + i * lanes);
    }
    if (!once(residual, lanes, count, hn::BitCast(d, left), residual, lanes)) return false;
    const V alpha = hn::Set(d, c_.alpha);
    for (int i = 0; i < count; ++i) {
      const V second = load(residual, lanes, i);
      hn::StoreU(fused(alpha, second, load(first, lanes, i)), d, out + i * out_step);
    }
    return true;
  }

  const operand& f_;
  const corrections& c_;
  int block_;
  block_kernel::power_of_two_scales scales_;
  block_kernel::scale_fields<F64> wide_fields_;
  grid<F32> elements_;
  hwy::AlignedFreeUniquePtr<float[]> space_;
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
