// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/random-inl.h: the random bits of stochastic rounding, many elements at once;
// included once for each target. Equals mx::random_bits_of.
#if defined(MX_SIMD_RANDOM_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_RANDOM_INL_H
#undef MX_SIMD_RANDOM_INL_H
#else
#define MX_SIMD_RANDOM_INL_H
#endif

#include <cstring>

#include "mx/number/random_bits.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace random_kernel {

namespace hn = hwy::HWY_NAMESPACE;

/// Bytes of the random words that belong to one element alone.
[[nodiscard]] inline std::uint64_t bytes_an_element(const random_source& from) {
  return 4 / static_cast<std::uint64_t>(elements_a_word(from.bits));
}

#if HWY_TARGET == HWY_SCALAR

constexpr std::uint64_t calls_at_once = 1;

/// Stores the words of calls, bytes in the order of the elements that they serve.
template <int Calls>
inline void store_calls(const random_source& from, std::uint64_t first, std::uint8_t* out) {
  for (std::uint64_t call = first; call < first + Calls; ++call) {
    philox_counter drawn =
        philox(from.seed, {{static_cast<std::uint32_t>(call),
                            static_cast<std::uint32_t>(call >> 32), from.stream, from.step}});
    if (from.bits <= 8 && from.map == byte_map::ptx) {
      for (std::uint32_t& word : drawn.word) {
        word = (word & 0xFF0000FF) | (word >> 8 & 0xFF00) | (word << 8 & 0xFF0000);
      }
    }
    std::memcpy(out + (call - first) * sizeof drawn.word, drawn.word, sizeof drawn.word);
  }
}

#else

using D = hn::CappedTag<std::uint64_t, 8>;
using D32 = hn::Repartition<std::uint32_t, D>;
using D8 = hn::Repartition<std::uint8_t, D>;
using V = hn::Vec<D>;
constexpr std::uint64_t calls_at_once = hn::MaxLanes(D());

/// The whole product of the lower halves of lanes.
HWY_INLINE V product(V a, std::uint32_t factor) {
  return hn::MulEven(hn::BitCast(D32(), a), hn::Set(D32(), factor));
}

/// The upper halves shifted down; the new upper halves are unspecified.
HWY_INLINE V upper(V v) { return hn::BitCast(D(), hn::Shuffle2301(hn::BitCast(D32(), v))); }

/// Lower halves of both, the first one's in the lower position.
HWY_INLINE V joined(V low, V high) {
  return hn::BitCast(
      D(), hn::OddEven(hn::BitCast(D32(), hn::ShiftLeft<32>(high)), hn::BitCast(D32(), low)));
}

HWY_INLINE V in_element_order(const random_source& from, V words) {
  if (from.bits > 8 || from.map != byte_map::ptx) return words;
  HWY_ALIGN static constexpr std::uint8_t crossed[16] = {0, 2,  1, 3,  4,  6,  5,  7,
                                                         8, 10, 9, 11, 12, 14, 13, 15};
  const D8 d;
  return hn::BitCast(D(), hn::TableLookupBytes(hn::BitCast(d, words), hn::LoadDup128(d, crossed)));
}

/// Lanes of both by turns.
HWY_INLINE void store_by_turns(V a, V b, std::uint8_t* out) {
  const D d;
  auto* to = reinterpret_cast<std::uint64_t*>(out);
#if HWY_TARGET <= HWY_AVX3
  // Two instructions; StoreInterleaved2 takes eight.
  HWY_ALIGN static constexpr std::uint64_t order[16] = {0, 8,  1, 9,  2, 10, 3, 11,
                                                        4, 12, 5, 13, 6, 14, 7, 15};
  const V low = hn::Load(d, order), high = hn::Load(d, order + 8);
  hn::StoreU(V{_mm512_permutex2var_epi64(a.raw, low.raw, b.raw)}, d, to);
  hn::StoreU(V{_mm512_permutex2var_epi64(a.raw, high.raw, b.raw)}, d, to + 8);
#else
  hn::StoreInterleaved2(a, b, d, to);
#endif
}

