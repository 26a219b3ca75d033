// SPDX-License-Identifier: Apache-2.0
// golden/validator/compare.cpp: codes part by part, then all scales; memory is a part's and four
// bytes a block.
#include "golden/validator/compare.h"

#include <tbb/blocked_range.h>
#include <tbb/parallel_for.h>

#include <algorithm>
#include <atomic>

#include "golden/validator/chunks.h"

namespace golden::validator {
namespace {

constexpr std::uint64_t part_elements = std::uint64_t{1} << 22;

template <class Work>
void for_blocks(std::uint64_t first, std::uint64_t count, const Work& work) {
  using range = tbb::blocked_range<std::uint64_t>;
  tbb::parallel_for(range(first, first + count, 128), [&](const range& part) {
    predicted_block space;
    for (std::uint64_t b = part.begin(); b < part.end(); ++b) work(b, space);
  });
}

std::uint32_t code_in(byte_span codes, const geometry& g, const mx::code_place& at) {
  const std::uint32_t byte = codes[at.byte];
  return g.halved() ? byte >> at.shift & 0xFU : byte;
}

std::uint32_t scale_in(byte_span scales, const geometry& g, std::uint64_t at) {
  std::uint32_t code = 0;
  for (std::uint64_t k = 0; k < g.bytes_a_scale(); ++k) {
    code |= std::uint32_t{scales[at + k]} << (8 * k);
  }
  return code;
}

/// Calls work(k, row, position) for the codes a block has: k in the block.
template <class Work>
void for_codes(const geometry& g, const block_place& p, const Work& work) {
  for (std::uint64_t r = 0; r < g.rows() && p.row + r < g.shape().rows; ++r) {
    for (std::uint64_t c = 0; c < g.columns(); ++c) {
      work(r * g.columns() + c, r, p.along * g.columns() + c);
    }
  }
}

/// What is known of a prediction against the bytes: scales as made, and wrong codes of each block.
class walk {
 public:
  walk(const prediction& p, const mx::blocks_done& done)
      : p_(p), g_(p.where()), scales_(g_.blocks()), wrong_(g_.blocks()), done_(done) {}

  /// Counts wrong codes.
  ///   returns  false where one was seen and that was to be the end
  bool codes(bool stop_at_first) {
    const bool bulk = is_bulk();
    for (const chunk& c : chunks_of(g_, part_elements)) {
      if (bulk && c.shape.elements() <= 4 * part_elements) {
        by_bulk(c);
      } else {
        by_block(c.first_block, c.blocks);
      }
      if (done_) done_(c.blocks);
      if (stop_at_first && any_wrong_) return false;
    }
    return true;
  }

  [[nodiscard]] std::uint32_t expected_scale(std::uint64_t block) const {
    const std::optional<std::uint64_t> source = g_.scale_source(block);
    return source ? scales_[*source] : 0;
  }
  [[nodiscard]] bool scale_differs(std::uint64_t block) const {
    return expected_scale(block) != scale_in(p_.of().scales, g_, g_.scale_at(block));
  }
  [[nodiscard]] std::uint32_t wrong_codes(std::uint64_t block) const { return wrong_[block]; }

 private:
  [[nodiscard]] bool is_bulk() const { return is_plain(p_.rules()) && g_.bytes_a_scale() == 1; }
  /// Whether a part's codes lie in the file as the core writes them.
  [[nodiscard]] bool is_core_order() const {
    const recipe& r = p_.rules();
    return r.order == stored_order::as_input &&
           (!g_.halved() || r.nibbles == mx::nibble_order::low_first);
  }

  void by_block(std::uint64_t first, std::uint64_t count) {
    for_blocks(first, count, [&](std::uint64_t b, predicted_block& made) {
      p_.make(b, made);
      scales_[b] = made.scale;
      count_wrong(b, [&](std::uint64_t k, std::uint64_t, std::uint64_t) {
        return std::uint32_t{made.codes[k]};
      });
    });
  }

