// SPDX-License-Identifier: Apache-2.0
// kernels/src/quantize/fake_quantize_wide_rows.h: MXFP4 along the rows of a matrix whose rows are
// whole blocks, quantized with random bits and dequantized in one pass: pieces as in
// quantize_wide_rows, their codes stored as values. 16 bytes a load and a store; a matrix is read
// and written once. Equals mx::quantize_block and mx::dequantize_element
// (tests/kernels/verify/backends_test.cpp).
#pragma once
#include "quantize/dequantize_mxfp4_rows.h"
#include "quantize/stochastic_mxfp4.h"

namespace mx::kernels {

/// Thread t of a block of threads processes pieces t and t + 256 of its 512; it loads both before
/// it stores one, so that out may alias x.
template <number_type Type, class Thread>
MX_HD void fake_quantize_wide_rows(const Thread& self, const fake_quantize_rows_arguments& to,
                                   const stochastic_mxfp4& coder) {
  const std::uint64_t first = self.block() * wide_pieces + static_cast<std::uint64_t>(self.index());
  const std::uint64_t second = first + wide_threads;
  stored_piece<Type> x = {}, y = {};
  if (first < to.pieces) x = stored_piece_at<Type>(to.from.at<Type>(first));
  if (second < to.pieces) y = stored_piece_at<Type>(to.from.at<Type>(second));
  const stochastic_mxfp4::drawn drawn = coder.draw(self, first, second);
  const piece_codes one = coder.template codes_of<0>(self, widened(x), drawn);
  const piece_codes other = coder.template codes_of<1>(self, widened(y), drawn);
  if (first < to.pieces) store_decoded<Type>(to.to.at<Type>(first), one.codes, one.scale);
  if (second < to.pieces) store_decoded<Type>(to.to.at<Type>(second), other.codes, other.scale);
}

}  // namespace mx::kernels
