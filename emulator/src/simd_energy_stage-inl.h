// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd_energy_stage-inl.h: Q and Q* of E2M1 blocks under powers of two, on vectors;
// included once for each target.
#if defined(MX_SIMD_ENERGY_STAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_STAGE_INL_H
#undef MX_SIMD_ENERGY_STAGE_INL_H
#else
#define MX_SIMD_ENERGY_STAGE_INL_H
#endif

#include "energy_batch.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

namespace hn = hwy::HWY_NAMESPACE;
using F32 = hn::CappedTag<float, energy_lanes>;
using I32 = hn::RebindToSigned<F32>;
using F32Half = hn::Half<F32>;
using F64 = hn::Rebind<double, F32Half>;
using V = hn::Vec<F32>;
using Vi = hn::Vec<I32>;
using W = hn::Vec<F64>;
constexpr int lanes = static_cast<int>(hn::MaxLanes(F32()));
constexpr int pieces = energy_lanes / lanes;
constexpr int halves = 2 * pieces;

/// The vector of both halves, rounded to binary32.
HWY_INLINE V narrow(W low, W high) {
  const F32Half half;
  return hn::Combine(F32(), hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

/// A table of eight entries: one look-up where a vector holds as many.
struct table {
  V low, high;  ///< high only where vectors hold four

  static HWY_INLINE table of(const float* entries) {
    HWY_ALIGN float repeated[32];
    for (int i = 0; i < 32; ++i) repeated[i] = entries[i % 8];
    return {hn::Load(F32(), repeated), hn::LoadU(F32(), repeated + lanes)};
  }
  /// index  0 to 7
  HWY_INLINE V operator[](Vi index) const {
    const I32 di;
    const F32 d;
    if (lanes >= 8) return hn::TableLookupLanes(low, hn::IndicesFromVec(d, index));
    const auto indices = hn::IndicesFromVec(d, hn::And(index, hn::Set(di, 3)));
    return hn::IfThenElse(hn::RebindMask(d, hn::Gt(index, hn::Set(di, 3))),
                          hn::TableLookupLanes(high, indices), hn::TableLookupLanes(low, indices));
  }
};

/// Three times the values of the codes 0 to 7.
constexpr float tripled_values[8] = {0, 1.5F, 3, 4.5F, 6, 9, 12, 18};

/// Between neighbouring values of E2M1, of which [0.5, 1) is cut in two, in the order in which the
/// bits of 6 |x| / amax find them: [2, 3), [3, 4), [4, 6), [0, 0.5), [0.5, 0.75), [0.75, 1),
/// [1, 1.5), [1.5, 2). Half the value below the tie, half the one above, and the tie as a share of
/// amax, moved by 2^-40 of itself to the side that decides it: up where the code below is even, down
/// where the one above is.
constexpr float halved_below[8] = {1, 1.5F, 2, 0, .25F, .25F, .5F, .75F};
constexpr float halved_above[8] = {1.5F, 2, 3, .25F, .5F, .5F, .75F, 1};
constexpr double up = (1 + 0x1p-40) / 6, down = (1 - 0x1p-40) / 6;
HWY_ALIGN constexpr double ties_of_amax[8] = {2.5 * up,   3.5 * down, 5 * up,    .25 * up,
                                              .75 * down, .75 * down, 1.25 * up, 1.75 * down};

/// Largest binary32 numbers that are not above the moved ties. A binary32 |x| and k amax / 24 are
/// equal or differ by more than 2^-30 of their size, so neither moving the tie nor rounding it in
/// binary64 changes a decision, and cutting it to binary32 none of a comparison with binary32.
class tie_table {
 public:
  static HWY_INLINE table of(double amax) {
    const hn::CappedTag<double, 8> d;
    if constexpr (lanes == 2 * hn::MaxLanes(hn::CappedTag<double, 8>()) && lanes >= 16) {
      const F32Half half;
      const V ties = hn::ZeroExtendVector(F32(), hn::DemoteTo(half, cut(amax, 0)));
      return {ties, ties};
    } else if constexpr (lanes == 8) {
      const V ties = narrow(cut(amax, 0), cut(amax, 4));
      return {ties, ties};
    } else {
      static_cast<void>(d);
      return {narrow(cut(amax, 0), cut(amax, 2)), narrow(cut(amax, 4), cut(amax, 6))};
    }
  }

 private:
  /// Ties from number `first` on, cut toward zero to the bits of binary32.
  static HWY_INLINE W cut(double amax, int first) {
    const F64 d;
    const hn::RebindToUnsigned<F64> du;
    const W tie = hn::Mul(hn::Load(d, ties_of_amax + first), hn::Set(d, amax));
    return hn::BitCast(d, hn::And(hn::BitCast(du, tie), hn::Set(du, ~std::uint64_t{0x1FFFFFFF})));
  }
};

/// What the elements of one block are quantized with.
///   amax  2^-100 to 2^100      scale  2^-126 to 2^103
struct energy_frame {
  V scale, largest, inverse;  ///< scale; 6 scale; a little below 6 / amax
  table ties;

  /// Codes of Q's magnitudes. Below 2 * scale the grid has the pitch scale / 2, above it is half the
  /// binade of the magnitude. Adding 1.5 * 2^(pitch + bits) leaves the multiple of the pitch in the
  /// low bits: the hardware rounds to nearest, ties to the even multiple, and 1.5 * 2^bits is itself
  /// even. The multiples of one pitch have consecutive codes, each pitch's first two codes later.
  HWY_INLINE Vi code(V magnitude) const {
    const F32 d;
    const I32 di;
    const Vi field = hn::BitCast(di, scale);
    const V saturated = hn::Min(magnitude, largest);
    const Vi binade = hn::And(hn::BitCast(di, saturated), hn::Set(di, 0x7F800000));
    const Vi top = hn::BitCast(di, hn::Max(hn::BitCast(d, binade), scale));
    const V anchor = hn::BitCast(d, hn::Add(top, hn::Set(di, (22 << 23) | 0x400000)));
    const Vi multiple = hn::BitCast(di, hn::Add(saturated, anchor));
    const Vi earlier = hn::ShiftRight<22>(hn::Sub(top, field));
    return hn::And(hn::Add(multiple, earlier), hn::Set(di, 7));
  }

  /// Half the element of Q*. The interval is found from an approximate 6 |x| / amax, which is below
  /// 6; a neighbour of the right one is as good where |x| is close to their common end, since that
  /// is far from both ties.
  HWY_INLINE V halved_ideal(V magnitude, const table& below, const table& above) const {
    const I32 di;
    const V about = hn::Max(hn::Mul(magnitude, inverse), hn::Set(F32(), .4F));
    const Vi interval = hn::And(hn::ShiftRight<22>(hn::BitCast(di, about)), hn::Set(di, 7));
    const auto passed = hn::Gt(magnitude, ties[interval]);
    return hn::IfThenElse(passed, above[interval], below[interval]);
  }
};

/// Lanes of what is summed for every block; the other terms are of blocks that clip.
struct common_sums {
  W total, scale, deadzone, grid, scale_dead, scale_grid, x_squared, x_quantized;
};

/// A few consecutive blocks between their two passes: figures of blocks, numbers of elements.
struct energy_stage {
  static constexpr int most_blocks = 64, most_elements = 1024;
  HWY_ALIGN float scale[most_blocks], amax[most_blocks];
  HWY_ALIGN float magnitude[most_elements];  ///< |x|
  HWY_ALIGN float tripled[most_elements];    ///< 3 |Q|, decoded from code and scale
  HWY_ALIGN float halved[most_elements];     ///< |Q*| is this times amax / 3
  std::int64_t dead = 0, dead_actual = 0;
};

HWY_INLINE std::int64_t count(hn::Mask<F32> mask) {
  return static_cast<std::int64_t>(hn::CountTrue(F32(), mask));
}

/// Blocks some stages ahead: some of their lines are fetched with every block of this one, since a
/// burst of fetches would wait.
struct upcoming_blocks {
  const energy_batch& batch;
  std::int64_t first;

  /// Fetches every second line of a block.
  HWY_INLINE void fetch(int block, int first_line, int columns) const {
    if (first + block >= batch.readable) return;
    const float* x = batch.x + (first + block) * batch.stride;
    for (int i = first_line * 16; i < columns; i += 32) hwy::Prefetch(x + i);
  }
};

/// Quantizes the blocks of the stage, whose elements begin at x.
HWY_NOINLINE void quantize_stage(energy_stage& stage, int blocks, const float* x,
                                 std::int64_t stride, int columns, const upcoming_blocks& next) {
  const F32 d;
  const table values = table::of(tripled_values), below = table::of(halved_below),
              above = table::of(halved_above);
  std::int64_t zeros = 0, dead = 0, dead_actual = 0;
  for (int b = 0; b < blocks; ++b, x += stride) {
    next.fetch(b, 0, columns);
    const V scale = hn::Set(d, stage.scale[b]);
    const energy_frame frame{scale, hn::Mul(scale, hn::Set(d, 6)),
                             hn::Set(d, (6 - 0x1p-18F) / stage.amax[b]),
                             tie_table::of(stage.amax[b])};
    for (int i = 0; i < columns; i += lanes) {
      const int at = b * columns + i;
      const V magnitude = hn::Abs(hn::LoadU(d, x + i));
      const V quantized = hn::Mul(values[frame.code(magnitude)], scale);
      const V ideal = frame.halved_ideal(magnitude, below, above);
      hn::Store(magnitude, d, stage.magnitude + at);
      hn::Store(quantized, d, stage.tripled + at);
      hn::Store(ideal, d, stage.halved + at);
      zeros += count(hn::Eq(magnitude, hn::Zero(d))), dead += count(hn::Eq(ideal, hn::Zero(d)));
      dead_actual += count(hn::Eq(quantized, hn::Zero(d)));
    }
  }
  stage.dead += dead - zeros, stage.dead_actual += dead_actual - zeros;
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
