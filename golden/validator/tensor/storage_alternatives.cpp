// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/storage_alternatives.cpp: other nibble orders, layouts, places and axes.
#include <algorithm>

#include "alternatives.h"
#include "geometry.h"

namespace golden::validator {
namespace {

void append_nibbles(const hypothesis& declared, alternative_list& list) {
  for (const mx::nibble_order_entry& entry : mx::nibble_order_table) {
    list.push_back({dimension::nibble_order, [order = entry.value](hypothesis& r) {
                      r.recipe.codes = {mx::code_packing::packed, order};
                    }});
  }
  if (declared.recipe.codes.packing == mx::code_packing::packed) {
    list.push_back({dimension::nibble_order, [](hypothesis& r) {
                      r.recipe.codes = {mx::code_packing::unpacked, r.recipe.codes.nibbles};
                    }});
  }
  if (declared.format().element.width() == 6 && !declared.recipe.is_dense()) {
    list.push_back({dimension::nibble_order,
                    [](hypothesis& r) { r.recipe.codes.sixes = mx::six_bit_order::dense; }});
  }
}

void append_layouts(const hypothesis& declared, alternative_list& list) {
  for (const mx::scale_layout_entry& entry : mx::scale_layout_table) {
    if (entry.value == declared.recipe.layout) continue;
    list.push_back(
        {dimension::scale_layout, [to = entry.value](hypothesis& r) { r.recipe.layout = to; }});
  }
  for (const mx::scale_layout_entry& entry : mx::scale_layout_table) {
    list.push_back({dimension::scale_layout, [to = entry.value](hypothesis& r) {
                      r.recipe.layout = to;
                      r.placement.motion = scale_motion::transposed;
                    }});
  }
}

void append_motions(alternative_list& list) {
  const auto append = [&list](const scale_placement& to) {
    add(list, dimension::scale_layout, &habits::placement, to);
  };
  for (const scale_motion motion :
       {scale_motion::along, scale_motion::flat, scale_motion::across}) {
    for (const motion_end end : {motion_end::rolled, motion_end::zeros, motion_end::repeated}) {
      for (const int by : {1, -1}) append({motion, by, end});
    }
  }
  for (const int mask : {1, 2, 3}) append({scale_motion::exchanged, mask, motion_end::rolled});
  for (const int blocks : {2, 4, 8}) append({scale_motion::spread, blocks, motion_end::rolled});
}

void append_axes(const hypothesis& declared, std::span<const subject> subjects,
                 alternative_list& list) {
  std::size_t axes = 0;
  for (const subject& s : subjects) axes = std::max(axes, s.shape.size());
  for (std::size_t axis = 0; axis < axes; ++axis) {
    for (const stored_order order :
         {stored_order::as_input, stored_order::axis_last, stored_order::axis_first}) {
      if (axis == declared.axis && order == declared.order) continue;
      // Then it equals the order of the input.
      if (axis == 0 && order == stored_order::axis_last) continue;
      if (axis + 1 == axes && order == stored_order::axis_first) continue;
      list.push_back({dimension::block_axis, [axis, order](hypothesis& r) {
                        r.axis = axis;
                        r.order = order;
                      }});
    }
  }
}

void append_row_orders(const hypothesis& declared, std::span<const subject> subjects,
                       alternative_list& list) {
  const auto has_whole_groups = [&](const row_order& rows) {
    hypothesis r = declared;
    r.rows = rows;
    return std::ranges::all_of(subjects,
                               [&](const subject& s) { return geometry::of(r, s).has_value(); });
  };
  for (const row_reach reach : {row_reach::codes_and_scales, row_reach::codes, row_reach::scales}) {
    const company with = reach == row_reach::codes_and_scales ? company::any : company::alone;
    for (const row_halves halves :
         {row_halves::apart, row_halves::interleaved, row_halves::separated}) {
      for (const int shuffled : {0, 16, 32}) {
        const row_order to{halves, shuffled, reach};
        if (to.is_of_input() || !has_whole_groups(to)) continue;
        list.push_back({dimension::row_order, [to](hypothesis& r) { r.rows = to; }, with});
      }
    }
  }
}

}  // namespace

void append_storage_alternatives(const hypothesis& declared, std::span<const subject> subjects,
                                 alternative_list& list) {
  append_nibbles(declared, list);
  append_layouts(declared, list);
  append_motions(list);
  append_axes(declared, subjects, list);
  append_row_orders(declared, subjects, list);
}

}  // namespace golden::validator
