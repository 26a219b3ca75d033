// SPDX-License-Identifier: Apache-2.0
// golden/bindings/stored_order.cpp: arrays between the order of the core and that of the caller.
#include "golden/bindings/stored_order.h"

#include <algorithm>

namespace bindings {
namespace {

std::uint8_t* bytes_in(const mx_buffer& buffer) { return static_cast<std::uint8_t*>(buffer.data); }

bool is_repacked(const mx_format& format) {
  return format.is_halved() && format.core_packing() == mx::code_packing::unpacked;
}

bool is_rearranged(const mx_format& format) { return format.layout != mx::scale_layout::linear; }

std::uint64_t padded_length(const mx_format& format, const coded_places& places) {
  return places.in_core.blocks_along * static_cast<std::uint64_t>(format.blocks().columns);
}

void expect_narrow(const mx_format& format, const mx_buffer& codes) {
  const int width = format.blocks().element.width();
  if (format.is_halved() || width >= 8) return;
  const std::uint8_t* first = bytes_in(codes);
  const bool wide = std::any_of(first, first + codes.bytes,
                                [width](std::uint8_t code) { return code >> width != 0; });
  require(!wide, "codes: one has more bits than its element");
}

}  // namespace

core_arrays space_for(const mx_format& format, const coded_places& places, const mx_buffer& codes,
                      const mx_buffer& scales) {
  core_arrays a;
  if (is_repacked(format)) a.codes_copy.resize(places.in_core.code_bytes);
  if (is_rearranged(format)) a.scales_copy.resize(places.in_core.scale_bytes());
  a.codes = is_repacked(format) ? a.codes_copy.data() : bytes_in(codes);
  a.scales = is_rearranged(format) ? a.scales_copy.data() : bytes_in(scales);
  return a;
}

void store(const mx_format& format, const coded_places& places, const core_arrays& made,
           const mx_buffer& codes, const mx_buffer& scales) {
  const mx::blocked_shape& s = places.padded;
  const scale_matrices& m = places.matrices;
  if (is_repacked(format) && codes.bytes > 0) {
    mx::pack_codes(format.order, format.blocks().columns, made.codes, s.outer * s.rows,
                   padded_length(format, places), s.inner, bytes_in(codes));
  }
  if (is_rearranged(format) && scales.bytes > 0) {
    mx::arrange_scales(format.layout, made.scales, m.count, m.rows, m.columns, bytes_in(scales));
  }
}

core_arrays loaded(const mx_format& format, const coded_places& places, const mx_buffer& codes,
                   const mx_buffer& scales) {
  expect_narrow(format, codes);
  core_arrays a = space_for(format, places, codes, scales);
  const mx::blocked_shape& s = places.padded;
  const scale_matrices& m = places.matrices;
  if (is_repacked(format) && codes.bytes > 0) {
    mx::unpack_codes(format.order, format.blocks().columns, bytes_in(codes), s.outer * s.rows,
                     padded_length(format, places), s.inner, a.codes);
  }
  if (is_rearranged(format) && scales.bytes > 0) {
    mx::restore_scales(format.layout, bytes_in(scales), m.count, m.rows, m.columns, a.scales);
  }
  return a;
}

}  // namespace bindings
