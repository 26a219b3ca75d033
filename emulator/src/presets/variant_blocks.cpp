// SPDX-License-Identifier: Apache-2.0
// emulator/src/presets/variant_blocks.cpp: blocks quantized as by the presets of public kernels.
// FP32 products and quotients of the processor are rounded to nearest even, as in mx::fp32; if a
// result is subnormal, zero, Inf or NaN the table entry is undecided, and the core computes the
// code.
#include "presets/variant_blocks.h"

#include <algorithm>
#include <list>
#include <mutex>
#include <utility>

namespace mx {
namespace {

/// 2^(127 - code)
float reciprocal_of(std::uint8_t code) {
  const auto field = static_cast<std::uint32_t>(254 - code);
  return float_of(field == 0 ? 0x00400000 : field << 23);
}

/// The table of a conversion; null if it is empty.
const conversion_table* filled_table(const format& f, const element_conversion& c) {
  const conversion_table& table = table_of(f, c);
  return table.is_filled() ? &table : nullptr;
}

/// The table of a function, made once for each key.
template <class Key, class CodeOf>
const step_table& steps_of(const Key& key, const CodeOf& code_of) {
  static std::mutex looking;
  static std::list<std::pair<Key, step_table>> kept;
  const std::lock_guard lock(looking);
  for (const auto& [of, table] : kept) {
    if (of == key) return table;
  }
  kept.emplace_back(key, step_table(code_of));
  return kept.back().second;
}

/// How elements become codes many at a time: where they are products, rounded to nearest even, or
/// searched.
preset_elements elements_of(const element_conversion& c) {
  if (c.method == element_method::search) return preset_elements::searched;
  const bool nearest = c == element_conversion{.nan = c.nan};
  return nearest ? preset_elements::products : preset_elements::none;
}

/// The processor's products and quotients, of normal results.
struct processor_arithmetic {
  static float multiply(float a, float b) { return a * b; }
  static float divide(float a, float b) { return a / b; }
};

/// Far from the ends of the exponents, where neither an intermediate result nor a product with an
/// element that matters is subnormal or Inf.
bool is_in_the_middle(float positive) { return positive > 0x1p-60F && positive < 0x1p60F; }

/// codes[i] = code_of(i), from the table if it decides.
///   scaled   scaled(i): the number that is converted
template <class Scaled, class CodeOf>
void look_up(const conversion_table& table, int count, std::uint8_t* codes, const Scaled& scaled,
             const CodeOf& code_of) {
  std::uint16_t seen = 0;
  for (int i = 0; i < count; ++i) {
    const std::uint16_t entry = table[scaled(i)];
    codes[i] = static_cast<std::uint8_t>(entry);
    seen = static_cast<std::uint16_t>(seen | entry);
  }
  if ((seen & conversion_table::undecided) == 0) return;
  for (int i = 0; i < count; ++i) {
    if ((table[scaled(i)] & conversion_table::undecided) != 0) codes[i] = code_of(i);
  }
}

}  // namespace

mx_variant_blocks::mx_variant_blocks(const mx_variant& v, const block_format& f, amount blocks)
    : variant_(v), format_(f) {
  const bool from_amax = v.operand != scale_operand::deviation;
  if (blocks == amount::few || !from_amax) return;
  table_ = filled_table(f.element, v.element);
  if (v.factor != element_factor::triple) elements_ = elements_of(v.element);
  if (elements_ == preset_elements::none) return;
  scales_ = &steps_of(std::pair(&v, f.element), [&](float amax) {
    return std::uint32_t{variant_scale_of(v, f.element, amax).code};
  });
}

/// Scales of 2^-60 to 2^60 are far from 0, 255 and those under which elements are divided by other
/// powers.
bool mx_variant_blocks::choose(std::uint32_t largest, block_number& chosen) const {
  if (!scales_->has(largest)) return false;
  const std::uint32_t code = (*scales_)[largest];
  const float scale = float_of(code << 23);
  if (code > 254 || !is_in_the_middle(scale) || !is_in_the_middle(float_of(largest))) return false;
  const bool searched = elements_ == preset_elements::searched;
  chosen.code = static_cast<std::uint8_t>(code);
  chosen.number = searched ? scale : reciprocal_of(chosen.code);
  return true;
}

std::uint8_t mx_variant_blocks::quantize(const float* x, const block_magnitudes& sizes,
                                         std::uint8_t* codes) const {
  const int count = format_.size();
  const float amax = float_of(sizes.largest);
  if (table_ == nullptr || sizes.is_special() || sizes.largest == 0) {
    return quantize_block(variant_, format_, x, count, codes);
  }
  const variant_scale scale = variant_scale_of(variant_, format_.element, amax);
  const bool early = variant_.factor == element_factor::early && scale.exponent < 0;
  if (scale.code == 0 || scale.code == 255 || early) {
    return quantize_block(variant_, format_, x, count, codes);
  }
  if (is_cleared(variant_, amax)) {
    std::fill_n(codes, count, std::uint8_t{0});
  } else {
    convert(x, scale, codes);
  }
  return scale.code;
}

/// The factor of every scale code from 1 to 254 is 2^(127 - code), or 3 times that.
void mx_variant_blocks::convert(const float* x, const variant_scale& scale,
                                std::uint8_t* codes) const {
  const float factor = reciprocal_of(scale.code);
  const auto code_of = [&](int i) { return variant_code(variant_, format_.element, scale, x[i]); };
  const int count = format_.size();
  if (variant_.factor == element_factor::triple) {
    const auto scaled = [&](int i) { return x[i] * factor * 3.0F; };
    return look_up(*table_, count, codes, scaled, code_of);
  }
  look_up(
      *table_, count, codes, [&](int i) { return x[i] * factor; }, code_of);
}

nvfp4_variant_blocks::nvfp4_variant_blocks(const nvfp4_variant& v, mx_variant_blocks::amount blocks)
    : variant_(v) {
  if (blocks == mx_variant_blocks::amount::few) return;
  if (v.rows == 1) table_ = filled_table(formats::e2m1, v.element);
  const bool single = v.search.norm == candidate_norm::none;
  if (single && v.product == scaled_element::multiplied) elements_ = elements_of(v.element);
  if (elements_ == preset_elements::none) return;
  const scale_encoding how = v.order.scale;
  scales_ = &steps_of(how, [how](float number) { return encoded_scale(how, number); });
  reach_ = reach_of(v.order, 1.0F);
  for (std::uint32_t code = 1; code < 127; ++code) numbers_[code] = scale_number(code);
}

bool nvfp4_variant_blocks::choose(std::uint32_t largest, const nvfp4_tensor& tensor,
                                  block_number& chosen) const {
  const float amax = float_of(largest);
  if (!is_in_the_middle(amax) || !is_in_the_middle(tensor.factor)) return false;
  const float number =
      block_scale_of<processor_arithmetic>(variant_.order, amax, tensor.factor, reach_);
  if (!scales_->has(bits_of(number))) return false;
  const std::uint32_t code = (*scales_)[bits_of(number)];
  if (code == 0 || code > 126) return false;
  chosen.code = static_cast<std::uint8_t>(code);
  if (elements_ == preset_elements::searched) {
    chosen.number = numbers_[code];
    return amax < 64 * chosen.number;  // the errors of larger numbers may be rounded to the same
  }
  chosen.number =
      multiplier_under<processor_arithmetic>(variant_.order, numbers_[code], tensor.factor);
  return is_in_the_middle(chosen.number);
}

float nvfp4_variant_blocks::scaled(float x, float multiplier, const nvfp4_tensor& tensor) const {
  if (variant_.product == scaled_element::factor_divided) return x / tensor.factor * multiplier;
  return x * multiplier;
}

std::uint8_t nvfp4_variant_blocks::quantize(const float* x, const block_magnitudes& sizes,
                                            const nvfp4_tensor& tensor, std::uint8_t* codes) const {
  if (table_ == nullptr || sizes.is_special()) {
    return quantize_block(variant_, x, tensor, codes);
  }
  const nvfp4_candidate chosen = chosen_candidate(variant_, x, tensor);
  if (chosen.scale == 0) return quantize_block(variant_, x, tensor, codes);
  look_up(
      *table_, variant_.size(), codes,
      [&](int i) { return scaled(x[i], chosen.multiplier, tensor); },
      [&](int i) {
        return static_cast<std::uint8_t>(element_code(variant_, x[i], chosen, tensor));
      });
  return static_cast<std::uint8_t>(chosen.scale);
}

}  // namespace mx
