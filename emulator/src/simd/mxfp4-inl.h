// SPDX-License-Identifier: Apache-2.0
// emulator/src/simd/mxfp4-inl.h: FP32 and BF16 to MXFP4 at the speed of memory; included once for
// each target.
#if defined(MX_SIMD_MXFP4_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef MX_SIMD_MXFP4_INL_H
#undef MX_SIMD_MXFP4_INL_H
#else
#define MX_SIMD_MXFP4_INL_H
#endif

#include <algorithm>
#include <cstring>

#include "hwy/cache_control.h"
#include "simd/fetch-inl.h"
#include "simd/mxfp4_bytes-inl.h"
#include "simd/mxfp4_nearest-inl.h"
#include "simd/mxfp4_stochastic-inl.h"
#include "simd/widening-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if MX_SIMD_MXFP4
namespace mxfp4_kernel {

/// Prefetch distances in bytes: of lines into the second-level cache, from there into the first,
/// and of pages.
constexpr std::uintptr_t far_ahead = 8192 + fetched_line, near_ahead = 1024 + fetched_line,
                         pages_ahead = 2 * far_ahead;

/// One cache line.
///   Near  into the first level too: where less is computed for each line
template <bool Near>
HWY_INLINE void fetch(const void* x) {
  fetch_lines(x, fetched_line, far_ahead);
  if (Near) {
    const auto at = reinterpret_cast<std::uintptr_t>(x) + near_ahead;
    __builtin_prefetch(reinterpret_cast<const void*>(at), 0, 3);
  }
  fetch_page(x, fetched_line, pages_ahead);
}

/// Quantizes blocks by the core.
HWY_NOINLINE int through_core(const mxfp4_run& run) {
  const quantization q{block_formats::mxfp4, run.rule, run.rounding, run.random};
  int special = 0;
  for (std::uint64_t b = 0; b < run.blocks; ++b) {
    std::uint8_t unpacked_codes[mxfp4::size];
    float values[mxfp4::size];
    widen_on_vectors(run.type, run.x + b * mxfp4::size * bytes_of(run.type), mxfp4::size, values);
    const chosen_scale scale =
        quantize_block(q, values, no_tensor_scale, run.first + b, unpacked_codes);
    std::uint8_t* codes = run.codes + b * mxfp4::size / 2;
    for (int k = 0; k < mxfp4::size / 2; ++k) {
      codes[k] = static_cast<std::uint8_t>(unpacked_codes[2 * k] | unpacked_codes[2 * k + 1] << 4);
    }
    run.scales[b] = static_cast<std::uint8_t>(scale.code);
    special += scale.special ? 1 : 0;
  }
  return special;
}

/// Blocks [first, first + count) of a run.
[[nodiscard]] HWY_INLINE mxfp4_run part_of(mxfp4_run run, std::uint64_t first,
                                           std::uint64_t count) {
  run.x += first * mxfp4::size * bytes_of(run.type);
  run.codes += first * mxfp4::size / 2;
  run.scales += first;
  run.first += first;
  run.blocks = count;
  return run;
}

constexpr int quarter_blocks = group_blocks / 4;
constexpr int quarter_words = quarter_blocks * block_words;  ///< vectors of words

/// Whole groups of blocks, one after the other.
///   Number  float for FP32, std::uint16_t for BF16
template <storing How, class Rounder, class Number>
class group_quantizer {
 public:
  explicit group_quantizer(const mxfp4_run& run)
      : bounds_(rule_bounds_of(formats::e2m1, run.rule)), rounder_(run.random) {}

  /// Returns the number of special blocks.
  std::int64_t all(const mxfp4_run& run) {
    HWY_ALIGN std::uint8_t collected[piece_blocks];
    std::int64_t special = 0;
    for (std::uint64_t first = 0; first < run.blocks; first += piece_blocks) {
      mxfp4_run piece = part_of(run, first, std::min(piece_blocks, run.blocks - first));
      if constexpr (How == storing::streamed) piece.scales = collected;
      special += some(piece);
      if constexpr (How == storing::streamed) {
        stream_bytes(collected, piece.blocks, run.scales + first);
      }
    }
    return special;
  }

 private:
  /// Blocks whose scales are collected before they are written.
  static constexpr std::uint64_t piece_blocks = 4096;

  /// The first step of a quarter: words, and the largest of each block.
  static HWY_INLINE void read_quarter(int quarter, group& g) {
    const U16 d;
    const auto* x = static_cast<const Number*>(g.x);
    words m[quarter_blocks];
#pragma GCC unroll 4
    for (int b = 0; b < quarter_blocks; ++b) {
      const int at = (quarter * quarter_blocks + b) * mxfp4::size;
      if constexpr (How == storing::streamed) {
        constexpr int line = fetched_line / sizeof(Number);
#pragma GCC unroll 2
        for (int i = 0; i < mxfp4::size; i += line) fetch<Rounder::waits_for_memory>(x + at + i);
      }
#pragma GCC unroll 4
      for (int v = 0; v < block_words; ++v) {
        const words some = words_of(x + at + v * word_lanes);
        hn::Store(some, d, g.w + at + v * word_lanes);
        const words magnitude = hn::And(some, hn::Set(d, 0x7FFF));
        m[b] = v == 0 ? magnitude : hn::Max(m[b], magnitude);
      }
    }
    g.largest[quarter] = largest_of_four(m);
  }