  template <class Code>
  void count_wrong(std::uint64_t block, const Code& code) {
    const block_place at = g_.place(block);
    std::uint32_t wrong = 0;
    for_codes(g_, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
      const std::uint32_t found = code_in(p_.of().codes, g_, g_.code_at(at, row, position));
      wrong += found != code(k, row, position) ? 1 : 0;
    });
    wrong_[block] = wrong;
    if (wrong != 0) any_wrong_ = true;
  }

  /// The part's numbers as the core takes them.
  const void* numbers_of(const chunk& c, mx::number_type& type) {
    const subject& s = p_.of();
    type = s.type;
    const std::uint64_t first =
        ((c.outer * g_.shape().rows + c.row) * g_.shape().length + c.along) * g_.shape().inner;
    const precision p = p_.rules().input.numbers;
    if (p == precision::as_given) return s.values.data() + first * mx::bytes_of(s.type);
    rounded_.resize(c.shape.elements());
    using range = tbb::blocked_range<std::uint64_t>;
    tbb::parallel_for(range(0, rounded_.size(), 1 << 14), [&](const range& part) {
      for (std::uint64_t k = part.begin(); k < part.end(); ++k) {
        rounded_[k] = rounded_to(p, number_at(s, first + k));
      }
    });
    type = mx::number_type::fp32;
    return rounded_.data();
  }

  void by_bulk(const chunk& c) {
    const mx::code_packing packing =
        g_.halved() ? mx::code_packing::packed : mx::code_packing::unpacked;
    const mx::blocked_sizes sizes = mx::sizes_of(p_.rules().format(), c.shape, packing);
    codes_.resize(sizes.code_bytes);
    bytes_.resize(sizes.blocks);
    mx::number_type type{};
    const void* x = numbers_of(c, type);
    const float* above = p_.tensor_scales().data();
    if (p_.rules().format().tensor == mx::tensor_scaling::per_row) {
      above += (c.outer * g_.shape().rows + c.row) * g_.shape().inner;
    }
    static_cast<void>(mx::quantize_tensor(p_.rules().rules, type, x, c.shape,
                                          {codes_.data(), bytes_.data(), above, packing}));
    for (std::uint64_t b = 0; b < sizes.blocks; ++b) scales_[c.first_block + b] = bytes_[b];
    if (is_core_order() && same_bytes(c, sizes)) return;
    count_in(c, sizes);
  }

  bool same_bytes(const chunk& c, const mx::blocked_sizes& sizes) const {
    const std::uint64_t line =
        g_.code_bytes() / std::max<std::uint64_t>(g_.shape().outer * g_.shape().rows, 1);
    const std::uint64_t before = c.along / (g_.halved() ? 2 : 1) * g_.shape().inner;
    const std::uint8_t* found =
        p_.of().codes.data() + (c.outer * g_.shape().rows + c.row) * line + before;
    return std::equal(found, found + sizes.code_bytes, codes_.data());  // there may be none
  }

  void count_in(const chunk& c, const mx::blocked_sizes& sizes) {
    for_blocks(c.first_block, c.blocks, [&](std::uint64_t b, predicted_block&) {
      const block_place at = g_.place(b);
      const std::uint64_t line = (at.outer - c.outer) * c.shape.rows + at.row - c.row;
      count_wrong(b, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
        const std::uint64_t place = position - c.along;
        const std::uint64_t byte = g_.halved() ? place / 2 : place;
        const std::uint32_t two =
            codes_[((line + row) * sizes.code_bytes_along + byte) * c.shape.inner + at.inner];
        return g_.halved() ? two >> (place % 2 * 4) & 0xFU : two;
      });
    });
  }

  const prediction& p_;
  const geometry& g_;
  std::vector<std::uint32_t> scales_;
  std::vector<std::uint32_t> wrong_;
  const mx::blocks_done& done_;
  std::atomic<bool> any_wrong_{false};
  std::vector<std::uint8_t> codes_, bytes_;
  std::vector<float> rounded_;
};

