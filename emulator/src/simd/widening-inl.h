// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/widening-inl.h: numbers of 16 bits to FP32; included once for each target.
#if defined(MX_SIMD_WIDENING_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_WIDENING_INL_H
#undef MX_SIMD_WIDENING_INL_H
#else
#define MX_SIMD_WIDENING_INL_H
#endif

#include <cstring>

#include "simd/fetch-inl.h"
#include "simd/vectors-inl.h"
#include "tensor/block_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace widening_kernel {

/// A number of 16 bits.
HWY_INLINE float widened(number_type type, const unsigned char* x) {
  std::uint16_t code;
  std::memcpy(&code, x, sizeof code);
  if (type == number_type::bf16) return float_of(std::uint32_t{code} << 16);
  // A subnormal binary16 number is its fraction field times 2^-24, an integer below 2^10 that FP32
  // represents; above, exponent and fraction keep their positions, 112 being 127 - 15.
  const std::uint32_t sign = static_cast<std::uint32_t>(code & 0x8000) << 16;
  const std::uint32_t magnitude = code & 0x7FFF;
  const std::uint32_t small =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t normal = (magnitude << 13) + ((magnitude >= 0x7C00 ? 224u : 112u) << 23);
  return float_of(sign | (magnitude < 0x0400 ? small : normal));
}

#if HWY_TARGET != HWY_SCALAR

using U16 = hn::Rebind<std::uint16_t, I32>;
using Vu = hn::Vec<U32>;

struct from_bfloat16 {
  HWY_INLINE V operator()(Vu code) const { return hn::BitCast(F32(), hn::ShiftLeft<16>(code)); }
};

/// As widened() does it.
struct from_binary16 {
  HWY_INLINE V operator()(Vu code) const {
    const F32 d;
    const I32 di;
    const Vi magnitude = hn::And(hn::BitCast(di, code), hn::Set(di, 0x7FFF));
    const Vi sign = hn::ShiftLeft<16>(hn::Xor(hn::BitCast(di, code), magnitude));
    const V small = hn::Mul(hn::ConvertTo(d, magnitude), hn::Set(d, 0x1p-24F));
    const Vi special = hn::VecFromMask(di, hn::Gt(magnitude, hn::Set(di, 0x7BFF)));
    const Vi once = hn::Set(di, 112 << 23), raised = hn::Add(once, hn::And(special, once));
    const V normal = hn::BitCast(d, hn::Add(hn::ShiftLeft<13>(magnitude), raised));
    const auto is_small = hn::RebindMask(d, hn::Lt(magnitude, hn::Set(di, 0x0400)));
    return hn::Or(hn::IfThenElse(is_small, small, normal), hn::BitCast(d, sign));
  }
};

/// Numbers of 16 bits as far as they fill cache lines, with what comes after them prefetched;
/// returns how many.
template <class Number>
HWY_INLINE std::uint64_t lines_widened(const unsigned char* x, std::uint64_t count,
                                       const Number& number, float* out) {
  constexpr std::uint64_t line = fetched_line / sizeof(std::uint16_t);
  const std::uint64_t whole = count / line * line;
  for (std::uint64_t i = 0; i < whole; i += line) {
    const auto* codes = reinterpret_cast<const std::uint16_t*>(x) + i;
    fetch_lines(codes, fetched_line, 4096 + fetched_line);
#pragma GCC unroll 8
    for (std::uint64_t k = 0; k < line; k += lanes) {
      hn::StoreU(number(hn::PromoteTo(U32(), hn::LoadU(U16(), codes + k))), F32(), out + i + k);
    }
  }
  return whole;
}

#endif

}  // namespace widening_kernel

inline void widen_on_vectors(number_type type, const unsigned char* x, std::uint64_t count,
                             float* out) {
  using namespace widening_kernel;  // NOLINT(google-build-using-namespace)
  if (type == number_type::fp32) {
    std::memcpy(out, x, count * sizeof(float));
    return;
  }
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  i = type == number_type::bf16 ? lines_widened(x, count, from_bfloat16(), out)
                                : lines_widened(x, count, from_binary16(), out);
#endif
  for (; i < count; ++i) out[i] = widened(type, x + i * sizeof(std::uint16_t));
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
