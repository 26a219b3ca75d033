// SPDX-License-Identifier: Apache-2.0
// kernels/src/requests.cpp: validates pointers, sizes and formats of requests.
#include "requests.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "decompose/sum.h"
#include "mx/block/energy.h"
#include "quantize/rectangle.h"

namespace mx::kernels {
namespace {

constexpr std::int64_t largest_matrix = (std::int64_t{1} << 40) - 1;
constexpr std::int64_t largest_span = std::int64_t{1} << 60;  // its bytes are numbers of 63 bits

std::int64_t product(const matrix_shape& shape) { return shape.rows * shape.columns; }

std::int64_t span_in(const matrix_shape& shape, std::int64_t stride) {
  return span_of(shape.rows, shape.columns, stride);
}
status stride_in(const char* name, std::int64_t stride, const matrix_shape& shape) {
  return checked_stride(name, stride, shape.rows, shape.columns);
}

/// Blocks that the kernels support: of one row, limited by a thread's capacity, or of several,
/// limited by shared memory; codes in whole bytes.
bool is_served(const block_format& f) {
  const bool halved = f.element.width() == 4;
  const bool is_shape = f.rows >= 1 && f.columns >= 1 && f.rows <= largest_rectangle &&
                        f.columns <= largest_rectangle / f.rows &&
                        (f.rows > 1 || f.columns <= largest_block);
  return is_shape && f.element.width() <= 8 && (!halved || f.columns % 2 == 0) &&
         f.scale.width() <= 32;
}

/// Whole rotations are whole blocks, or the reverse.
///   f  is served
bool is_served(const rotation& by, const block_format& f) {
  if (by.size == 0 || !is_rotation_size(by.size)) return by.size == 0;
  return f.rows == 1 && std::max(f.size(), by.size) % std::min(f.size(), by.size) == 0;
}

/// Parts that no kernel supports.
recipe_part unserved_part_of(const recipe& how) {
  const block_format& f = how.format();
  if (how.has_preset()) return recipe_part::preset;
  if (how.is_corrected()) return recipe_part::corrections;
  if (how.passes != passes::once) return recipe_part::passes;
  if (f.precision != scale_precision::stored) return recipe_part::exact_scale;
  if (f.tensor == tensor_scaling::per_row) return recipe_part::row_scales;
  return is_served(f) ? recipe_part::none : recipe_part::block;
}

/// Parts that kernels that load or store codes and scales do not support.
recipe_part unstored_part_of(const recipe& how) {
  code_order codes = how.codes;
  if (how.format().element.width() != 4) codes = {.sixes = codes.sixes};
  if (!(codes == code_order{})) return recipe_part::code_order;
  return storage_refusal_of(how) == recipe_refusal::wide_layout ? recipe_part::layout
                                                                : recipe_part::none;
}

recipe_part refused_rules_of(const recipe& how) {
  return refusal_of(how.rules) == refusal::none ? recipe_part::none : recipe_part::rules;
}

/// Refuses the first part, in the order of recipe_part.
status without(std::initializer_list<recipe_part> parts) {
  recipe_part first = recipe_part::none;
  for (const recipe_part part : parts) {
    if (part != recipe_part::none && (first == recipe_part::none || part < first)) first = part;
  }
  if (first == recipe_part::none) return {};
  return {launch_error::format, "how", 0, 0, first};
}

status served(const quantize_request& r) {
  return without({unserved_part_of(r.how), unstored_part_of(r.how), refused_rules_of(r.how)});
}

/// The rule and the rounding are not read.
status served(const dequantize_request& r) {
  return without({unserved_part_of(r.how), unstored_part_of(r.how)});
}

/// fake_quantize and decompose store no codes.
status served(const recipe& how) { return without({unserved_part_of(how), refused_rules_of(how)}); }

status tensor_scale_of(const block_format& f, const float* scale) {
  return f.has_tensor_scale() ? usable("tensor_scale", scale, 4) : status{};
}

/// Null if the format has none: it is not read then.
extent tensor_scale_in(const block_format& f, const float* scale) {
  return {"tensor_scale", f.has_tensor_scale() ? scale : nullptr, 4};
}

extent codes_of(const char* name, const coded_lines& lines, const coded_size& size) {
  return {name, lines.codes, size.code_bytes};
}
extent scales_of(const char* name, const coded_lines& lines, const coded_size& size) {
  return {name, lines.codes == nullptr ? nullptr : lines.scales, size.scale_bytes};
}

status present(const char* codes, const char* scales, const coded_lines& lines) {
  if (lines.codes == nullptr) return {};
  return usable(scales, lines.scales, 1).is_done() ? usable(codes, lines.codes, 1)
                                                   : usable(scales, lines.scales, 1);
}

}  // namespace

status first_error(std::initializer_list<status> answers) {
  for (const status& answer : answers) {
    if (!answer.is_done()) return answer;
  }
  return {};
}

status product_below(const char* name, std::int64_t lines, std::int64_t length) {
  const bool fits = length == 0 || lines <= most_elements / length;
  return fits ? status{} : status{launch_error::size, name, most_elements};
}

status disjoint(std::initializer_list<extent> results, std::initializer_list<extent> others) {
  const auto meet = [](const extent& a, const extent& b) {
    const auto first = reinterpret_cast<std::uintptr_t>(a.first);
    const auto second = reinterpret_cast<std::uintptr_t>(b.first);
    const bool empty = a.first == nullptr || b.first == nullptr || a.bytes == 0 || b.bytes == 0;
    return !empty && first < second + static_cast<std::uintptr_t>(b.bytes) &&
           second < first + static_cast<std::uintptr_t>(a.bytes);
  };
  for (const extent& result : results) {
    for (const extent& other : others) {
      if (meet(result, other)) return {launch_error::overlapping, result.name};
    }
    for (const extent& other : results) {
      if (&other != &result && meet(result, other)) return {launch_error::overlapping, result.name};
    }
  }
  return {};
}

status usable(const char* name, const void* pointer, int alignment) {
  if (pointer == nullptr) return {launch_error::null_pointer, name};
  const auto address = reinterpret_cast<std::uintptr_t>(pointer);
  if (address % static_cast<std::uintptr_t>(alignment) != 0) {
    return {launch_error::misaligned, name, alignment};
  }
  return {};
}

status countable(const matrix_shape& shape) {
  if (shape.rows < 0) return {launch_error::shape, "rows"};
  if (shape.columns < 0) return {launch_error::shape, "columns"};
  const bool fits = shape.columns == 0 || shape.rows <= largest_matrix / shape.columns;
  return fits ? status{} : status{launch_error::size, "rows * columns", largest_matrix};
}

status checked_stride(const char* name, std::int64_t stride, std::int64_t lines,
                      std::int64_t length) {
  if (stride == 0) return {};
  if (stride < length) return {launch_error::too_small, name, length};
  const std::int64_t most = lines > 0 ? largest_span / lines : largest_span;
  return stride <= most ? status{} : status{launch_error::size, name, most};
}

coded_size size_of(const block_format& f, scale_layout layout, std::int64_t lines,
                   std::int64_t length) {
  if (lines < 0 || length < 0) return {};
  const blocked_sizes sizes =
      sizes_of(f, {1, static_cast<std::uint64_t>(lines), static_cast<std::uint64_t>(length), 1},
               code_packing::packed);
  const auto rows = static_cast<std::uint64_t>(f.rows);
  const std::uint64_t block_lines = (static_cast<std::uint64_t>(lines) + rows - 1) / rows;
  const std::uint64_t places = size(layout, block_lines, sizes.blocks_along);
  return {static_cast<std::int64_t>(sizes.blocks_along),
          static_cast<std::int64_t>(sizes.code_bytes_along),
          static_cast<std::int64_t>(sizes.code_bytes),
          static_cast<std::int64_t>(places * sizes.bytes_a_scale),
          static_cast<std::int64_t>(block_lines)};
}

status checked(const quantize_request& r) {
  const status early =
      first_error({countable(r.shape), stride_in("x_stride", r.x_stride, r.shape), served(r)});
  if (!early.is_done() || product(r.shape) == 0) return early;
  if (r.rows.codes == nullptr && r.columns.codes == nullptr) {
    return {launch_error::null_pointer, "rows.codes"};
  }
  const int element = static_cast<int>(bytes_of(r.input));
  const coded_size rows = size_of(r.how.format(), r.how.layout, r.shape.rows, r.shape.columns);
  const coded_size columns = size_of(r.how.format(), r.how.layout, r.shape.columns, r.shape.rows);
  return first_error(
      {usable("x", r.x, element), present("rows.codes", "rows.scales", r.rows),
       present("columns.codes", "columns.scales", r.columns),
       tensor_scale_of(r.how.format(), r.tensor_scale),
       disjoint({codes_of("rows.codes", r.rows, rows), scales_of("rows.scales", r.rows, rows),
                 codes_of("columns.codes", r.columns, columns),
                 scales_of("columns.scales", r.columns, columns)},
                {{"x", r.x, span_in(r.shape, r.x_stride) * element},
                 tensor_scale_in(r.how.format(), r.tensor_scale)})});
}

status checked(const dequantize_request& r) {
  const status early =
      first_error({countable(r.shape), stride_in("out_stride", r.out_stride, r.shape), served(r)});
  if (!early.is_done() || product(r.shape) == 0) return early;
  const int element = static_cast<int>(bytes_of(r.output));
  const coded_size size = size_of(r.how.format(), r.how.layout, r.shape.rows, r.shape.columns);
  return first_error({usable("codes", r.codes, 1), usable("scales", r.scales, 1),
                      usable("out", r.out, element),
                      tensor_scale_of(r.how.format(), r.tensor_scale),
                      disjoint({{"out", r.out, span_in(r.shape, r.out_stride) * element}},
                               {{"codes", r.codes, size.code_bytes},
                                {"scales", r.scales, size.scale_bytes},
                                tensor_scale_in(r.how.format(), r.tensor_scale)})});
}

status checked(const fake_quantize_request& r) {
  const status early = first_error({countable(r.shape), stride_in("x_stride", r.x_stride, r.shape),
                                    stride_in("out_stride", r.out_stride, r.shape), served(r.how)});
  if (!early.is_done() || product(r.shape) == 0) return early;
  const int element = static_cast<int>(bytes_of(r.type));
  const status pointers = first_error({usable("x", r.x, element), usable("out", r.out, element),
                                       tensor_scale_of(r.how.format(), r.tensor_scale)});
  if (!pointers.is_done()) return pointers;
  const std::int64_t columns = r.shape.columns;
  const bool in_place =
      r.out == r.x && stride_of(r.x_stride, columns) == stride_of(r.out_stride, columns);
  const extent x{"x", in_place ? nullptr : r.x, span_in(r.shape, r.x_stride) * element};
  return disjoint({{"out", r.out, span_in(r.shape, r.out_stride) * element}},
                  {x, tensor_scale_in(r.how.format(), r.tensor_scale)});
}

std::int64_t shares_of(const block_format& f, const matrix_shape& shape) {
  if (shape.rows < 0 || shape.columns < 0) return 0;
  const coded_size size = size_of(f, scale_layout::linear, shape.rows, shape.columns);
  const std::int64_t blocks = size.lines_of_blocks * size.blocks_a_line;
  const std::int64_t whole = blocks_a_share(static_cast<std::int64_t>(f.size()));
  return blocks / whole + (blocks % whole != 0 ? 1 : 0);
}

std::int64_t share_entries_of(const block_format& f, const matrix_shape& shape) {
  const auto shares = static_cast<std::uint64_t>(shares_of(f, shape));
  std::uint64_t entries = shares;
  for (std::uint64_t sums = sums_of(shares); sums > 1; sums = sums_of(sums)) entries += sums;
  return static_cast<std::int64_t>(entries);
}

error_energy sum_of(const error_energy* shares, std::int64_t count) {
  std::vector<error_energy> entries(shares, shares + count);
  return sum_of_shares(entries.data(), count);
}

status checked(const decompose_request& r) {
  const status early =
      first_error({countable(r.shape), stride_in("x_stride", r.x_stride, r.shape), served(r.how)});
  if (!early.is_done()) return early;
  const int element = static_cast<int>(bytes_of(r.input));
  const auto unit = static_cast<std::int64_t>(sizeof(error_energy));
  const bool is_empty = product(r.shape) == 0;
  const status sum = r.sum == nullptr ? status{} : usable("sum", r.sum, 8);
  if (is_empty) return sum;
  const status pointers = first_error({usable("x", r.x, element), usable("shares", r.shares, 8),
                                       sum, tensor_scale_of(r.how.format(), r.tensor_scale)});
  if (!pointers.is_done()) return pointers;
  const std::int64_t entries = r.sum == nullptr ? shares_of(r.how.format(), r.shape)
                                                : share_entries_of(r.how.format(), r.shape);
  return disjoint({{"shares", r.shares, unit * entries}, {"sum", r.sum, unit}},
                  {{"x", r.x, span_in(r.shape, r.x_stride) * element},
                   tensor_scale_in(r.how.format(), r.tensor_scale)});
}

quantize_request unrotated(const rotate_quantize_request& r) {
  quantize_request to = r.to;
  to.how.corrections.rotation = {};
  return to;
}

status checked(const rotate_quantize_request& r) {
  const status request = checked(unrotated(r));
  if (!request.is_done()) return request;
  const block_format& f = r.to.how.format();
  if (!is_served(r.by(), f)) return without({recipe_part::rotation});
  if (r.by().size == 0) return {};
  if (r.to.columns.codes != nullptr) return {launch_error::format, "columns of a rotated matrix"};
  const int longer = std::max(f.size(), r.by().size);
  if (r.to.shape.columns % longer == 0) return {};
  return {launch_error::shape, "columns", longer};
}

}  // namespace mx::kernels
