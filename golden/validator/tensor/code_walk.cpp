// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/code_walk.cpp: a prediction against the bytes of a file.
#include "code_walk.h"

#include <algorithm>

#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

constexpr std::uint64_t part_elements = std::uint64_t{1} << 22;

template <class Work>
void for_blocks(std::uint64_t first, std::uint64_t count, const Work& work) {
  mx::in_parallel({first, first + count}, 128, [&](mx::index_range part) {
    predicted_block space;
    for (std::uint64_t b = part.first; b < part.last; ++b) work(b, space);
  });
}

}  // namespace

code_walk::code_walk(const prediction& p, const mx::blocks_done& done, marks* to)
    : p_(p),
      g_(p.where()),
      bulk_(p),
      scales_(g_.blocks()),
      wrong_(g_.blocks()),
      done_(done),
      marks_(to) {}

bool code_walk::codes(reach how_far) {
  const bool in_place = p_.kernel().placement.motion == scale_motion::none ||
                        p_.kernel().placement.motion == scale_motion::transposed;
  if (p_.is_of_whole()) {
    by_block(0, g_.blocks());
    if (done_) done_(g_.blocks());
    return !any_wrong_;
  }
  for (const chunk& c : chunks_of(g_, part_elements)) {
    if (bulk_.is_possible() && c.shape.elements() <= 4 * part_elements) {
      by_bulk(c);
    } else {
      by_block(c.first_block, c.blocks);
    }
    if (done_) done_(c.blocks);
    if (how_far == reach::all) continue;
    if (any_wrong_ || (in_place && scales_differ(c))) return false;
  }
  return true;
}

std::uint32_t code_walk::expected_scale(std::uint64_t block) const {
  const std::optional<std::uint64_t> source = g_.scale_source(block);
  return source ? scales_[*source] : 0;
}
bool code_walk::scale_differs(std::uint64_t block) const {
  return expected_scale(block) != scale_in(p_.found_scales(), g_, g_.scale_at(block));
}

bool code_walk::scales_differ(const chunk& c) const {
  std::atomic<bool> any{false};
  mx::in_parallel({c.first_block, c.first_block + c.blocks}, 4096, [&](mx::index_range part) {
    for (std::uint64_t b = part.first; b < part.last && !any; ++b) {
      if (scale_differs(b)) any = true;
    }
  });
  return any;
}

/// Whether a part's codes are stored in the file in the core's order.
bool code_walk::is_core_order() const {
  const hypothesis& r = p_.kernel();
  return r.order == stored_order::as_input && r.rows.is_of_input() && !g_.dense() &&
         (!g_.halved() || r.recipe.codes.nibbles == mx::nibble_order::low_first);
}

void code_walk::by_block(std::uint64_t first, std::uint64_t count) {
  for_blocks(first, count, [&](std::uint64_t b, predicted_block& made) {
    p_.make(b, made);
    scales_[b] = made.scale;
    count_wrong(b, [&](std::uint64_t k, std::uint64_t, std::uint64_t) {
      return std::uint32_t{made.codes[k]};
    });
  });
}

template <class Code>
void code_walk::count_wrong(std::uint64_t block, const Code& code) {
  const block_place at = g_.place(block);
  std::uint32_t wrong = 0;
  for_codes(g_, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    const std::uint32_t found = code_in(p_.found_codes(), g_.code_at(at, row, position));
    if (found == code(k, row, position)) return;
    ++wrong;
    if (marks_ != nullptr) marks_->add_code(at, row, position);
  });
  wrong_[block] = wrong;
  if (wrong != 0) any_wrong_ = true;
}

void code_walk::by_bulk(const chunk& c) {
  bulk_.make(c);
  const std::vector<std::uint8_t>& scales = bulk_.scales();
  std::copy_n(scales.begin(), c.blocks,
              scales_.begin() + static_cast<std::ptrdiff_t>(c.first_block));
  if (!(is_core_order() && same_bytes(c))) count_in(c);
}

bool code_walk::same_bytes(const chunk& c) const {
  const std::uint64_t line =
      g_.code_bytes() / std::max<std::uint64_t>(g_.shape().outer * g_.shape().rows, 1);
  const std::uint64_t before = c.along / (g_.halved() ? 2 : 1) * g_.shape().inner;
  const std::uint8_t* found =
      p_.found_codes().data() + (c.outer * g_.shape().rows + c.row) * line + before;
  return std::equal(found, found + bulk_.sizes().code_bytes,
                    bulk_.codes().begin());  // may be empty
}

void code_walk::count_in(const chunk& c) {
  for_blocks(c.first_block, c.blocks, [&](std::uint64_t b, predicted_block&) {
    const block_place at = g_.place(b);
    count_wrong(b, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
      return code_in(bulk_.codes(), bulk_.place_of(c, at, row, position));
    });
  });
}

}  // namespace golden::validator
