// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/block_numbers.cpp: the input of a predicted block, and the contents of
// its places where it was not written.
#include <algorithm>

#include "prediction.h"

namespace golden::validator {

void prediction::gather(const block_place& p, predicted_block& out) const {
  out.codes.assign(geometry_.rows() * geometry_.columns(), 0);
  out.given.assign(out.codes.size(), 0.0F);
  for_codes(geometry_, p, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    if (position < geometry_.shape().length) out.given[k] = seen_number(p, row, position);
  });
  out.for_scale = out.for_elements = out.given;
  if (!(kernel_.share == scale_share{})) gather_shared(p, out);
  if (kernel_.input.numbers == precision::as_given) return;
  const auto round_all = [this](std::vector<float>& numbers) {
    for (float& x : numbers) x = rounded_to(kernel_.input.numbers, x);
  };
  if (kernel_.input.reaches_scale()) round_all(out.for_scale);
  if (kernel_.input.reaches_elements()) round_all(out.for_elements);
}

float prediction::seen_number(const block_place& p, std::uint64_t row,
                              std::uint64_t position) const {
  const float x = number_at(subject_, geometry_.value_at(p, row, position));
  return flushed(kernel_.subnormals, subject_.type, x);
}

void prediction::gather_shared(const block_place& p, predicted_block& out) const {
  const scale_share& share = kernel_.share;
  const bool first = share.source == share_source::first;
  const std::vector<std::uint64_t>& extents = subject_.shape;
  const std::uint64_t rows = extents.size() > 1 ? extents[extents.size() - 2] : 1;
  const std::uint64_t end_of_matrix = p.outer - p.outer % rows + rows;
  const std::uint64_t top = p.outer - p.outer % rows % share.rows;
  const std::uint64_t bottom = std::min(top + (first ? 1 : share.rows), end_of_matrix);
  const std::uint64_t left = p.along - p.along % share.blocks;
  const std::uint64_t right =
      std::min((left + (first ? 1 : share.blocks)) * geometry_.columns(), geometry_.shape().length);
  out.for_scale.clear();
  block_place at = p;
  for (at.outer = top; at.outer < bottom; ++at.outer) {
    for (std::uint64_t c = left * geometry_.columns(); c < right; ++c) {
      out.for_scale.push_back(seen_number(at, 0, c));
    }
  }
}

std::uint64_t prediction::lines_unwritten() const {
  const unwritten_rows& u = kernel_.unwritten;
  return u.tile > 0 ? geometry_.shape().outer * geometry_.shape().rows % u.tile : u.rows;
}

bool prediction::is_unwritten(const block_place& p) const {
  const std::uint64_t lines = geometry_.shape().outer * geometry_.shape().rows;
  const std::uint64_t last = p.outer * geometry_.shape().rows + p.row + geometry_.rows();
  return last + lines_unwritten() > lines;
}

void prediction::leave_unwritten(const block_place& p, predicted_block& out) const {
  const unwritten_rows& u = kernel_.unwritten;
  for_codes(geometry_, p, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    const stored_code at = geometry_.code_at(p, row, position);
    const std::uint32_t equal_bytes = u.codes | std::uint32_t{u.codes} << 8;
    out.codes[k] = static_cast<std::uint8_t>((equal_bytes & at.mask()) >> at.shift);
  });
  if (!u.scales) return;
  out.scale = 0;
  for (std::uint64_t k = 0; k < geometry_.bytes_a_scale(); ++k) {
    out.scale |= std::uint32_t{*u.scales} << (8 * k);
  }
}

}  // namespace golden::validator
