// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/quantizer.h: quantizes the blocks of a tensor, a share at a time.
#pragma once
#include <vector>

#include "tensor/block_batch.h"
#include "tensor/block_geometry.h"
#include "tensor/mxfp4_run.h"
#include "tensor/scale_bytes.h"
#include "tensor/turned_blocks.h"

namespace mx {

/// Elements gathered at once: with their codes they fit the first-level cache. Those that are not
/// gathered may be more, so that what is prepared for a batch is prepared less often.
inline constexpr std::uint64_t batch_elements = 4096, batch_elements_in_place = 65536;

/// Results of tensors of at least this size bypass the caches, which could not retain them.
inline constexpr std::uint64_t streamed_bytes = std::uint64_t{16} << 20;

class tensor_quantizer {
 public:
  tensor_quantizer(const quantization& q, number_type type, const void* x,
                   const block_geometry& geometry, const coded_blocks& out)
      : q_(q),
        type_(type),
        x_(static_cast<const unsigned char*>(x)),
        g_(geometry),
        codes_(static_cast<std::uint8_t*>(out.codes)),
        scales_(static_cast<std::uint8_t*>(out.scales)),
        tensor_scales_(out.tensor_scales),
        stride_(g_.stride()),
        flat_(g_.is_flat() && stride_ == g_.block_size()),
        turned_(turned_blocks::serves(g_)),
        in_place_(type == number_type::fp32 &&
                  reinterpret_cast<std::uintptr_t>(x) % alignof(float) == 0) {}

  /// Quantizes blocks [first, last); returns the number of special ones.
  [[nodiscard]] std::uint64_t share(std::uint64_t first, std::uint64_t last) const {
    const std::int64_t done = plain_mxfp4(first, last);
    if (done >= 0) return static_cast<std::uint64_t>(done);
    const bool from_tensor = flat_ && (in_place_ || is_narrow());
    const std::uint64_t elements = from_tensor ? batch_elements_in_place : batch_elements;
    const std::uint64_t most = std::max<std::uint64_t>(1, elements / stride_);
    gathered space(*this, most, from_tensor ? 0 : most * stride_);
    std::uint64_t special = 0;
    for (std::uint64_t block = first; block < last; block += most) {
      special += batch(block, std::min(most, last - block), space);
    }
    if (how() == storing::streamed) finish_streams();
    return special;
  }

 private:
  [[nodiscard]] storing how() const {
    return g_.bytes_as_fp32() >= streamed_bytes ? storing::streamed : storing::cached;
  }

  /// Whether the kernel reads numbers of 16 bits where they are.
  [[nodiscard]] bool is_narrow() const { return flat_ && type_ != number_type::fp32; }

  /// Whether the kernel writes the codes of a batch where they belong: past the caches, as whole
  /// vectors on their multiples.
  [[nodiscard]] bool stored_in_place() const {
    return flat_ && (g_.halved || how() == storing::cached || is_aligned());
  }

  [[nodiscard]] bool is_aligned() const {
    return reinterpret_cast<std::uintptr_t>(codes_) % 64 == 0 &&
           (64 % stride_ == 0 || stride_ % 64 == 0);
  }

  /// Of a block's codes in a flat tensor.
  [[nodiscard]] std::uint64_t byte_of(std::uint64_t block) const {
    return block * stride_ / (g_.halved ? 2 : 1);
  }

  struct gathered {
    std::vector<float> x, tensor_scales;
    std::vector<std::uint8_t> codes;
    std::vector<std::uint32_t> scales;
    turned_blocks turned;
    gathered(const tensor_quantizer& of, std::uint64_t blocks, std::uint64_t elements)
        : x(elements),
          tensor_scales(blocks, of.g_.format.tensor == tensor_scaling::per_row
                                    ? 1.0F
                                    : of.g_.tensor_scale({}, of.tensor_scales_)),
          codes(of.stored_in_place() ? 0 : blocks * of.stride_),
          scales(blocks),
          turned(of.g_, of.type_) {}
  };

  /// Plain MXFP4 by its own kernel; returns -1 if it does not apply.
  [[nodiscard]] std::int64_t plain_mxfp4(std::uint64_t first, std::uint64_t last) const {
    if (!flat_ || !g_.halved || q_.format != block_formats::mxfp4) return -1;
    const std::uint64_t size = g_.block_size();
    return quantize_mxfp4({type_, x_ + first * size * bytes_of(type_), last - first, first, q_.rule,
                           q_.rounding, q_.random, how(), codes_ + first * size / 2,
                           scales_ + first});
  }