  /// The second step of a quarter.
  HWY_INLINE void write_quarter(const group& g, int quarter, std::uint8_t* codes) const {
#pragma GCC unroll 4
    for (int v = quarter * quarter_words; v < (quarter + 1) * quarter_words; v += 4) {
      store<How>(packed(rounder_.codes(g, v), rounder_.codes(g, v + 2)),
                 codes + v * word_lanes / 2);
    }
  }

  HWY_INLINE void choose_scales(group& g) const {
    HWY_ALIGN std::uint16_t largest[group_blocks];
    store_largest(folded(U64(), g.largest[0], g.largest[1]),
                  folded(U64(), g.largest[2], g.largest[3]), largest);
    mxfp4_kernel::choose_scales(largest, bounds_, Rounder::first_easy_scale, g.scales);
  }

  /// The first step of group `next` interleaved with the quarters of the second step of group
  /// `now`, so that waiting for memory overlaps with computing.
  HWY_INLINE void both_steps(const group& now, std::uint8_t* codes, group& next) const {
#pragma GCC unroll 4
    for (int quarter = 0; quarter < 4; ++quarter) {
      read_quarter(quarter, next);
      write_quarter(now, quarter, codes);
    }
  }

  static HWY_INLINE void place(const mxfp4_run& run, std::uint64_t block, group& g) {
    g.x = run.x + block * mxfp4::size * sizeof(Number);
    g.first = (run.first + block) * mxfp4::size;
  }

  /// At most piece_blocks blocks.
  std::int64_t some(const mxfp4_run& run) {
    group groups[2];
    std::int64_t special = 0;
    place(run, 0, groups[0]);
    for (int quarter = 0; quarter < 4; ++quarter) read_quarter(quarter, groups[0]);
    choose_scales(groups[0]);
    for (std::uint64_t b = 0; b < run.blocks; b += group_blocks) {
      const group& now = groups[b / group_blocks % 2];
      group& next = groups[1 - b / group_blocks % 2];
      // After the last group its values are read again, and not used.
      place(run, std::min(b + group_blocks, run.blocks - group_blocks), next);
      rounder_.begin(now);
      both_steps(now, run.codes + b * mxfp4::size / 2, next);
      std::memcpy(run.scales + b, now.scales.bytes, group_blocks);
      if (HWY_UNLIKELY(!now.scales.easy)) {
        // NaN or Inf somewhere, or a scale that is not easy. Streamed stores are flushed first.
        if constexpr (How == storing::streamed) hwy::FlushStream();
        special += through_core(part_of(run, b, group_blocks));
      }
      choose_scales(next);
    }
    return special;
  }

  rule_bounds bounds_;
  Rounder rounder_;
};

template <class Rounder, class Number>
std::int64_t quantize_groups(const mxfp4_run& run, storing how) {
  if (run.blocks == 0) return 0;
  if (how == storing::cached) {
    return group_quantizer<storing::cached, Rounder, Number>(run).all(run);
  }
  const std::int64_t special = group_quantizer<storing::streamed, Rounder, Number>(run).all(run);
  hwy::FlushStream();
  return special;
}

HWY_INLINE std::int64_t quantize_groups(const mxfp4_run& run, storing how) {
  if (run.rounding == rounding::stochastic) return quantize_groups<stochastic, float>(run, how);
  if (run.type == number_type::fp32) return quantize_groups<nearest, float>(run, how);
  return quantize_groups<nearest, std::uint16_t>(run, how);
}

}  // namespace mxfp4_kernel

std::int64_t mxfp4_blocks(const mxfp4_run& run) {
  using namespace mxfp4_kernel;  // NOLINT(google-build-using-namespace)
  if (!has_mxfp4_kernel(run)) return -1;
  const auto misaligned = reinterpret_cast<std::uintptr_t>(run.codes) % 64;
  const bool streamed = run.how == storing::streamed && misaligned % 16 == 0;
  const std::uint64_t head =
      streamed ? std::min<std::uint64_t>((64 - misaligned) % 64 / 16, run.blocks) : 0;
  const std::uint64_t whole = (run.blocks - head) / group_blocks * group_blocks;
  const mxfp4_run groups = part_of(run, head, whole);
  const storing how = streamed ? storing::streamed : storing::cached;
  const std::int64_t special = quantize_groups(groups, how);
  return special + through_core(part_of(run, 0, head)) +
         through_core(part_of(run, head + whole, run.blocks - head - whole));
}

#else

std::int64_t mxfp4_blocks(const mxfp4_run&) { return -1; }

#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
