// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/energy-inl.h: the energies of the parts of the error of E2M1 blocks under
// powers of two, on vectors; included once for each target. Equals mx::energy_share bit for bit.
// Magnitudes are enough: Q and Q* have the sign of x, and every term is a product of two numbers.
#if defined(MX_SIMD_ENERGY_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_ENERGY_INL_H
#undef MX_SIMD_ENERGY_INL_H
#else
#define MX_SIMD_ENERGY_INL_H
#endif

#include <algorithm>
#include <type_traits>

#include "simd/energy_figures-inl.h"
#include "simd/energy_quantize-inl.h"
#include "simd/energy_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if !HWY_NATIVE_FMA

inline void find_energies_of(const quantization& q, const energy_batch& batch,
                             std::int64_t share_blocks, error_energy* shares) {
  each_share(batch, q.format.element, share_blocks, shares,
             [&q](const energy_batch& part, energy_share& share) { part.add_clearly(q, share); });
}

#else

/// Prefetch distance of blocks.
constexpr std::int64_t stages_ahead = 6;

HWY_INLINE upcoming_blocks blocks_from(const energy_batch& batch, std::int64_t first) {
  return {batch.x + first * batch.stride, batch.stride, batch.readable - first};
}

/// Adds the blocks of a batch to a share.
///   columns  an int, or a type with a compile-time value
template <class Columns>
HWY_INLINE void add_blocks(const quantization& q, const scale_chooser& scales,
                           const energy_batch& batch, Columns columns, energy_stage& stage,
                           energy_share& share) {
  const std::int64_t most =
      std::min(energy_stage::most_blocks, energy_stage::most_elements / columns);
  for (std::int64_t b = 0; b < batch.blocks;) {
    const auto asked = static_cast<int>(std::min(most, batch.blocks - b));
    const int found = find_figures(scales, batch, b, asked, columns, stage);
    quantize_stage(stage, found, columns, share.counts);
    add_stage(stage, found, columns, blocks_from(batch, b + stages_ahead * most), share);
    for (int k = 0; k < found; ++k) share.counts.elements += batch.elements_of(b + k, q.format);
    share.counts.blocks += found;
    b += found;
    if (found < asked) batch.add_clearly(q, b++, share);
  }
}

template <class Columns>
void find_energies_in_columns(const quantization& q, const energy_batch& batch, Columns columns,
                              std::int64_t share_blocks, error_energy* shares) {
  const scale_chooser scales(q);
  energy_stage stage;
  each_share(batch, q.format.element, share_blocks, shares,
             [&](const energy_batch& part, energy_share& share) {
               add_blocks(q, scales, part, columns, stage, share);
             });
}

/// Writes the energies of the shares of a batch that begins with one.
///   q  E2M1 elements rounded to nearest-even, E8M0 scales, no tensor scale, rows of 16n elements,
///      at most 1024
inline void find_energies_of(const quantization& q, const energy_batch& batch,
                             std::int64_t share_blocks, error_energy* shares) {
  using mxfp4_columns = std::integral_constant<int, block_formats::mxfp4.columns>;
  if (q.format.columns == mxfp4_columns()) {
    find_energies_in_columns(q, batch, mxfp4_columns(), share_blocks, shares);
  } else {
    find_energies_in_columns(q, batch, q.format.columns, share_blocks, shares);
  }
}

#endif  // HWY_NATIVE_FMA
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
