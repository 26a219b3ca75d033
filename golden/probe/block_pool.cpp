// SPDX-License-Identifier: Apache-2.0
// golden/probe/block_pool.cpp: pools of blocks, in FP32 and then converted to a number type.
#include "golden/probe/block_pool.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "golden/probe/amax_blocks.h"
#include "golden/probe/tensor_scale_numbers.h"
#include "golden/validator/tensor/numbers.h"
#include "golden/validator/tensor/probe_block.h"

namespace golden::probe {
namespace {

using values_of = std::vector<float>;

constexpr float infinity = __builtin_inff();

/// A number rounded to a narrower type.
float in_type(mx::number_type type, float x, mx::rounding how) {
  const mx::unpacked value = mx::unpack(x);
  if (type == mx::number_type::fp32 || value.is_special()) return x;
  const mx::format& f =
      type == mx::number_type::bf16 ? mx::formats::bfloat16 : mx::formats::binary16;
  return mx::to_binary32(mx::decode(f, mx::encode(f, value, how, mx::overflow::saturate)));
}

/// A NaN whose payload fits the type.
float as_held(mx::number_type type, float x, mx::rounding how) {
  if (type == mx::number_type::fp32 || !std::isnan(x)) return in_type(type, x, how);
  const std::uint32_t fields = type == mx::number_type::bf16 ? 0xFFFF0000U : 0xFFFFE000U;
  return mx::float_of((mx::bits_of(x) & fields) | 0x00400000U);
}

/// The blocks of a small tensor, in order.
std::vector<values_of> blocks_in(const validator::probe_input& input, const mx::block_format& f) {
  const auto rows = static_cast<std::size_t>(f.rows), columns = static_cast<std::size_t>(f.columns);
  std::vector<values_of> blocks;
  for (std::size_t top = 0; top + rows <= input.shape[0]; top += rows) {
    for (std::size_t left = 0; left + columns <= input.shape[1]; left += columns) {
      values_of block;
      for (std::size_t r = 0; r < rows; ++r) {
        const auto begin =
            input.values.begin() + static_cast<std::ptrdiff_t>((top + r) * input.shape[1] + left);
        block.insert(block.end(), begin, begin + static_cast<std::ptrdiff_t>(columns));
      }
      blocks.push_back(std::move(block));
    }
  }
  return blocks;
}

/// The validator's candidates; the first block of each is its subject.
std::vector<noted_block> candidate_blocks(const mx::block_format& f) {
  std::vector<noted_block> list;
  for (const validator::probe_input& input : validator::probe_candidates(f)) {
    const std::vector<values_of> blocks = blocks_in(input, f);
    const bool all = input.what.starts_with("blocks");
    for (std::size_t k = 0; k < (all ? blocks.size() : 1); ++k) {
      list.push_back({input.what, blocks[k]});
    }
  }
  return list;
}

float largest_finite(const values_of& x) {
  float largest = 0;
  for (const float v : x) {
    if (std::isfinite(v)) largest = std::max(largest, std::abs(v));
  }
  return largest;
}

enum class holding : std::uint8_t { finite, nan, infinite, both };

holding held_by(const values_of& x) {
  const bool nan = std::any_of(x.begin(), x.end(), [](float v) { return std::isnan(v); });
  const bool inf = std::any_of(x.begin(), x.end(), [](float v) { return std::isinf(v); });
  if (nan) return inf ? holding::both : holding::nan;
  return inf ? holding::infinite : holding::finite;
}

/// Blocks that a tensor may contain: finite ones up to a magnitude, and special ones of a kind.
struct pool_rule {
  const char* name;
  float anchor;  ///< its largest magnitude; Inf: unlimited, without tensor scale
  holding specials;
};

class pool_maker {
 public:
  pool_maker(const mx::block_format& f, mx::number_type type) : type_(type) {
    using enum threshold_reach;
    const bool fp32 = type == mx::number_type::fp32;
    for (const noted_block& b : candidate_blocks(f)) add_around(b);
    for (const noted_block& b : special_blocks(f)) add_around(b);
    // A tile takes as long as 16 blocks or more; in 16-bit types, FP32 ULP are invisible.
    for (const noted_block& b : amax_blocks(f, fp32 && f.rows == 1 ? wide : near)) add_around(b);
    if (!f.has_tensor_scale() || fp32) return;
    for (const noted_block& b : short_amax_blocks(f)) add(b, mx::rounding::ties_to_even);
  }

