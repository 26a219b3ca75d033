// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy_stage-inl.h: the state that the passes over a few E2M1 blocks share;
// included once for each target.
#if defined(MX_SIMD_ENERGY_STAGE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_STAGE_INL_H
#undef MX_SIMD_ENERGY_STAGE_INL_H
#else
#define MX_SIMD_ENERGY_STAGE_INL_H
#endif

#include <bit>
#include <cstring>

#include "hwy/cache_control.h"
#include "simd/vectors-inl.h"
#include "tensor/energy_batch.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_NATIVE_FMA

static_assert(hn::MaxLanes(F32()) <= energy_lanes);
constexpr int part_lanes = lanes / 2;
constexpr int parts = energy_lanes / part_lanes;  ///< vectors of binary64 that hold every lane

/// Memory for the masks of all the elements of a stage, plus one word at the end.
struct mask_space {
  std::uint8_t bits[1024 / 8 + sizeof(std::uint64_t)];
};

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
  mask_space dead, none;                                     ///< of Q* and Q, or of x and none
};

/// Counts the lanes of the masks of one pass. If masks have registers of their own they are stored
/// to memory: this does not occupy the units that add vectors.
template <class D>
class tally {
 public:
#if HWY_CAP_GE512
  explicit HWY_INLINE tally(mask_space& space) : first_(space.bits), next_(space.bits) {}
  HWY_INLINE void add(hn::Mask<D> mask) { next_ += hn::StoreMaskBits(D(), mask, next_); }
  [[nodiscard]] HWY_INLINE std::int64_t total() const {
    std::memset(next_, 0, sizeof(std::uint64_t));
    std::int64_t total = 0;
    for (const std::uint8_t* at = first_; at < next_; at += sizeof(std::uint64_t)) {
      std::uint64_t word = 0;
      std::memcpy(&word, at, sizeof(word));
      total += std::popcount(word);
    }
    return total;
  }

 private:
  std::uint8_t *first_, *next_;
#else
  explicit HWY_INLINE tally(mask_space&) : counts_(hn::Zero(Counts())) {}
  HWY_INLINE void add(hn::Mask<D> mask) {
    counts_ = hn::Sub(counts_, hn::VecFromMask(Counts(), hn::RebindMask(Counts(), mask)));
  }
  [[nodiscard]] HWY_INLINE std::int64_t total() const {
    return hn::GetLane(hn::SumOfLanes(Counts(), counts_));
  }

 private:
  using Counts = hn::RebindToSigned<D>;
  hn::Vec<Counts> counts_;
#endif
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
