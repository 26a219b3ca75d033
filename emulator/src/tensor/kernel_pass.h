// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/kernel_pass.h: codes and scales of one pass in the order of the kernels, from
// and to the stored order.
#pragma once
#include <algorithm>
#include <memory>

#include "mx/tensor/coded_tensor.h"
#include "mx/tensor/storage.h"

namespace mx {

using constant_pass = pass_arrays<const std::uint8_t>;

/// Uninitialized bytes.
using scratch = std::unique_ptr<std::uint8_t[]>;

inline scratch scratch_of(std::uint64_t bytes) {
  return std::make_unique_for_overwrite<std::uint8_t[]>(bytes);
}

/// Packing in the kernels: low nibbles first, or one code a byte.
inline code_packing kernel_packing(const recipe& r) {
  const bool same = r.codes.nibbles == nibble_order::low_first && !r.has_preset();
  return same && r.has_pairs() ? code_packing::packed : code_packing::unpacked;
}

/// Whether a stored byte holds bits of more than one code.
inline bool shares_bytes(const recipe& r) { return r.has_pairs() || r.is_dense(); }

inline bool is_repacked(const recipe& r) {
  return shares_bytes(r) && kernel_packing(r) == code_packing::unpacked;
}
inline bool is_rearranged(const recipe& r) { return r.layout != scale_layout::linear; }

/// Codes one a byte to the stored order.
inline void pack(const recipe& r, const coded_shape& s, const std::uint8_t* codes,
                 std::uint8_t* stored) {
  const std::uint64_t outer = s.padded.outer * s.padded.rows, length = s.sizes.code_bytes_along;
  if (r.is_dense()) return pack_sixes(codes, outer, length, s.padded.inner, stored);
  pack_codes(r.codes.nibbles, r.format().columns, codes, outer, length, s.padded.inner, stored);
}

inline void unpack(const recipe& r, const coded_shape& s, const std::uint8_t* stored,
                   std::uint8_t* codes) {
  const std::uint64_t outer = s.padded.outer * s.padded.rows, length = s.sizes.code_bytes_along;
  if (r.is_dense()) return unpack_sixes(stored, outer, length, s.padded.inner, codes);
  unpack_codes(r.codes.nibbles, r.format().columns, stored, outer, length, s.padded.inner, codes);
}

/// Scales in row-major order to the stored order; both may be the same array if that is linear.
inline void store_scales(const recipe& r, const coded_shape& s, const std::uint8_t* scales,
                         std::uint8_t* stored) {
  if (is_rearranged(r)) {
    const scale_matrices m = scale_matrices_of(r, s);
    arrange_scales(r.layout, scales, m.count, m.rows, m.columns, stored);
  } else if (scales != stored) {
    std::copy_n(scales, s.sizes.scale_bytes(), stored);
  }
}

inline void load_scales(const recipe& r, const coded_shape& s, const std::uint8_t* stored,
                        std::uint8_t* scales) {
  if (!is_rearranged(r)) {
    std::copy_n(stored, s.sizes.scale_bytes(), scales);
    return;
  }
  const scale_matrices m = scale_matrices_of(r, s);
  restore_scales(r.layout, stored, m.count, m.rows, m.columns, scales);
}

/// Codes and scales in the order of the kernels: the stored arrays themselves if the stored order
/// is the same, else copies.
struct kernel_pass {
  scratch codes_copy, scales_copy;
  std::uint8_t *codes = nullptr, *scales = nullptr;

  kernel_pass(const recipe& r, const coded_shape& s, const pass_arrays<std::uint8_t>& stored)
      : codes(stored.codes), scales(stored.scales) {
    if (is_repacked(r)) codes = (codes_copy = scratch_of(s.sizes.code_bytes)).get();
    if (is_rearranged(r)) scales = (scales_copy = scratch_of(s.sizes.scale_bytes())).get();
  }
  void store(const recipe& r, const coded_shape& s, const pass_arrays<std::uint8_t>& stored) const {
    if (is_repacked(r)) pack(r, s, codes, stored.codes);
    store_scales(r, s, scales, stored.scales);
  }
};

/// The same for input arrays.
struct loaded_pass {
  scratch codes_copy, scales_copy;
  const std::uint8_t *codes = nullptr, *scales = nullptr;

  loaded_pass(const recipe& r, const coded_shape& s, const constant_pass& stored)
      : codes(stored.codes), scales(stored.scales) {
    if (is_repacked(r)) {
      codes_copy = scratch_of(s.sizes.code_bytes);
      unpack(r, s, stored.codes, codes_copy.get());
      codes = codes_copy.get();
    }
    if (is_rearranged(r)) {
      scales_copy = scratch_of(s.sizes.scale_bytes());
      load_scales(r, s, stored.scales, scales_copy.get());
      scales = scales_copy.get();
    }
  }
};

}  // namespace mx
