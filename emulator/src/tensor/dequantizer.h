// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/dequantizer.h: dequantizes a tensor's codes and scales, a share at a time.
#pragma once
#include <array>
#include <cstring>
#include <vector>

#include "tensor/block_batch.h"
#include "tensor/block_geometry.h"
#include "tensor/quantizer.h"

namespace mx {

/// Whether a product of table entries is rounded as in mx::dequantize_element, once: that of
/// element and scale is exact below a tensor scale, and no Inf is multiplied by zero, whose NaN has
/// a sign in hardware.
[[nodiscard]] constexpr bool has_table(const block_format& f) {
  const bool scale_has_zero = f.scale.lowest_field == lowest_field::subnormal;
  if (f.element.specials == specials::ieee && scale_has_zero) return false;
  return !f.has_tensor_scale() || (f.scale.exponent_bits <= 5 && f.element.exponent_bits <= 5);
}

class tensor_dequantizer {
 public:
  tensor_dequantizer(const block_geometry& geometry, const constant_coded_blocks& in, void* out)
      : g_(geometry),
        codes_(static_cast<const std::uint8_t*>(in.codes)),
        scales_(static_cast<const std::uint8_t*>(in.scales)),
        tensor_scales_(in.tensor_scales),
        out_(static_cast<unsigned char*>(out)),
        stride_(g_.stride()),
        flat_(g_.is_flat() && stride_ == g_.block_size()) {
    for (std::uint32_t code = 0; code < 256; ++code) {
      values_[code] = to_binary32(decode(g_.format.element, code));
      byte_factors_[code] = factor_of(code);
    }
  }

  void share(std::uint64_t first, std::uint64_t last) const {
    const bool direct = flat_ && has_table(g_.format) && g_.sizes.bytes_a_scale == 1;
    if (direct && !g_.format.has_tensor_scale()) {
      dequantize_batch(in_place(first, last - first, byte_factors_.data(), nullptr));
      return;
    }
    const std::uint64_t most = std::max<std::uint64_t>(1, batch_elements / stride_);
    gathered space(most, stride_, flat_);
    for (std::uint64_t block = first; block < last; block += most) {
      batch(block, std::min(most, last - block), space);
    }
  }

 private:
  struct gathered {
    std::vector<std::uint8_t> codes;
    std::vector<float> values, factors, tensor_scales;
    gathered(std::uint64_t blocks, std::uint64_t stride, bool flat)
        : codes(flat ? 0 : blocks * stride),
          values(flat ? 0 : blocks * stride),
          factors(blocks),
          tensor_scales(blocks) {}
  };

  [[nodiscard]] float factor_of(std::uint32_t scale_code) const {
    const unpacked scale = decode(g_.format.scale, scale_code);
    return scale.is_special() ? float_of(nan_bits) : to_binary32(scale);
  }

  void batch(std::uint64_t first, std::uint64_t count, gathered& space) const {
    if (!has_table(g_.format)) {
      for (std::uint64_t b = first; b < first + count; ++b) block_by_core(b);
      return;
    }
    const bool one_byte = g_.sizes.bytes_a_scale == 1;
    for (std::uint64_t b = 0; b < count && !one_byte; ++b) {
      space.factors[b] = factor_of(scale_code(first + b));
    }
    if (g_.format.has_tensor_scale()) gather_tensor_scales(first, count, space);
    if (flat_) {
      dequantize_batch(in_place(first, count, space));
    } else {
      through_space(first, count, space);
    }
  }

  /// space  has factors if scales have several bytes, and tensor scales if the format has them
  [[nodiscard]] coded_batch in_place(std::uint64_t first, std::uint64_t count,
                                     const gathered& space) const {
    return in_place(first, count,
                    g_.sizes.bytes_a_scale == 1 ? byte_factors_.data() : space.factors.data(),
                    g_.format.has_tensor_scale() ? space.tensor_scales.data() : nullptr);
  }

