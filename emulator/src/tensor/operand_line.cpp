// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/operand_line.cpp: mx::quantize_line, mx::inject, mx::operate and the presets
// on one line after another.
#include "tensor/operand_line.h"

#include <algorithm>
#include <stdexcept>

namespace mx {
namespace {

/// One block of a toggled quantizer.
///   special  a block that contains a NaN or an Inf becomes the canonical NaN throughout, unless
///            every part is off: then it is the identity
void toggle_block(const operand& f, const float* x, float* out) {
  const quantization& q = f.recipe.rules;
  const chosen_scale chosen = scale_of(q, x, q.format.columns, no_tensor_scale);
  const unpacked amax = extent_of(x, q.format.columns).amax;
  const e8m0 scale{static_cast<std::uint8_t>(chosen.code)};
  for (int i = 0; i < q.format.columns; ++i) {
    const unpacked value = unpack(x[i]);
    if (f.parts == component::none || (!chosen.special && value.is_zero())) {
      out[i] = x[i];
    } else if (chosen.special) {
      out[i] = float_of(nan_bits);
    } else if (f.toggle == toggle::injection) {
      out[i] = inject(value, amax, scale, f.parts);
    } else {
      out[i] = operate(value, amax, scale, f.parts);
    }
  }
}

std::uint64_t macro_blocks_of(const corrections& c, std::ptrdiff_t padded) {
  return c.macro_block > 0
             ? static_cast<std::uint64_t>((padded + c.macro_block - 1) / c.macro_block)
             : 0;
}

}  // namespace

void require_codes(const operand& f) {
  const recipe& r = f.recipe;
  const bool plain = f.is_coded() && f.toggle == toggle::none && (r.has_preset() || r.is_plain());
  const bool bytes =
      r.format().precision == scale_precision::stored && r.format().scale.width() <= 8;
  if (!plain || !bytes) {
    throw std::invalid_argument("mx: operands of this kind have no codes with scales of one byte");
  }
}

bool has_line_scale(const operand& f) noexcept {
  return f.is_coded() && f.recipe.format().has_tensor_scale();
}

clear_line::clear_line(const operand& f, int count)
    : f_(f),
      format_(f.recipe.format()),
      count_(count),
      padded_(padded_length(f.recipe.rules, f.recipe.corrections, count)),
      blocks_(padded_ / format_.columns),
      room_(static_cast<std::uint64_t>(padded_), static_cast<std::uint64_t>(blocks_),
            macro_blocks_of(f.recipe.corrections, padded_)),
      bytes_(static_cast<std::size_t>(blocks_)) {
  if (format_.has_tensor_scale()) format_.tensor = tensor_scaling::per_tensor;
}

const variant_entry& clear_line::preset() const {
  return variant_table[static_cast<std::size_t>(f_.recipe.preset)];
}

void clear_line::gather(const line_elements& line) {
  for (int i = 0; i < count_; ++i) room_.x[static_cast<std::size_t>(i)] = line.x[i * line.step];
  std::fill(room_.x.begin() + count_, room_.x.end(), 0.0F);
}

void clear_line::see(const line_elements& line) {
  gather(line);
  if (f_.recipe.has_preset()) {
    seen_.insert(seen_.end(), room_.x.begin(), room_.x.begin() + count_);
    return;
  }
  const int padded = static_cast<int>(padded_);
  rotate(f_.recipe.corrections.rotation, room_.x.data(), padded);
  largest_ = std::max(largest_, bits_of(to_binary32(extent_of(room_.x.data(), padded).amax)));
}

variant_tensor_scale clear_line::seen_scale() {
  variant_tensor_scale scale;
  if (f_.recipe.has_preset()) {
    choose_variant_scales(preset(), format_, seen_.data(), {.length = seen_.size()}, &scale);
    seen_.clear();
  } else {
    scale.scale = tensor_scale_of(format_, unpack(float_of(largest_)));
    largest_ = 0;
  }
  return scale;
}

void clear_line::values(const line_elements& line, const variant_tensor_scale& tensor, float* out,
                        std::ptrdiff_t out_step) {
  gather(line);
  if (f_.recipe.has_preset()) {
    preset_values(line, tensor);
  } else if (f_.toggle != toggle::none) {
    toggled_values();
  } else {
    recipe_values(line, tensor.scale);
  }
  for (int i = 0; i < count_; ++i) out[i * out_step] = room_.values[static_cast<std::size_t>(i)];
}

void clear_line::toggled_values() {
  for (std::ptrdiff_t i = 0; i < padded_; i += format_.columns) {
    toggle_block(f_, room_.x.data() + i, room_.values.data() + i);
  }
}

void clear_line::recipe_values(const line_elements& line, float tensor) {
  const unpacked above = format_.has_tensor_scale() ? unpack(tensor) : no_tensor_scale;
  quantize_line(f_.recipe.rules, f_.recipe.corrections, room_.x.data(),
                {static_cast<int>(padded_), above, line.numbers}, room_.passes(),
                room_.values.data(), room_.scratch.data());
}

/// In pieces that mx::quantize_by_variant does not divide into tasks.
void clear_line::preset_codes(const line_elements& line, const variant_tensor_scale& tensor,
                              std::uint8_t* codes, std::uint8_t* scales) {
  constexpr std::ptrdiff_t most = 256;
  preset_random random{f_.recipe.rules.random, line.numbers};
  for (std::ptrdiff_t b = 0; b < blocks_; b += most) {
    const std::ptrdiff_t at = b * format_.columns;
    const auto length = static_cast<std::uint64_t>(std::min(padded_ - at, most * format_.columns));
    random.numbers.first = line.numbers.first + static_cast<std::uint64_t>(b) * line.numbers.step;
    quantize_by_variant(preset(), format_, room_.x.data() + at, {.length = length},
                        {codes + at, scales + b, &tensor}, random);
  }
}

void clear_line::preset_values(const line_elements& line, const variant_tensor_scale& tensor) {
  constexpr std::ptrdiff_t most = 256;
  preset_codes(line, tensor, room_.first.codes.data(), bytes_.data());
  for (std::ptrdiff_t b = 0; b < blocks_; b += most) {
    const std::ptrdiff_t at = b * format_.columns;
    const auto length = static_cast<std::uint64_t>(std::min(padded_ - at, most * format_.columns));
    dequantize_by_variant(preset(), format_,
                          {room_.first.codes.data() + at, bytes_.data() + b, &tensor},
                          {.length = length}, room_.values.data() + at);
  }
}

void clear_line::codes(const line_elements& line, const variant_tensor_scale& tensor,
                       std::uint8_t* codes, std::uint8_t* scales) {
  gather(line);
  if (f_.recipe.has_preset()) return preset_codes(line, tensor, codes, scales);
  const unpacked above = format_.has_tensor_scale() ? unpack(tensor.scale) : no_tensor_scale;
  for (std::ptrdiff_t b = 0; b < blocks_; ++b) {
    const std::uint64_t number =
        line.numbers.first + static_cast<std::uint64_t>(b) * line.numbers.step;
    const std::ptrdiff_t at = b * format_.columns;
    scales[b] = static_cast<std::uint8_t>(
        quantize_block(f_.recipe.rules, room_.x.data() + at, above, number, codes + at).code);
  }
}

}  // namespace mx
