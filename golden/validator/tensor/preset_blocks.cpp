// SPDX-License-Identifier: Apache-2.0
// golden/validator/tensor/preset_blocks.cpp: blocks by presets and orders of operations, with a
// hypothesis's own rounding of elements and numbers for the scale.
#include <algorithm>

#include "block_rules.h"
#include "mx/presets/bulk_variants.h"

namespace golden::validator {
namespace {

/// A preset with the hypothesis's rounding of elements.
template <class Variant>
Variant rounded_as(const hypothesis& r, const Variant& own) {
  Variant v = own;
  if (r.element) v.element.rounding = *r.element;
  return v;
}

/// Whether one set of numbers gives both scale and elements.
bool is_of_one(const predicted_block& block) {
  const auto same = [](float a, float b) { return mx::bits_of(a) == mx::bits_of(b); };
  return std::equal(block.for_scale.begin(), block.for_scale.end(), block.for_elements.begin(),
                    block.for_elements.end(), same);
}

/// Bits for the elements of a block, one byte each: the given ones, or as declared; none without
/// random rounding.
std::vector<std::uint8_t> random_bits_of(const hypothesis& r, const mx::nvfp4_variant& v,
                                         std::uint64_t number, const predicted_block& block) {
  if (!draws_bits(v)) return {};
  if (!block.drawn.empty()) return {block.drawn.begin(), block.drawn.end()};
  std::vector<std::uint8_t> bits(block.codes.size());
  mx::preset_random{r.recipe.rules.random, {}}.draw(number, v.size(), bits.data());
  return bits;
}

}  // namespace

void quantize_by_mx(const hypothesis& r, predicted_block& block) {
  const mx::mx_variant& own = mx::mx_variant_table[r.variant()->index];
  const auto count = static_cast<int>(block.codes.size());
  if (!r.element && is_of_one(block)) {
    block.scale =
        mx::quantize_block(own, r.format(), block.for_elements.data(), count, block.codes.data());
    return;
  }
  const mx::mx_variant v = rounded_as(r, own);
  const float* x = block.for_scale.data();
  const mx::variant_scale scale = mx::variant_scale_of(v, r.format(), x, count);
  const bool cleared = mx::is_cleared(v, mx::variant_amax(v.amax, x, count));
  for (std::size_t k = 0; k < block.codes.size(); ++k) {
    block.codes[k] = cleared
                         ? std::uint8_t{0}
                         : mx::variant_code(v, r.format().element, scale, block.for_elements[k]);
  }
  block.scale = scale.code;
}

void quantize_by_nvfp4(const hypothesis& r, std::uint64_t number, const mx::nvfp4_tensor& tensor,
                       predicted_block& block) {
  const mx::nvfp4_variant v = rounded_as(r, *r.nvfp4());
  const std::vector<std::uint8_t> drawn = random_bits_of(r, v, number, block);
  if (!r.element && is_of_one(block)) {
    block.scale = mx::quantize_block(v, block.for_elements.data(), tensor,
                                     drawn.empty() ? nullptr : drawn.data(), block.codes.data());
    return;
  }
  const mx::nvfp4_candidate chosen = mx::chosen_candidate(v, block.for_scale.data(), tensor);
  for (std::size_t k = 0; k < block.codes.size(); ++k) {
    const float x = block.for_elements[k];
    block.codes[k] =
        static_cast<std::uint8_t>(drawn.empty() ? mx::element_code(v, x, chosen, tensor)
                                                : mx::element_code(v, x, chosen, tensor, drawn[k]));
  }
  block.scale = chosen.scale;
}

}  // namespace golden::validator
