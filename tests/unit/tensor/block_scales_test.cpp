// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/block_scales_test.cpp: mx/tensor/blocks.h. Scales with fractions and elements
// under them, with quotients on or beside a bound: against the core, on every instruction set.
#include <cmath>
#include <random>
#include <vector>

#include "blocked_tensor_by_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/blocks.h"
#include "unit/host_arithmetic.h"

namespace {

using mx::block_format;
using mx::number_type;
using mx::quantization;
using mx::rounding;
using mx::scale_rule;
using floats = std::vector<float>;

constexpr mx::tensor_scaling per_tensor = mx::tensor_scaling::per_tensor;

block_format format_of(const mx::format& element, const mx::format& scale, int columns,
                       mx::tensor_scaling tensor) {
  return {element, scale, 1, columns, mx::scale_precision::stored, tensor};
}

constexpr mx::format elements[] = {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e4m3,
                                   mx::formats::e5m2, mx::formats::int8, mx::formats::e4m3fnuz};
constexpr rounding roundings[] = {rounding::ties_to_even, rounding::ties_away,
                                  rounding::toward_zero, rounding::ties_toward_zero,
                                  rounding::stochastic};
constexpr scale_rule divided_rules[] = {scale_rule::ideal, scale_rule::static_four,
                                        scale_rule::rceil, scale_rule::floor6};
constexpr mx::random_source byte_source{0xFEDCBA9876543210, 8, mx::byte_map::ptx};

/// Rows of `length` numbers, a tensor scale for all or for each.
void compare(const quantization& q, const floats& values, std::uint64_t length,
             const floats& tensor_scales) {
  const mx::blocked_shape shape{.rows = values.size() / length, .length = length};
  const mx::code_packing packing = mx::code_packing::packed;
  tests::bytes x(values.size() * sizeof(float));
  std::memcpy(x.data(), values.data(), x.size());
  const tests::coded_tensor expected =
      tests::quantized_by_core(q, number_type::fp32, x, shape, packing, tensor_scales);
  test::on_all_instruction_sets([&] {
    tests::bytes codes(expected.codes.size()), scales(expected.scales.size());
    const std::uint64_t special =
        mx::quantize_tensor(q, number_type::fp32, x.data(), shape,
                            {codes.data(), scales.data(), tensor_scales.data(), packing});
    CHECK(special == expected.special_blocks);
    const auto first = [](const tests::bytes& a, const tests::bytes& b) {
      return std::mismatch(a.begin(), a.end(), b.begin()).first - a.begin();
    };
    CHECK(first(scales, expected.scales) == static_cast<std::ptrdiff_t>(scales.size()));
    CHECK(first(codes, expected.codes) == static_cast<std::ptrdiff_t>(codes.size()));
  });
}

/// Exactly, if the significand has at most 53 bits.
double value_of(const mx::unpacked& v) {
  return std::ldexp(static_cast<double>(v.significand), v.exponent);
}

/// The FP32 number nearest to a positive one, and two on either side.
void append_neighbours(floats& to, double value) {
  if (!(value > 0x1p-140) || !(value < 0x1p127)) return;
  const std::uint32_t bits = mx::bits_of(static_cast<float>(value));
  for (const int step : {0, -1, 1, -2, 2}) {
    to.push_back(mx::float_of(bits + static_cast<std::uint32_t>(step)));
  }
}

/// Every code of a scale format, or some of many and those around the smallest normal one; not the
/// largest.
std::vector<std::uint32_t> codes_of(const mx::format& scale) {
  std::mt19937 random(7);
  std::vector<std::uint32_t> codes;
  const std::uint32_t count = scale.max_code();
  for (std::uint32_t c = 0; c < std::min<std::uint32_t>(count, 400); ++c) {
    codes.push_back(count <= 400 ? c : static_cast<std::uint32_t>(random()) % count);
  }
  const std::uint32_t normal = std::uint32_t{1} << scale.fraction_bits;
  codes.insert(codes.end(), {1, normal / 2, normal - 1, normal, normal + 1});
  return codes;
}

/// amax at and beside each code and each tie of the scale format.
floats critical_magnitudes(const mx::format& scale, const mx::unpacked& target, float tensor) {
  floats result;
  const double divisor = value_of(target) * std::fabs(static_cast<double>(tensor));
  for (const std::uint32_t code : codes_of(scale)) {
    const double low = value_of(mx::decode(scale, code));
    const double high = value_of(mx::decode(scale, code + 1));
    append_neighbours(result, low * divisor);
    append_neighbours(result, (low + high) / 2 * divisor);
  }
  append_neighbours(result, value_of(mx::largest_of(scale)) * divisor * 1.03125);
  append_neighbours(result, value_of(mx::decode(scale, 1)) * divisor * 0x1p-12);
  return result;
}

/// A block for each amax: that, and multiples of 1 / 16 of the quotient under the scale it gives.
floats blocks_of(const quantization& q, const floats& magnitudes, float tensor) {
  std::mt19937 random(11);
  const auto size = static_cast<std::uint64_t>(q.format.size());
  floats x;
  for (const float amax : magnitudes) {
    const mx::unpacked scale =
        mx::ratio_of(q.format,
                     mx::scale_code_of(q.format, q.rule, mx::unpack(amax), mx::unpack(tensor)),
                     mx::unpack(tensor))
            .numerator;
    x.push_back(random() % 2 == 0 ? amax : -amax);
    for (std::uint64_t k = 1; k < size; ++k) {
      const double tie = std::ldexp(random() % 64, -static_cast<int>(random() % 12));
      const auto near = static_cast<float>(value_of(scale) * tie);
      const float beside =
          mx::float_of(mx::bits_of(near) + static_cast<std::uint32_t>(random() % 3));
      x.push_back(beside < amax ? (k % 2 == 0 ? near : -beside) : 0.0F);
    }
  }
  return x;
}

void compare_critical(const block_format& f, float tensor) {
  for (const scale_rule rule : divided_rules) {
    const quantization usual{f, rule};
    if (mx::refusal_of(usual) != mx::refusal::none) continue;
    const mx::unpacked target =
        rule == scale_rule::static_four ? mx::unpack(4.0F) : mx::largest_of(f.element);
    const floats magnitudes = critical_magnitudes(f.scale, target, tensor);
    const floats x = blocks_of(usual, magnitudes, tensor);
    for (const rounding how : roundings) {
      INFO("scale " << f.scale.exponent_bits << "/" << f.scale.fraction_bits << " element "
                    << f.element.exponent_bits << "/" << f.element.fraction_bits << " rule "
                    << static_cast<int>(rule) << " rounding " << static_cast<int>(how)
                    << " tensor scale " << tensor);
      compare({f, rule, how, byte_source}, x, x.size(),
              f.has_tensor_scale() ? floats{tensor} : floats{});
    }
  }
}

TEST_CASE("amax_on_and_beside_every_code_and_tie_of_a_scale_of_8_bits_equals_the_core") {
  for (const mx::format& scale : {mx::formats::ue4m3, mx::formats::ue5m3}) {
    for (const mx::format& element : elements) {
      const block_format below = format_of(element, scale, 16, per_tensor);
      for (const float tensor : {1.0F, 0x1p-9F, 0x1.876543p-7F, 0x1.fffffep-30F, -0x1.2p40F}) {
        compare_critical(below, tensor);
      }
      compare_critical(format_of(element, scale, 16, mx::tensor_scaling::none), 1.0F);
    }
  }
}

TEST_CASE("amax_on_and_beside_codes_and_ties_of_wider_scales_equals_the_core") {
  for (const mx::format& scale :
       {mx::formats::e8m(1), mx::formats::e8m(7), mx::formats::e8m(16), mx::formats::bfloat16,
        mx::formats::binary16, mx::formats::binary32}) {
    for (const mx::format& element : elements) {
      compare_critical(format_of(element, scale, 32, mx::tensor_scaling::none), 1.0F);
    }
  }
  for (const float tensor : {0x1.876543p-7F, 0x1.0p-126F, 0x1.fffffep60F}) {
    compare_critical(format_of(mx::formats::e2m1, mx::formats::e8m(8), 16, per_tensor), tensor);
    compare_critical(format_of(mx::formats::int8, mx::formats::e8m(3), 16, per_tensor), tensor);
  }
}

TEST_CASE("amax_on_a_tie_of_nvfp4_takes_the_even_scale") {
  floats x(16, 0.0F);
  const auto scale_of = [&](scale_rule rule, float amax) {
    std::uint8_t codes[8], scales[1];
    x[3] = -amax;
    const float tensor = 1;
    mx::quantize_tensor({mx::block_formats::nvfp4, rule}, number_type::fp32, x.data(),
                        {.length = 16}, {codes, scales, &tensor});
    return int{scales[0]};
  };
  test::on_all_instruction_sets([&] {
    CHECK(scale_of(scale_rule::ideal, 0x1.98p+2F) == 0x38);  // over 6: between 1 and 9 / 8
    CHECK(scale_of(scale_rule::ideal, 0x1.980002p+2F) == 0x39);
    CHECK(scale_of(scale_rule::ideal, 0x1.f8p+3F) == 0x42);  // 63 / 4: between 5 / 2 and 11 / 4
    CHECK(scale_of(scale_rule::ideal, 0x1.f80002p+3F) == 0x43);
    CHECK(scale_of(scale_rule::static_four, 21.0F) == 0x4A);  // over 4: between 5 and 11 / 2
    CHECK(scale_of(scale_rule::static_four, 0x1.500002p+4F) == 0x4B);
    CHECK(scale_of(scale_rule::rceil, 0x1.f8p+3F) == 0x43);
    CHECK(scale_of(scale_rule::floor6, 0x1.f8p+3F) == 0x42);
  });
}

// ---- as close to a bound as it gets -------------------------------------------------------------

/// The x with odd * x = 1 modulo 2^24; each step doubles the number of correct bits.
std::uint64_t inverse(std::uint64_t odd) {
  std::uint64_t x = odd;
  for (int step = 0; step < 5; ++step) x *= 2 - odd * x;
  return x & 0xFFFFFF;
}

struct close_call {
  float tensor = 0;  ///< a significand of 24 bits
  float near = 0;    ///< bound * scale * tensor, except for one unit of its last bit
};

/// bound * factor * tensor is a multiple of what FP32 represents, except for one unit in the last
/// of all its bits.
///   bound, factor  odd
close_call close_to(std::uint64_t bound, std::uint64_t factor, bool above) {
  const std::uint64_t inverted = inverse(bound * factor);
  const std::uint64_t t = above ? (std::uint64_t{1} << 24) - inverted : inverted;
  if (t < std::uint64_t{1} << 23) return {};
  const std::uint64_t product = bound * factor * t;
  const std::uint64_t nearest = above ? product + 1 : product - 1;
  return {static_cast<float>(t), static_cast<float>(nearest)};
}

TEST_CASE("one_unit_beside_a_bound_of_the_elements_is_on_its_side") {
  std::mt19937 random(3);
  for (const mx::format& element : elements) {
    const block_format f =
        format_of(element, mx::formats::e8m(8), 256, mx::tensor_scaling::per_row);
    for (const rounding how : roundings) {
      const quantization q{f, scale_rule::ideal, how, byte_source};
      floats x, tensor_scales;
      while (tensor_scales.size() < 64) {
        const std::uint64_t row = tensor_scales.size();
        const auto place = static_cast<std::uint64_t>(random() % 255 + 1);
        const std::uint64_t drawn = mx::random_bits_of(byte_source, row * 256 + place);
        const std::uint64_t whole = (std::uint64_t{1} << element.fraction_bits) +
                                    random() % (std::uint64_t{1} << element.fraction_bits);
        const std::uint64_t bound =
            how == rounding::stochastic ? 256 * whole + 256 - drawn : 2 * whole + 1;
        const std::uint64_t factor = 257 + random() % 128 * 2;
        const close_call call = close_to(bound, factor, random() % 2 == 0);
        if (bound % 2 == 0 || call.tensor == 0) continue;
        // The bound's last place is 2^-places of the element's unit at exponent 0.
        const int places = (how == rounding::stochastic ? 8 : 1) + element.fraction_bits;
        const double scale = static_cast<double>(factor) * static_cast<double>(call.tensor);
        tensor_scales.push_back(call.tensor);
        x.resize(x.size() + 256, 0.0F);
        float* block = x.data() + row * 256;
        block[0] = static_cast<float>(value_of(mx::largest_of(element)) * scale * 0x1p-8);
        block[place] = std::ldexp(call.near, -places - 8);
      }
      INFO("element " << element.exponent_bits << "/" << element.fraction_bits << " rounding "
                      << static_cast<int>(how));
      compare(q, x, 256, tensor_scales);
    }
  }
}

TEST_CASE("one_unit_beside_a_tie_of_the_scales_is_on_its_side") {
  std::mt19937 random(4);
  for (const int fraction : {3, 5, 8}) {
    for (const scale_rule rule : {scale_rule::ideal, scale_rule::rceil, scale_rule::floor6}) {
      const block_format f =
          format_of(mx::formats::int8, mx::formats::e8m(fraction), 16, mx::tensor_scaling::per_row);
      floats x, tensor_scales;
      while (tensor_scales.size() < 64) {
        const std::uint64_t whole =
            (std::uint64_t{1} << fraction) + random() % (std::uint64_t{1} << fraction);
        const std::uint64_t bound = rule == scale_rule::ideal ? 2 * whole + 1 : whole | 1;
        const close_call call = close_to(bound, 127, random() % 2 == 0);
        if (call.tensor == 0) continue;
        tensor_scales.push_back(call.tensor);
        x.resize(x.size() + 16, 0.0F);
        x[x.size() - 7] = call.near;
      }
      compare({f, rule}, x, 16, tensor_scales);
    }
  }
}

// ---- blocks left to the core --------------------------------------------------------------------

/// Blocks of all kinds beside each other: usual ones, zeros, subnormals, tiny and huge ones, NaN,
/// Inf.
floats mixed_blocks(std::uint64_t blocks, std::uint64_t size, std::uint32_t seed) {
  std::mt19937 random(seed);
  floats x(blocks * size);
  for (std::uint64_t b = 0; b < blocks; ++b) {
    const auto kind = random() % 8;
    for (std::uint64_t k = 0; k < size; ++k) {
      const auto word = static_cast<std::uint32_t>(random());
      const std::uint32_t sign = word & 0x80000000, fraction = word & 0x007FFFFF;
      const std::uint32_t field = kind == 0   ? 0
                                  : kind == 1 ? (k == 0 ? 1 : 0)
                                  : kind == 2 ? 1 + random() % 24
                                  : kind == 3 ? 254 - random() % 3
                                              : 120 + random() % 8;
      std::uint32_t bits = sign | field << 23 | fraction;
      if (kind == 4) bits = sign;
      if (kind == 5 && k == size / 2) bits = sign | 0x7F800000 | (random() % 2 == 0 ? 0 : fraction);
      x[b * size + k] = mx::float_of(bits);
    }
  }
  return x;
}

void compare_mixed(std::uint64_t blocks, const floats& tensors) {
  std::uint32_t seed = 0;
  for (const mx::format& scale : {mx::formats::ue4m3, mx::formats::e8m(8), mx::formats::binary32}) {
    for (const mx::format& element : elements) {
      for (const float tensor : tensors) {
        const bool wide = scale == mx::formats::binary32;
        const block_format f =
            format_of(element, scale, 16, wide ? mx::tensor_scaling::none : per_tensor);
        for (const scale_rule rule : {scale_rule::ideal, scale_rule::rceil, scale_rule::floor6}) {
          for (const rounding how : {rounding::ties_to_even, rounding::stochastic}) {
            const floats x = mixed_blocks(blocks, 16, ++seed);
            INFO(seed << ": tensor scale " << tensor);
            compare({f, rule, how, byte_source}, x, x.size(), wide ? floats{} : floats{tensor});
          }
        }
      }
    }
  }
}

TEST_CASE("zeros_subnormals_infinities_and_nans_among_usual_blocks_equal_the_core") {
  compare_mixed(150, {1.0F, 0x1.3p-120F, 0x1p-140F, 0x1.fffffep127F, -0x1.5p-30F, 0x1.7p100F});
}

TEST_CASE("parts_of_any_number_of_blocks_equal_the_core") {
  for (std::uint64_t blocks = 1; blocks < 68; ++blocks) {
    const floats x = mixed_blocks(blocks, 16, static_cast<std::uint32_t>(blocks));
    compare({mx::block_formats::nvfp4, scale_rule::ideal}, x, x.size(), {0x1.5p-3F});
  }
}

TEST_CASE("a_host_that_flushes_subnormals_to_zero_gets_the_same_bits") {
  tests::in_a_flushing_host([] { compare_mixed(60, {1.0F, 0x1.3p-120F, 0x1p-140F}); });
}

}  // namespace
