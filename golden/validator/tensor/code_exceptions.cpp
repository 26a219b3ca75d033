// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/code_exceptions.cpp: the blocks of a part for which a hypothesis differs
// from the core's whole-tensor functions.

#include <algorithm>

#include "block_rules.h"
#include "bulk_codes.h"
#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {}  // namespace

/// Not covered by the core's functions: special blocks, zeros, subnormals, shifted scales, a tail.
bool bulk_codes::has_exceptions() const {
  const hypothesis& r = p_.kernel();
  return !(r.specials == special_rule{}) || !(r.zeros == zero_rule{}) ||
         r.subnormals != subnormal_rule::kept || !(r.shift == scale_shift{}) ||
         !(r.tail == dropped_tail{}) || r.arithmetic != nullptr;
}

bulk_codes::block_numbers bulk_codes::numbers_in(const block_place& at) const {
  const subject& s = p_.of();
  const std::uint32_t normal = s.type == mx::number_type::fp16 ? 0x38800000U : 0x00800000U;
  block_numbers all;
  const std::uint64_t first = at.along * g_.columns();
  const std::uint64_t last = std::min(first + g_.columns(), g_.shape().length);
  for (std::uint64_t k = first; k < last; ++k) {
    const std::uint32_t size = mx::bits_of(number_at(s, g_.value_at(at, 0, k))) & 0x7FFFFFFFU;
    all.special = all.special || size >= 0x7F800000U;
    all.tiny = all.tiny || size < normal;
    all.zero = all.zero && size == 0;
  }
  return all;
}

/// Whether a block must be computed separately; otherwise only its codes of zeros and of subnormals
/// change, and its scale is shifted.
bool bulk_codes::is_exception(const block_place& at, std::uint8_t scale) const {
  const hypothesis& r = p_.kernel();
  const std::uint64_t padded = g_.blocks_along() * g_.columns();
  const std::uint64_t from = padded - std::min(padded, r.tail.elements);
  if (r.tail.elements > 0 && (at.along + 1) * g_.columns() > from) return true;
  const bool small = scale < 1U << r.format().scale.fraction_bits;
  if (r.subnormals == subnormal_rule::scales && small) return true;
  const block_numbers x = numbers_in(at);
  if (x.special || x.zero) return true;
  return x.tiny && (r.zeros.sign == zero_sign::of_nonzero || flushes_inputs(r.subnormals));
}

void bulk_codes::put(const chunk& c, std::uint64_t block, const predicted_block& made) {
  const block_place at = g_.place(block);
  scales_[block - c.first_block] = static_cast<std::uint8_t>(made.scale);
  for_codes(g_, at, [&](std::uint64_t k, std::uint64_t row, std::uint64_t position) {
    put_code(codes_, place_of(c, at, row, position), made.codes[k]);
  });
}

predicted_block bulk_codes::taken(const chunk& c, std::uint64_t block) const {
  const block_place at = g_.place(block);
  predicted_block made;
  made.scale = scales_[block - c.first_block];
  // The block has no zero that matters, so that any nonzero numbers do.
  made.given.assign(g_.columns(), 1.0F);
  for_codes(g_, at, [&](std::uint64_t, std::uint64_t row, std::uint64_t position) {
    made.codes.push_back(
        static_cast<std::uint8_t>(code_in(codes_, place_of(c, at, row, position))));
  });
  return made;
}

void bulk_codes::make_exceptions(const chunk& c) {
  const hypothesis& r = p_.kernel();
  const bool changes_codes =
      r.zeros.sign == zero_sign::positive || r.subnormals == subnormal_rule::elements;
  mx::in_parallel({0, c.blocks}, 128, [&](mx::index_range blocks) {
    predicted_block made;
    for (std::uint64_t k = blocks.first; k < blocks.last; ++k) {
      const std::uint64_t block = c.first_block + k;
      if (is_exception(g_.place(block), scales_[k])) {
        p_.make(block, made);
        put(c, block, made);
        continue;
      }
      if (changes_codes) {
        made = taken(c, block);
        flush_codes(r, made);
        put(c, block, made);
      }
      scales_[k] = static_cast<std::uint8_t>(shifted_scale(r, scales_[k], false));
    }
  });
}

}  // namespace golden::validator