  std::uint64_t batch(std::uint64_t first, std::uint64_t count, gathered& space) const {
    const bool in_place = stored_in_place();
    gather_tensor_scales(first, count, space);
    const block_batch batch{
        .x = is_narrow() ? nullptr : gather(first, count, space),
        .stride = stride_,
        .first = first,
        .count = static_cast<int>(count),
        .tensor_scales = space.tensor_scales.data(),
        .codes = in_place ? codes_ + byte_of(first) : space.codes.data(),
        .scales = space.scales.data(),
        .how = how(),
        .codes_how = in_place ? how() : storing::cached,
        .packing = in_place && g_.halved ? code_packing::packed : code_packing::unpacked,
        .narrow = is_narrow() ? narrow_numbers{x_ + first * stride_ * bytes_of(type_), type_}
                              : narrow_numbers{}};
    const int special = quantize_batch(q_, batch);
    scatter(first, count, space);
    return static_cast<std::uint64_t>(special);
  }

  /// Address of the values: in the tensor itself if they are laid out as in a batch.
  const float* gather(std::uint64_t first, std::uint64_t count, gathered& space) const {
    if (flat_) {
      const unsigned char* x = x_ + first * stride_ * bytes_of(type_);
      if (in_place_) return reinterpret_cast<const float*>(x);
      widen(type_, x, count * stride_, space.x.data());
      return space.x.data();
    }
    for (std::uint64_t b = 0; b < count;) {
      const block_place p = g_.place(first + b);
      const std::uint64_t run = run_from(p, count - b, space);
      float* x = space.x.data() + b * stride_;
      if (run > 1) {
        space.turned.gather(p, run, x_, stride_, x);
      } else {
        gather_block(p, x);
      }
      b += run;
    }
    return space.x.data();
  }

  /// Number of blocks from place p on that are moved at once, at most `most`.
  [[nodiscard]] std::uint64_t run_from(const block_place& p, std::uint64_t most,
                                       const gathered& space) const {
    return turned_ ? space.turned.run_from(p, most) : 1;
  }

  /// Those of rows; the tensor's own are there.
  void gather_tensor_scales(std::uint64_t first, std::uint64_t count, gathered& space) const {
    if (g_.format.tensor != tensor_scaling::per_row) return;
    for (std::uint64_t b = 0; b < count; ++b) {
      space.tensor_scales[b] = g_.tensor_scale(g_.place(first + b), tensor_scales_);
    }
  }

  void gather_block(const block_place& p, float* x) const {
    std::fill_n(x, stride_, 0.0F);
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      widen_strided(type_, x_, g_.element(p, row), g_.shape.inner, p.columns,
                    x + row * g_.columns());
    }
  }

  void scatter(std::uint64_t first, std::uint64_t count, gathered& space) const {
    if (flat_ && !stored_in_place()) {
      stream_bytes(space.codes.data(), count * stride_, codes_ + first * stride_);
    } else if (!flat_) {
      for (std::uint64_t b = 0; b < count;) {
        const block_place p = g_.place(first + b);
        const std::uint64_t run = run_from(p, count - b, space);
        const std::uint8_t* codes = space.codes.data() + b * stride_;
        if (run > 1) {
          space.turned.scatter(p, run, codes, stride_, codes_);
        } else {
          scatter_block(p, codes);
        }
        b += run;
      }
    }
    scatter_scales(space.scales.data(), count, scales_ + first * g_.sizes.bytes_a_scale);
  }

  void scatter_scales(const std::uint32_t* scales, std::uint64_t count, std::uint8_t* to) const {
    switch (const std::uint64_t bytes = g_.sizes.bytes_a_scale) {
      case 1:
        std::copy_n(scales, count, to);
        break;
      case 4:  // of a size that the compiler knows
        for (std::uint64_t b = 0; b < count; ++b) store_scale_code(scales[b], 4, to + 4 * b);
        break;
      default:
        for (std::uint64_t b = 0; b < count; ++b)
          store_scale_code(scales[b], bytes, to + bytes * b);
    }
  }

  void scatter_block(const block_place& p, const std::uint8_t* codes) const {
    for (std::uint64_t row = 0; row < p.rows; ++row) {
      for (std::uint64_t k = 0; k < g_.columns(); ++k) {
        const std::uint64_t position = p.along * g_.columns() + k;
        const std::uint8_t code = codes[row * g_.columns() + k];
        std::uint8_t& byte = codes_[g_.code_byte(p, row, position)];
        const bool high = g_.halved && position % 2 != 0;
        byte = high ? static_cast<std::uint8_t>(byte | code << 4) : code;
      }
    }
  }

  quantization q_;
  number_type type_;
  const unsigned char* x_;
  const block_geometry& g_;
  std::uint8_t *codes_, *scales_;
  const float* tensor_scales_;
  std::uint64_t stride_;
  bool flat_;      ///< a batch is contiguous in the tensor, and in its codes
  bool turned_;    ///< blocks beside one another are moved at once
  bool in_place_;  ///< the tensor's numbers can be read in place as floats
};

}  // namespace mx