  /// factors        one for each code of a scale, or one a block if scales have several bytes
  /// tensor_scales  one a block, or null if the format has none
  [[nodiscard]] coded_batch in_place(std::uint64_t first, std::uint64_t count, const float* factors,
                                     const float* tensor_scales) const {
    return {codes_ + first * stride_ / (g_.halved ? 2 : 1),
            g_.halved ? code_packing::packed : code_packing::unpacked,
            stride_,
            count,
            values_.data(),
            g_.sizes.bytes_a_scale == 1 ? scales_ + first : nullptr,
            factors,
            tensor_scales,
            out_ + first * stride_ * sizeof(float),
            g_.bytes_as_fp32() >= streamed_bytes ? storing::streamed : storing::cached};
  }

  void through_space(std::uint64_t first, std::uint64_t count, gathered& space) const {
    for (std::uint64_t b = 0; b < count; ++b) {
      const block_place p = g_.place(first + b);
      for_each_element(p, [&](std::uint64_t row, std::uint64_t k) {
        space.codes[b * stride_ + row * g_.columns() + k] =
            static_cast<std::uint8_t>(code(p, row, k));
      });
    }
    coded_batch batch = in_place(first, count, space);
    batch.codes = space.codes.data();
    batch.packing = code_packing::unpacked;
    batch.out = reinterpret_cast<unsigned char*>(space.values.data());
    batch.how = storing::cached;
    dequantize_batch(batch);
    for (std::uint64_t b = 0; b < count; ++b) {
      const block_place p = g_.place(first + b);
      for_each_element(p, [&](std::uint64_t row, std::uint64_t k) {
        store(p, row, k, space.values[b * stride_ + row * g_.columns() + k]);
      });
    }
  }

  void block_by_core(std::uint64_t number) const {
    const block_place p = g_.place(number);
    const unpacked tensor = unpack(g_.tensor_scale(p, tensor_scales_));
    const std::uint32_t scale = scale_code(number);
    for_each_element(p, [&](std::uint64_t row, std::uint64_t k) {
      store(p, row, k, dequantize_element(g_.format, code(p, row, k), scale, tensor));
    });
  }

  void gather_tensor_scales(std::uint64_t first, std::uint64_t count, gathered& space) const {
    for (std::uint64_t b = 0; b < count; ++b) {
      const float scale = g_.tensor_scale(g_.place(first + b), tensor_scales_);
      // An Inf would make an element Inf, not NaN.
      space.tensor_scales[b] = unpack(scale).is_special() ? float_of(nan_bits) : scale;
    }
  }

  /// Calls work for the part of a block inside the tensor.
  template <class Work>
  static void for_each_element(const block_place& p, const Work& work) {
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      for (std::uint64_t k = 0; k < p.columns; ++k) work(row, k);
    }
  }

  void store(const block_place& p, std::uint64_t row, std::uint64_t k, float value) const {
    const std::uint64_t index = g_.element(p, row) + k * g_.shape.inner;
    std::memcpy(out_ + index * sizeof value, &value, sizeof value);
  }

  [[nodiscard]] std::uint32_t code(const block_place& p, std::uint64_t row, std::uint64_t k) const {
    const std::uint64_t position = p.along * g_.columns() + k;
    const std::uint32_t byte = codes_[g_.code_byte(p, row, position)];
    if (!g_.halved) return byte;
    return position % 2 != 0 ? byte >> 4 : byte & 15;
  }

  [[nodiscard]] std::uint32_t scale_code(std::uint64_t block) const {
    return scale_code_at(scales_ + block * g_.sizes.bytes_a_scale, g_.sizes.bytes_a_scale);
  }

  const block_geometry& g_;
  const std::uint8_t *codes_, *scales_;
  const float* tensor_scales_;
  unsigned char* out_;
  std::uint64_t stride_;
  bool flat_;  ///< a batch is contiguous in the codes and in the values
  std::array<float, 256> values_{}, byte_factors_{};
};

}  // namespace mx