/// Elements of the tensor, not of padding, that a block has.
std::uint64_t elements_of(const geometry& g, const block_place& p) {
  const std::uint64_t rows = std::min(g.rows(), g.shape().rows - p.row);
  return rows * std::min(g.columns(), g.shape().length - p.along * g.columns());
}

difference described(const prediction& p, const walk& w, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const found_block found = found_at(p, block);
  difference d;
  d.block = block;
  d.expected_scale = w.expected_scale(block);
  d.found_scale = found.scale;
  d.of_scale = d.expected_scale != d.found_scale;
  for (std::size_t k = made.codes.size(); k-- > 0;) {
    if (made.codes[k] != found.codes[k]) d.position = k, d.of_code = true;
  }
  d.expected_code = made.codes[d.position];
  d.found_code = found.codes[d.position];
  const geometry& g = p.where();
  const block_place at = g.place(block);
  const std::uint64_t position = at.along * g.columns() + d.position % g.columns();
  if (position < g.shape().length) {
    d.element = g.value_at(at, d.position / g.columns(), position);
    d.value_bits = bits_at(p.of(), *d.element);
  }
  return d;
}

}  // namespace

found_block found_at(const prediction& p, std::uint64_t block) {
  const geometry& g = p.where();
  const block_place at = g.place(block);
  found_block found{scale_in(p.of().scales, g, g.scale_at(block)), {}};
  found.codes.resize(g.rows() * g.columns());
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    found.codes[k] =
        static_cast<std::uint8_t>(code_in(p.of().codes, g, g.code_at(at, row, position)));
  });
  return found;
}

comparison compare(const prediction& p, const mx::blocks_done& done) {
  const geometry& g = p.where();
  comparison result;
  result.elements = p.of().elements();
  result.tensor_scales_agree = p.agrees_on_tensor_scales();
  walk w(p, done);
  static_cast<void>(w.codes(false));
  std::vector<std::uint64_t> differing;
  for (std::uint64_t b = 0; b < g.blocks(); ++b) {
    const bool scale = w.scale_differs(b);
    const std::uint32_t codes = w.wrong_codes(b);
    if (!scale && codes == 0) continue;
    result.codes += codes;
    result.scales += scale ? 1 : 0;
    const std::uint64_t all = elements_of(g, g.place(b));
    result.mismatches += scale ? std::max<std::uint64_t>(all, codes) : codes;
    differing.push_back(b);
  }
  if (!result.tensor_scales_agree) result.mismatches = result.elements;
  if (!differing.empty()) result.first = described(p, w, differing.front());
  const std::size_t step = differing.size() / 64 + 1;
  for (std::size_t k = 0; k < differing.size(); k += step) result.blocks.push_back(differing[k]);
  return result;
}

bool explains_all(const prediction& p) {
  if (!p.agrees_on_tensor_scales()) return false;
  const mx::blocks_done nobody;
  walk w(p, nobody);
  if (!w.codes(true)) return false;
  for (std::uint64_t b = 0; b < p.where().blocks(); ++b) {
    if (w.scale_differs(b)) return false;
  }
  return true;
}

bool explains_block(const prediction& p, std::uint64_t block) {
  predicted_block made;
  p.make(block, made);
  const geometry& g = p.where();
  const block_place at = g.place(block);
  bool same = true;
  for_codes(g, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    same = same && made.codes[k] == code_in(p.of().codes, g, g.code_at(at, row, position));
  });
  if (!same) return false;
  const std::optional<std::uint64_t> source = g.scale_source(block);
  std::uint32_t scale = 0;
  if (source && *source == block) scale = made.scale;
  if (source && *source != block) {
    p.make(*source, made);
    scale = made.scale;
  }
  return scale == scale_in(p.of().scales, g, g.scale_at(block));
}

}  // namespace golden::validator
