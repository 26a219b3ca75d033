// SPDX-License-Identifier: Apache-2.0
// emulator/src/tensor/energy.cpp: energies of whole tensors, a fixed share of blocks at a time.
// Equals mx::energy_share, checked by tests/unit/tensor/energy_test.cpp.
// Floor: one read of the tensor, and about 31 cycles for 16 elements of E2M1 under powers of two:
// 56 operations on vectors of 512 bits, two of which execute in a cycle, and six of them,
// conversions to binary64, twice on Zen 4.
#include "mx/tensor/energy.h"

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "tensor/energy.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/energy-inl.h"

#if HWY_ONCE

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "mx/tensor/ieee_arithmetic.h"
#include "mx/tensor/parallel.h"
#include "tensor/block_batch.h"
#include "tensor/block_geometry.h"
#include "tensor/coded_energy.h"

namespace mx {

HWY_EXPORT(find_energies_of);

namespace {

void check(const quantization& q, const blocked_shape& shape) {
  if (refusal_of(q) != refusal::none) {
    throw std::invalid_argument("mx: a quantization that makes no sense");
  }
  expect_blocks(q.format, shape);
}

/// How blocks are added.
///   e2m1   by the kernels of E2M1 under powers of two, which need no codes
///   coded  quantized by the kernels of blocks, then from the codes
///   core   one by one
enum class energy_way : std::uint8_t { e2m1, coded, core };

energy_way way_of(const quantization& q) {
  const block_format& f = q.format;
  const bool plain = f.element == formats::e2m1 && f.scale == formats::e8m0 &&
                     !f.has_tensor_scale() && f.precision == scale_precision::stored &&
                     f.rows == 1 && f.columns % energy_lanes == 0 && f.columns <= 1024 &&
                     q.rounding == rounding::ties_to_even;
  if (plain) return energy_way::e2m1;
  return coded_energy_sums::serves(q) ? energy_way::coded : energy_way::core;
}

/// Elements from one block to the next.
std::uint64_t stride_of(const quantization& q, std::uint64_t block_size) {
  if (way_of(q) != energy_way::coded) return block_size;
  return (block_size + energy_lanes - 1) / energy_lanes * energy_lanes;
}

/// Shares that a thread takes at a time.
constexpr std::int64_t shares_at_once = 16;

/// One tensor's shares.
class tensor_energy {
 public:
  tensor_energy(const quantization& q, number_type type, const void* x, const blocked_shape& shape,
                const float* tensor_scales)
      : q_(q),
        type_(type),
        x_(static_cast<const unsigned char*>(x)),
        g_(q.format, shape, code_packing::unpacked),
        tensor_scales_(tensor_scales),
        share_blocks_(blocks_a_share(static_cast<std::int64_t>(g_.block_size()))),
        way_(way_of(q)),
        stride_(stride_of(q, g_.block_size())),
        in_place_(type == number_type::fp32 && g_.is_flat() && stride_ == g_.block_size() &&
                  reinterpret_cast<std::uintptr_t>(x) % alignof(float) == 0) {}

  [[nodiscard]] std::int64_t blocks() const { return static_cast<std::int64_t>(g_.sizes.blocks); }
  [[nodiscard]] std::int64_t shares() const {
    return blocks() / share_blocks_ + (blocks() % share_blocks_ != 0 ? 1 : 0);
  }

  /// Writes the energies of shares `share` to share + count - 1; returns the number of their
  /// blocks.
  std::uint64_t find_energies(std::int64_t share, std::int64_t count,
                              error_energy* energies) const {
    const std::int64_t begin = share * share_blocks_;
    const auto first = static_cast<std::uint64_t>(begin);
    std::vector<std::uint8_t> codes(g_.block_size());
    energy_batch batch{};
    batch.stride = static_cast<std::int64_t>(stride_);
    batch.blocks = batch.readable = std::min(count * share_blocks_, blocks() - begin);
    batch.first = first;
    batch.codes = codes.data();
    const auto all = static_cast<std::uint64_t>(batch.blocks);
    gathered space;
    if (g_.format.has_tensor_scale()) {
      gather_tensor_scales(first, all, space);
      batch.tensor_scales = space.tensor_scales.data();
    }
    if (in_place_) {
      batch.readable = blocks() - begin;
      batch.x = reinterpret_cast<const float*>(x_) + first * g_.block_size();
    } else {
      gather(first, all, space);
      batch.x = space.x.data();
      batch.elements = space.elements.data();
    }
    find_energies(batch, energies);
    return all;
  }

 private:
  struct gathered {
    std::vector<float> x, tensor_scales;
    std::vector<std::int64_t> elements;
  };

  void find_energies(const energy_batch& batch, error_energy* energies) const {
    if (way_ == energy_way::e2m1) {
      HWY_DYNAMIC_DISPATCH(find_energies_of)(q_, batch, share_blocks_, energies);
    } else if (way_ == energy_way::coded) {
      coded_energy_sums sums(q_, batch);
      each_share(batch, q_.format.element, share_blocks_, energies,
                 [&](const energy_batch& part, energy_share& share) { sums.add(part, share); });
    } else {
      each_share(
          batch, q_.format.element, share_blocks_, energies,
          [&](const energy_batch& part, energy_share& share) { part.add_clearly(q_, share); });
    }
  }

  void gather_tensor_scales(std::uint64_t first, std::uint64_t count, gathered& space) const {
    space.tensor_scales.resize(count);
    for (std::uint64_t b = 0; b < count; ++b) {
      space.tensor_scales[b] = g_.tensor_scale(g_.place(first + b), tensor_scales_);
    }
  }

  void gather(std::uint64_t first, std::uint64_t count, gathered& space) const {
    space.x.assign(count * stride_, 0.0F);
    space.elements.resize(count);
    for (std::uint64_t b = 0; b < count; ++b) {
      const block_place place = g_.place(first + b);
      space.elements[b] = static_cast<std::int64_t>(place.rows * place.columns);
      float* out = space.x.data() + b * stride_;
      for (std::uint64_t row = 0; row < place.rows; ++row) {
        widen_strided(type_, x_, g_.element(place, row), g_.shape.inner, place.columns,
                      out + row * g_.columns());
      }
    }
  }

  quantization q_;
  number_type type_;
  const unsigned char* x_;
  block_geometry g_;
  const float* tensor_scales_;
  std::int64_t share_blocks_;
  energy_way way_;
  std::uint64_t stride_;
  bool in_place_;
};

}  // namespace

error_energy decompose_tensor(const quantization& q, number_type type, const void* x,
                              const blocked_shape& shape, const float* tensor_scales,
                              const blocks_done& done) {
  check(q, shape);
  const ieee_arithmetic arithmetic;
  const tensor_energy tensor(q, type, x, shape, tensor_scales);
  std::vector<error_energy> shares(static_cast<std::size_t>(tensor.shares()));
  const std::int64_t groups = (tensor.shares() + shares_at_once - 1) / shares_at_once;
  for_each_in_parallel(groups, [&](std::int64_t group) {
    const std::int64_t first = group * shares_at_once;
    const std::int64_t count = std::min(shares_at_once, tensor.shares() - first);
    const std::uint64_t blocks =
        tensor.find_energies(first, count, &shares[static_cast<std::size_t>(first)]);
    if (done) done(blocks);
  });
  return sum_of_shares(shares.data(), static_cast<std::int64_t>(shares.size()));
}

}  // namespace mx
#endif  // HWY_ONCE
