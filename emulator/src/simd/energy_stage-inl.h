// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_stage-inl.h: the state that the passes over a few E2M1 blocks share;
// included once for each target.
#if defined(MX_SIMD_ENERGY_STAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_STAGE_INL_H
#undef MX_SIMD_ENERGY_STAGE_INL_H
#else
#define MX_SIMD_ENERGY_STAGE_INL_H
#endif

#include "hwy/cache_control.h"
#include "simd/energy_parts-inl.h"
#include "tensor/energy_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

/// A few consecutive blocks between the passes: figures of blocks, numbers of elements.
struct energy_stage {
  static constexpr int most_blocks = 64, most_elements = 1024;
  /// Largest bits of magnitudes of four parts of each block, as reduced_to_four() leaves them.
  HWY_ALIGN std::int32_t quarters[4 * most_blocks] = {};
  HWY_ALIGN double amax[most_blocks], reach[most_blocks];    ///< reach: 6 scale
  HWY_ALIGN float scale[most_blocks], largest[most_blocks];  ///< largest: 6 scale
  HWY_ALIGN std::int32_t clips[most_blocks];                 ///< not 0 where amax > 6 scale
  HWY_ALIGN float inverse[most_blocks];                      ///< intervals_of_amax / amax
  HWY_ALIGN float magnitude[most_elements];                  ///< |x|
  HWY_ALIGN float tripled[most_elements];                    ///< 3 |Q|
  HWY_ALIGN float halved[most_elements];                     ///< |Q*| is this times amax / 3
};

/// Counts the lanes of masks.
class tally {
 public:
  HWY_INLINE tally() : counts_(hn::Zero(I32())) {}
  HWY_INLINE void add(hn::Mask<F32> mask) {
    const I32 d;
    counts_ = hn::IfThenElse(hn::RebindMask(d, mask), hn::Add(counts_, hn::Set(d, 1)), counts_);
  }
  [[nodiscard]] HWY_INLINE std::int64_t total() const {
    return hn::GetLane(hn::SumOfLanes(I32(), counts_));
  }

 private:
  Vi counts_;
};

/// Prefetches blocks some stages ahead, each along with a block of this stage, since a burst of
/// prefetches would stall, and lines in ascending order, the fastest one for memory.
struct upcoming_blocks {
  const float* x;
  std::int64_t stride, readable;

  HWY_INLINE void fetch(int block, int columns) const {
    if (block >= readable) return;
    for (int i = 0; i < columns; i += 16) hwy::Prefetch(x + block * stride + i);
  }
};

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
