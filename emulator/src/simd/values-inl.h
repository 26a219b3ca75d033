// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/values-inl.h: codes to values, codes to pairs; included once for each target.
// Equals mx::dequantize_element if mx::has_table(f).
#if defined(MX_SIMD_VALUES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_VALUES_INL_H
#undef MX_SIMD_VALUES_INL_H
#else
#define MX_SIMD_VALUES_INL_H
#endif

#include <cstring>

#include "hwy/cache_control.h"
#include "simd/pairs-inl.h"
#include "simd/vectors-inl.h"
#include "tensor/block_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace value_kernel {

/// Values of codes of any width, from memory.
struct any_table {
  const float* values;
  HWY_INLINE explicit any_table(const float* of) : values(of) {}
  HWY_INLINE V operator()(Vi codes) const { return hn::GatherIndex(F32(), values, codes); }
};

#if HWY_TARGET <= HWY_AVX3
/// Values of codes of four bits, in a register.
struct short_table {
  V values;
  HWY_INLINE explicit short_table(const float* of) : values(hn::LoadU(F32(), of)) {}
  HWY_INLINE V operator()(Vi codes) const {
    return V{_mm512_permutexvar_ps(codes.raw, values.raw)};  // reads four bits of an index
  }
};
constexpr int code_bits_looked_at = 4;
#elif HWY_TARGET == HWY_AVX2
struct short_table {
  V low, high;
  HWY_INLINE explicit short_table(const float* of)
      : low(hn::LoadU(F32(), of)), high(hn::LoadU(F32(), of + 8)) {}
  HWY_INLINE V operator()(Vi codes) const {
    const auto upper = hn::BitCast(F32(), hn::ShiftLeft<28>(codes));
    const V below{_mm256_permutevar8x32_ps(low.raw, codes.raw)};
    const V above{_mm256_permutevar8x32_ps(high.raw, codes.raw)};
    return V{_mm256_blendv_ps(below.raw, above.raw, upper.raw)};
  }
};
constexpr int code_bits_looked_at = 4;
#else
using short_table = any_table;
constexpr int code_bits_looked_at = 32;
#endif

/// Codes of four bits, from half as many bytes; higher bits are set where the table ignores them.
HWY_INLINE Vi halved_codes(const std::uint8_t* bytes) {
  const I32 d;
  HWY_ALIGN static constexpr std::int32_t places[16] = {0, 4, 8, 12, 16, 20, 24, 28,
                                                        0, 4, 8, 12, 16, 20, 24, 28};
  std::uint32_t part[2] = {};
  std::memcpy(part, bytes, lanes / 2);
#if HWY_TARGET <= HWY_AVX3
  const hn::Half<I32> half;
  const Vi both = hn::Combine(d, hn::Set(half, static_cast<int>(part[1])),
                              hn::Set(half, static_cast<int>(part[0])));
#else
  const Vi both = hn::Set(d, static_cast<int>(part[0]));
#endif
  const U32 du;
  const auto moved = hn::Shr(hn::BitCast(du, both), hn::BitCast(du, hn::Load(d, places)));
  const Vi codes = hn::BitCast(d, moved);
  return code_bits_looked_at == 4 ? codes : hn::And(codes, hn::Set(d, 15));
}

HWY_INLINE Vi whole_codes(const std::uint8_t* bytes, Vi mask) {
  const hn::Rebind<std::uint8_t, I32> d8;
  return hn::And(hn::PromoteTo(I32(), hn::LoadU(d8, bytes)), mask);
}

template <storing How>
HWY_INLINE void store(V v, float* to) {
  if constexpr (How == storing::streamed) {
    hn::Stream(v, F32(), to);
  } else {
    hn::StoreU(v, F32(), to);
  }
}

/// Prefetch distance of codes in bytes, also beyond their end.
constexpr std::uintptr_t fetched_ahead = 4096;

/// Stride  of the batch if it is a compile-time constant; else 0
template <storing How, int Stride, class Load, class Table>
HWY_INLINE void blocks(const coded_batch& batch, const Load& load, const Table& table) {
  const std::uint64_t stride = Stride > 0 ? Stride : batch.stride;
  auto* out = reinterpret_cast<float*>(batch.out);
  for (std::uint64_t b = 0; b < batch.count; ++b) {
    const std::uint64_t first = b * stride;
    const V factor =
        hn::Set(F32(), batch.scales != nullptr ? batch.factors[batch.scales[b]] : batch.factors[b]);
    if constexpr (How == storing::streamed) {
      const auto at = reinterpret_cast<std::uintptr_t>(batch.codes) + first / 2 + fetched_ahead;
      __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 3);
    }
    if (Stride > 0 || batch.tensor_scales == nullptr) {
#pragma GCC unroll 2
      for (std::uint64_t i = first; i < first + stride; i += lanes) {
        store<How>(hn::Mul(table(load(i)), factor), out + i);
      }
    } else {
      const V tensor = hn::Set(F32(), batch.tensor_scales[b]);
      for (std::uint64_t i = first; i < first + stride; i += lanes) {
        store<How>(hn::Mul(hn::Mul(table(load(i)), factor), tensor), out + i);
      }
    }
  }
}

template <storing How, class Load, class Table>
HWY_INLINE void blocks_of(const coded_batch& batch, const Load& load, const Table& table) {
  if (batch.stride == 32 && batch.tensor_scales == nullptr) {
    blocks<How, 32>(batch, load, table);
  } else {
    blocks<How, 0>(batch, load, table);
  }
}

template <storing How>
HWY_INLINE void batch_as(const coded_batch& batch) {
  const auto whole = [&](std::uint64_t i) {
    return whole_codes(batch.codes + i, hn::Set(I32(), 255));
  };
  if (batch.packing == code_packing::unpacked) {
    return blocks_of<How>(batch, whole, any_table(batch.values));
  }
#if HWY_TARGET == HWY_SCALAR
  blocks_of<How>(
      batch,
      [&](std::uint64_t i) { return hn::Set(I32(), batch.codes[i / 2] >> (i % 2 * 4) & 15); },
      any_table(batch.values));
#else
  blocks_of<How>(
      batch, [&](std::uint64_t i) { return halved_codes(batch.codes + i / 2); },
      short_table(batch.values));
#endif
}

}  // namespace value_kernel

void dequantize_on_vectors(const coded_batch& batch) {
  const bool aligned = reinterpret_cast<std::uintptr_t>(batch.out) % (lanes * sizeof(float)) == 0;
  if (batch.how == storing::cached || !aligned) {
    return value_kernel::batch_as<storing::cached>(batch);
  }
  value_kernel::batch_as<storing::streamed>(batch);
  hwy::FlushStream();
}

void pairs_on_vectors(const std::uint8_t* codes, std::uint64_t pairs, storing how,
                      std::uint8_t* out) {
  store_pairs(codes, pairs, how, out);
}

void stream_on_vectors(const std::uint8_t* bytes, std::uint64_t count, std::uint8_t* out) {
  std::uint64_t i = 0;
#if HWY_TARGET != HWY_SCALAR
  const hn::CappedTag<std::uint8_t, 64> d;
  constexpr std::uint64_t at_once = hn::MaxLanes(d);
  if (reinterpret_cast<std::uintptr_t>(out) % at_once == 0) {
    for (; i + at_once <= count; i += at_once) hn::Stream(hn::LoadU(d, bytes + i), d, out + i);
  }
#endif
  std::memcpy(out + i, bytes + i, count - i);
}

void flush_on_vectors() { hwy::FlushStream(); }

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