/// Stores the words of `Vectors` vectors of calls of Philox4x32-10 from `call` on, bytes in the
/// order of the elements that they serve. A lane is a call; only the lower halves of lanes are used
/// between rounds. A round waits for the one before: other vectors fill the time.
template <int Vectors>
HWY_INLINE void store_calls(const random_source& from, std::uint64_t call, std::uint8_t* out) {
  const D d;
  V w0[Vectors], w1[Vectors], w2[Vectors], w3[Vectors];
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) {
    w0[v] = hn::Add(hn::Iota(d, 0), hn::Set(d, call + v * calls_at_once));
    w1[v] = hn::ShiftRight<32>(w0[v]);
    w2[v] = hn::Set(d, from.stream);
    w3[v] = hn::Set(d, from.step);
  }
  auto low = static_cast<std::uint32_t>(from.seed),
       high = static_cast<std::uint32_t>(from.seed >> 32);
#pragma GCC unroll 10
  for (int round = 0; round < 10; ++round) {
#pragma GCC unroll 4
    for (int v = 0; v < Vectors; ++v) {
      const V even = product(w0[v], 0xD2511F53), odd = product(w2[v], 0xCD9E8D57);
      w0[v] = hn::Xor3(upper(odd), w1[v], hn::Set(d, low));
      w1[v] = odd;
      w2[v] = hn::Xor3(upper(even), w3[v], hn::Set(d, high));
      w3[v] = even;
    }
    low += 0x9E3779B9;
    high += 0xBB67AE85;
  }
#pragma GCC unroll 4
  for (int v = 0; v < Vectors; ++v) {
    store_by_turns(in_element_order(from, joined(w0[v], w1[v])),
                   in_element_order(from, joined(w2[v], w3[v])),
                   out + v * calls_at_once * sizeof(philox_counter));
  }
}

#endif

/// Random words of elements whose indices ascend, drawn for more than one block at a time.
class random_stream {
 public:
  static constexpr std::uint64_t most = 1024;  ///< elements requested at once

  HWY_INLINE explicit random_stream(const random_source& from) : from_(from) {}

  /// The bytes of elements [first, first + count), bytes_an_element for each; valid until the next
  /// call. Up to a vector of bytes may be read beyond them.
  ///   ahead  elements from `first` on that will be requested
  HWY_INLINE const std::uint8_t* at(std::uint64_t first, std::uint64_t count,
                                    std::uint64_t ahead = most) {
    if (HWY_UNLIKELY(first < first_ || first + count > end_)) {
      draw(first, ahead < most ? ahead : most);
    }
    return space_ + (first - first_) * bytes_an_element(from_);
  }

 private:
  static constexpr std::uint64_t call_bytes = 16;

  HWY_NOINLINE void draw(std::uint64_t first, std::uint64_t count) {
    const std::uint64_t a_call = call_bytes / bytes_an_element(from_);
    const std::uint64_t needed = (first % a_call + count + a_call - 1) / a_call;
    first_ = first / a_call * a_call;
    std::uint64_t calls = 0;
    for (; calls + 4 * calls_at_once <= needed; calls += 4 * calls_at_once) {
      store_calls<4>(from_, first_ / a_call + calls, space_ + calls * call_bytes);
    }
    for (; calls < needed; calls += calls_at_once) {
      store_calls<1>(from_, first_ / a_call + calls, space_ + calls * call_bytes);
    }
    end_ = first_ + calls * a_call;
  }

  random_source from_;
  std::uint64_t first_ = 0, end_ = 0;
  // At most the calls of 4 bytes an element, and one vector of calls more.
  HWY_ALIGN std::uint8_t space_[4 * most + (1 + calls_at_once) * call_bytes + 64];
};

}  // namespace random_kernel
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