  [[nodiscard]] block_pool pool(const pool_rule& rule) const {
    block_pool p{rule.name, false, std::isfinite(rule.anchor), {}, {}, type_, {}};
    if (p.anchored) append({"the largest magnitude of the tensor", anchor_of(rule.anchor)}, p);
    for (const noted_block& b : blocks_) {
      const holding kind = held_by(b.values);
      // Finite blocks beside special ones show the effect on the tensor scale.
      const bool wanted =
          kind == holding::finite || kind == rule.specials || rule.specials == holding::both;
      if (wanted && largest_finite(b.values) <= rule.anchor) append(b, p);
    }
    for (const float x : p.values) validator::append_number(type_, x, p.bytes);
    return p;
  }
  /// One block whose largest magnitude shows how the tensor scale is computed.
  [[nodiscard]] block_pool pool_of_scale(const std::string& name, float amax) const {
    block_pool p{name, true, true, {}, {}, type_, {}};
    append({"a tensor scale that the order of operations decides", anchor_of(amax)}, p);
    for (const float x : p.values) validator::append_number(type_, x, p.bytes);
    return p;
  }

 private:
  /// Adds the block in the type: three blocks if the type cannot represent some of its numbers.
  void add_around(const noted_block& b) {
    for (const mx::rounding how :
         {mx::rounding::ties_to_even, mx::rounding::toward_zero, mx::rounding::away_from_zero}) {
      add(b, how);
    }
  }
  void add(const noted_block& b, mx::rounding how) {
    noted_block held = b;
    std::string key;
    for (float& x : held.values) {
      x = as_held(type_, x, how);
      const std::uint32_t bits = mx::bits_of(x);
      key.append(reinterpret_cast<const char*>(&bits), sizeof bits);
    }
    if (known_.insert(key).second) blocks_.push_back(std::move(held));
  }
  [[nodiscard]] values_of anchor_of(float largest) const {
    values_of x = blocks_.front().values;
    const float amax = largest_finite(x);
    int exponent = 0;
    std::frexp(largest / amax, &exponent);
    for (float& v : x) v = in_type(type_, std::ldexp(v, exponent - 2), mx::rounding::toward_zero);
    x[x.size() / 2] = largest;
    return x;
  }
  static void append(const noted_block& b, block_pool& to) {
    to.what.push_back(b.what);
    to.values.insert(to.values.end(), b.values.begin(), b.values.end());
  }

  mx::number_type type_;
  std::vector<noted_block> blocks_;
  std::set<std::string> known_;
};

}  // namespace

bool holds(mx::number_type type, float x) {
  return mx::bits_of(as_held(type, x, mx::rounding::ties_to_even)) == mx::bits_of(x);
}

std::vector<block_pool> block_pools(const mx::block_format& f, mx::number_type type) {
  const pool_maker maker(f, type);
  if (!f.has_tensor_scale()) return {maker.pool({"x", infinity, holding::both})};
  const bool fp16 = type == mx::number_type::fp16;
  // 2688 * 2^-9: the tensor scale is a power of two, so elements may be ties.
  constexpr float even = 5.25F;
  // 3.7 distinguishes orders of operations in FP32, 2.1875 in blocks of 16-bit numbers.
  const float odd = type == mx::number_type::fp32 ? 3.7F : 2.1875F;
  // 6, the largest element: the tensor scale is 1/448, and ties under it are ties of its
  // reciprocal.
  constexpr float six = 6.0F;
  const float largest = in_type(type, 0x1.fffffep+127F, mx::rounding::toward_zero);
  const float smallest = fp16 ? 0x1p-24F : (type == mx::number_type::fp32 ? 0x1p-149F : 0x1p-133F);
  using enum holding;
  std::vector<block_pool> pools;
  for (const pool_rule& rule :
       {pool_rule{"x", even, finite}, pool_rule{"x_odd", odd, finite},
        pool_rule{"x_six", six, finite}, pool_rule{"x_nan", even, nan},
        pool_rule{"x_inf", even, infinite}, pool_rule{"x_large", largest, finite},
        pool_rule{"x_tiny", 64 * smallest, finite}, pool_rule{"x_zero", 0.0F, finite}}) {
    pools.push_back(maker.pool(rule));
  }
  const std::vector<float> scales = magnitudes_of_scales(f, type);
  for (std::size_t k = 0; k < scales.size(); ++k) {
    const std::string number = k == 0 ? "" : "_" + std::to_string(k + 1);
    pools.push_back(maker.pool_of_scale("x_scale" + number, scales[k]));
  }
  return pools;
}

}  // namespace golden::probe
