// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/bulk_codes.cpp: codes and scales of a part of a tensor.
#include "bulk_codes.h"

#include <algorithm>

#include "mx/tensor/parallel.h"

namespace golden::validator {
namespace {

bool is_preset(const hypothesis& r) { return r.variant() != nullptr || r.arithmetic != nullptr; }

}  // namespace

bulk_codes::bulk_codes(const prediction& p) : p_(p), g_(p.where()), how_(chosen()) {
  for (const float amax : p.preset_amax()) above_.push_back({amax, 1.0F});
}

bulk_codes::how bulk_codes::chosen() const {
  const hypothesis& r = p_.kernel();
  if (p_.is_of_whole() || g_.bytes_a_scale() != 1) return how::by_block;
  if (r.input.who != rounded_for::everything) return how::by_block;
  if (r.amax != amax_reach::block || !(r.share == scale_share{}) ||
      !(r.unwritten == unwritten_rows{}))
    return how::by_block;
  if (r.overflow != overflow_code::saturated || r.codes_moved != 0) return how::by_block;
  // Random bits depend on an element's place in the whole tensor.
  if (r.recipe.rules.rounding == mx::rounding::stochastic) return how::by_block;
  // Blocks that start on a byte boundary and share none.
  const bool simple = g_.rows() == 1 && g_.shape().inner == 1 && g_.columns() % 2 == 0 &&
                      std::none_of(p_.tensor_scales().begin(), p_.tensor_scales().end(),
                                   [](float x) { return mx::unpack(x).is_special(); });
  if (has_exceptions() && (!simple || r.input.numbers != precision::as_given)) return how::by_block;
  if (!is_preset(r)) {
    const bool applied = r.shift.by != 0 && r.shift.reach == shift_reach::applied;
    return applied ? how::by_block : how::rules;
  }
  const bool own_scale = !r.format().has_tensor_scale() || makes_own_scale(r);
  if (!own_scale || r.element || flushes_inputs(r.subnormals)) return how::by_block;
  if (r.variant() != nullptr && draws_bits(*r.variant())) return how::by_block;
  return r.nvfp4() != nullptr ? how::order : how::preset;
}

mx::code_packing bulk_codes::packing() const {
  return g_.halved() ? mx::code_packing::packed : mx::code_packing::unpacked;
}

/// The first line of a part, and the index of its first number.
std::uint64_t bulk_codes::line_of(const chunk& c) const {
  return c.outer * g_.shape().rows + c.row;
}
std::uint64_t bulk_codes::first_number(const chunk& c) const {
  return (line_of(c) * g_.shape().length + c.along) * g_.shape().inner;
}

const std::uint8_t* bulk_codes::bytes_of(const chunk& c) const {
  return p_.of().values.data() + first_number(c) * mx::bytes_of(p_.of().type);
}

/// The part's numbers in the form that the core accepts.
const void* bulk_codes::numbers_of(const chunk& c, mx::number_type& type) {
  const bool given = p_.kernel().input.numbers == precision::as_given;
  type = given ? p_.of().type : mx::number_type::fp32;
  if (given) return bytes_of(c);
  return floats_of(c);
}

/// The same as FP32, stored in a float buffer.
const float* bulk_codes::floats_of(const chunk& c) {
  const subject& s = p_.of();
  const precision p = p_.kernel().input.numbers;
  const std::uint8_t* bytes = bytes_of(c);
  const bool aligned = reinterpret_cast<std::uintptr_t>(bytes) % alignof(float) == 0;
  if (p == precision::as_given && s.type == mx::number_type::fp32 && aligned) {
    return reinterpret_cast<const float*>(bytes);
  }
  const std::uint64_t first = first_number(c);
  numbers_.resize(c.shape.elements());
  mx::in_parallel({0, numbers_.size()}, 1 << 14, [&](mx::index_range part) {
    for (std::uint64_t k = part.first; k < part.last; ++k) {
      numbers_[k] = rounded_to(p, number_at(s, first + k));
    }
  });
  return numbers_.data();
}

void bulk_codes::make(const chunk& c) {
  sizes_ = mx::sizes_of(p_.kernel().format(), c.shape, packing());
  codes_.resize(sizes_.code_bytes);
  scales_.resize(sizes_.blocks);
  if (how_ == how::rules) {
    make_by_rules(c);
  } else {
    make_by_preset(c);
  }
  if (has_exceptions()) make_exceptions(c);
}

stored_code bulk_codes::place_of(const chunk& c, const block_place& block, std::uint64_t row,
                                 std::uint64_t position) const {
  const std::uint64_t line = (block.outer - c.outer) * c.shape.rows + block.row - c.row + row;
  const std::uint64_t place = position - c.along;
  const std::uint64_t first = line * sizes_.code_bytes_along;
  const auto at = [&](std::uint64_t byte) { return (first + byte) * c.shape.inner + block.inner; };
  if (!g_.halved()) return {at(place), 0, 8};
  return {at(place / 2), static_cast<int>(place % 2 * 4), 4};
}

void bulk_codes::make_by_rules(const chunk& c) {
  mx::number_type type{};
  const void* x = numbers_of(c, type);
  const float* above = p_.tensor_scales().data();
  if (p_.kernel().format().tensor == mx::tensor_scaling::per_row) {
    above += line_of(c) * g_.shape().inner;
  }
  static_cast<void>(mx::quantize_tensor(p_.kernel().recipe.rules, type, x, c.shape,
                                        {codes_.data(), scales_.data(), above, packing()}));
}

void bulk_codes::make_by_preset(const chunk& c) {
  const hypothesis& r = p_.kernel();
  const mx::variant_tensor_scale* above = above_.data();
  if (r.format().tensor == mx::tensor_scaling::per_row) {
    above += line_of(c) * g_.shape().inner;
  }
  std::vector<std::uint8_t>& codes = g_.halved() ? single_ : codes_;
  const std::uint64_t padded = sizes_.blocks_along * g_.columns();
  codes.resize(c.shape.outer * c.shape.rows * padded * c.shape.inner);
  const float* x = floats_of(c);
  if (how_ == how::preset) {
    mx::quantize_by_variant(*r.variant(), r.format(), x, c.shape,
                            {codes.data(), scales_.data(), above});
  } else {
    mx::quantize_by_variant(*r.nvfp4(), r.format(), x, c.shape,
                            {codes.data(), scales_.data(), above});
  }
  if (!g_.halved()) return;
  const std::uint64_t inner = c.shape.inner, bytes = sizes_.code_bytes_along;
  mx::in_parallel({0, c.shape.outer * c.shape.rows}, 16, [&](mx::index_range lines) {
    for (std::uint64_t at = lines.first * bytes; at < lines.last * bytes; ++at) {
      const std::uint64_t line = at / bytes, byte = at % bytes;
      for (std::uint64_t i = 0; i < inner; ++i) {
        const std::uint8_t* low = &single_[(line * padded + 2 * byte) * inner + i];
        const bool pair = 2 * byte + 1 < padded;
        codes_[at * inner + i] = static_cast<std::uint8_t>(*low | (pair ? low[inner] << 4 : 0));
      }
    }
  });
}

}  // namespace golden::validator
