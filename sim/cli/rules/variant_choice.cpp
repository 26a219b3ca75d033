// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/variant_choice.cpp: gathers blocks, calls the presets of the core, scatters what
// they give.
#include "sim/cli/rules/variant_choice.h"

#include <fmt/format.h>
#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <atomic>
#include <stdexcept>
#include <vector>

#include "mx/names.h"
#include "mx/spelling.h"
#include "mx/variants.h"
#include "sim/cli/terminal/command.h"

namespace sim::cli {
namespace {

using mx::variant_family;

const mx::mx_variant& mx_of(const mx::variant_entry& e) { return mx::mx_variant_table[e.index]; }
const mx::nvfp4_variant& nvfp4_of(const mx::variant_entry& e) {
  return mx::nvfp4_presets::all[e.index];
}

/// Where the blocks of a shape lie: block b is number b of the scales.
struct block_walk {
  mx::blocked_shape shape;
  std::uint64_t rows, columns, row_blocks, along, padded;

  block_walk(const mx::block_format& f, const mx::blocked_shape& s)
      : shape(s),
        rows(static_cast<std::uint64_t>(f.rows)),
        columns(static_cast<std::uint64_t>(f.columns)),
        row_blocks((s.rows + rows - 1) / rows),
        along((s.length + columns - 1) / columns),
        padded(along * columns) {}

  [[nodiscard]] std::uint64_t blocks() const {
    return shape.outer * row_blocks * along * shape.inner;
  }
  /// Calls work(k, line, a, i) for the elements of a block that have codes: k in the block, a along
  /// the axis, i behind it, line before it.
  template <class Work>
  void visit(std::uint64_t block, const Work& work) const {
    const std::uint64_t i = block % shape.inner, b = block / shape.inner % along;
    const std::uint64_t tile_row = block / shape.inner / along;
    const std::uint64_t o = tile_row / row_blocks, first = tile_row % row_blocks * rows;
    for (std::uint64_t r = 0; r < rows && first + r < shape.rows; ++r) {
      for (std::uint64_t c = 0; c < columns; ++c) {
        work(r * columns + c, o * shape.rows + first + r, b * columns + c, i);
      }
    }
  }
  [[nodiscard]] std::uint64_t value_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * shape.length + a) * shape.inner + i;
  }
  [[nodiscard]] std::uint64_t code_at(std::uint64_t line, std::uint64_t a, std::uint64_t i) const {
    return (line * padded + a) * shape.inner + i;
  }
  /// Number of the row scale that block b is under.
  [[nodiscard]] std::uint64_t row_of(std::uint64_t block) const {
    return block / shape.inner / along * shape.inner + block % shape.inner;
  }
};

template <class Work>
void for_each_block(const block_walk& walk, const mx::blocks_done& done, const Work& work) {
  tbb::parallel_for(tbb::blocked_range<std::uint64_t>(0, walk.blocks(), 256),
                    [&](const tbb::blocked_range<std::uint64_t>& range) {
                      for (std::uint64_t b = range.begin(); b < range.end(); ++b) work(b);
                      if (done) done(range.size());
                    });
}

mx::nvfp4_tensor tensor_under(const mx::nvfp4_variant& v, const variant_tensor_scale& s) {
  return mx::tensor_of(v, s.amax);
}

std::string formats_of(const mx::variant_entry& entry) {
  std::string names;
  for (const mx::block_format& f : entry.about.formats) {
    names += (names.empty() ? "" : " ") + mx::spelling_of(f);
  }
  return names;
}

}  // namespace

const mx::variant_entry& variant_chosen(const std::string& name) {
  if (const mx::variant_entry* entry = mx::variant_named(name)) return *entry;
  std::vector<std::string_view> names;
  for (const mx::variant_entry& entry : mx::variant_table) names.push_back(entry.about.name);
  throw usage_error("--variant: " + mx::unknown_name("variant", name, names));
}

std::string name_of(const mx::variant_entry& entry) { return std::string(entry.about.name); }

mx::block_format format_of_variant(const mx::variant_entry& entry,
                                   const std::optional<std::string>& asked) {
  if (!asked) return entry.about.formats.front();
  try {
    const mx::spelled_format format = mx::format_spelled(*asked);
    if (format == mx::spelled_format{format.format} && mx::covers(entry.about, format.format)) {
      return format.format;
    }
    for (const mx::block_format& f : entry.about.formats) {
      const bool only_bound = f.element == format.format.element && f.rows == format.format.rows &&
                              f.columns == format.format.columns &&
                              f.scale == format.format.scale && entry.about.formats.size() == 1;
      if (only_bound && format == mx::spelled_format{format.format}) return f;
    }
  } catch (const std::invalid_argument& wrong) {
    throw usage_error(fmt::format("--format: {}", wrong.what()));
  }
  throw usage_error(fmt::format("--variant {} does not quantize to {}; it has: {}",
                                entry.about.name, *asked, formats_of(entry)));
}

mx::nibble_order nibbles_of(const mx::variant_entry& entry) { return entry.about.packing; }

void expect_quantizer(const mx::variant_entry& entry) {
  if (entry.family == variant_family::mx || entry.family == variant_family::nvfp4) return;
  throw usage_error(fmt::format(
      "--variant {} {}; quantize takes presets that choose scales, such as "
      "torchao.rceil",
      entry.about.name,
      entry.family == variant_family::element ? "converts single elements and chooses no scale"
                                              : "only decodes"));
}

void expect_decoder(const mx::variant_entry& entry) {
  if (entry.family != variant_family::element) return;
  throw usage_error(
      fmt::format("--variant {} converts single elements and decodes nothing", entry.about.name));
}

void choose_variant_scales(const mx::variant_entry& entry, const mx::block_format& f,
                           const float* x, const mx::blocked_shape& shape,
                           variant_tensor_scale* scales) {
  if (entry.family != variant_family::nvfp4 || !f.has_tensor_scale()) return;
  const mx::nvfp4_variant& v = nvfp4_of(entry);
  const auto scale_of = [&](const float* first, std::uint64_t count) {
    const float amax = mx::amax_of(v, first, static_cast<std::int64_t>(count));
    return variant_tensor_scale{amax, mx::decoding_factor(v, mx::tensor_of(v, amax))};
  };
  if (f.tensor == mx::tensor_scaling::per_tensor) {
    scales[0] = scale_of(x, shape.elements());
    return;
  }
  const block_walk walk(f, shape);
  std::vector<float> row(shape.length);
  for (std::uint64_t r = 0; r < shape.outer * shape.rows * shape.inner; ++r) {
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      row[a] = x[walk.value_at(r / shape.inner, a, r % shape.inner)];
    }
    scales[r] = scale_of(row.data(), shape.length);
  }
}

std::uint64_t quantize_by_variant(const mx::variant_entry& entry, const mx::block_format& f,
                                  const float* x, const mx::blocked_shape& shape,
                                  const variant_tensor_scale* tensor, std::uint8_t* codes,
                                  std::uint8_t* scales, const mx::blocks_done& done) {
  const block_walk walk(f, shape);
  std::atomic<std::uint64_t> special{0};
  for_each_block(walk, done, [&](std::uint64_t b) {
    std::vector<float> values(static_cast<std::size_t>(f.size()));
    std::vector<std::uint8_t> made(values.size());
    walk.visit(b, [&](std::uint64_t k, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      if (a < shape.length) values[k] = x[walk.value_at(line, a, i)];
    });
    if (mx::extent_of(values.data(), f.size()).special) ++special;
    if (entry.family == variant_family::mx) {
      scales[b] = mx::quantize_block(mx_of(entry), f, values.data(), f.size(), made.data());
    } else {
      const bool one = f.tensor != mx::tensor_scaling::per_row;
      const mx::nvfp4_variant& v = nvfp4_of(entry);
      const mx::nvfp4_tensor under = f.has_tensor_scale()
                                         ? tensor_under(v, tensor[one ? 0 : walk.row_of(b)])
                                         : mx::tensor_of(v, 0.0F);
      scales[b] = mx::quantize_block(v, values.data(), under, made.data());
    }
    walk.visit(b, [&](std::uint64_t k, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      codes[walk.code_at(line, a, i)] = made[k];
    });
  });
  return special;
}

void dequantize_by_variant(const mx::variant_entry& entry, const mx::block_format& f,
                           const std::uint8_t* codes, const std::uint8_t* scales,
                           const mx::blocked_shape& shape, const variant_tensor_scale* tensor,
                           float* x, const mx::blocks_done& done) {
  const block_walk walk(f, shape);
  for_each_block(walk, done, [&](std::uint64_t b) {
    const bool one = f.tensor != mx::tensor_scaling::per_row;
    const auto value = [&](std::uint8_t code) {
      switch (entry.family) {
        case variant_family::mx:
          return mx::dequantize_element(mx_of(entry), f.element, scales[b], code);
        case variant_family::nvfp4: {
          const mx::nvfp4_variant& v = nvfp4_of(entry);
          const mx::nvfp4_tensor under = f.has_tensor_scale()
                                             ? tensor_under(v, tensor[one ? 0 : walk.row_of(b)])
                                             : mx::tensor_of(v, 0.0F);
          return mx::dequantize_element(v, code, scales[b], under);
        }
        case variant_family::element:
        case variant_family::decoder:
          break;
      }
      const mx::e8m0_decoding how = mx::decoder_variant_table[entry.index].decoding;
      return mx::decoded(how, scales[b], mx::to_binary32(mx::decode(f.element, code)));
    };
    walk.visit(b, [&](std::uint64_t, std::uint64_t line, std::uint64_t a, std::uint64_t i) {
      if (a < shape.length) x[walk.value_at(line, a, i)] = value(codes[walk.code_at(line, a, i)]);
    });
  });
}

}  // namespace sim::cli
