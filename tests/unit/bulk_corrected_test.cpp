// SPDX-License-Identifier: Apache-2.0
#include "mx/bulk_corrected.h"

#include <tbb/global_control.h>

#include <array>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "catch.h"

namespace {

using namespace mx;

std::vector<float> mixed_values(std::uint64_t count, unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<float> x(count);
  for (float& value : x) {
    const auto spread = static_cast<int>(draw() % 7) - 3;
    value = std::ldexp(static_cast<float>(static_cast<std::int32_t>(draw())) * 0x1p-31F, spread);
  }
  return x;
}

corrections everything() {
  corrections c;
  c.rotation = {32, rotation_signs::random, 5};
  c.gain = pre_gain::sixteen_seventeenths;
  c.macro_block = 64;
  c.macro_bits = 6;
  c.fallback = fallback_mode::selective;
  c.score = fallback_score::crest;
  c.threshold = 2.2F;
  return c;
}

/// One vector of a tensor through the core, as the bulk function gathers it.
struct core_vector {
  std::vector<float> x, values, scratch;
  std::vector<std::uint8_t> codes, residual_codes;
  std::vector<std::uint32_t> scales, residual_scales;
  std::vector<std::uint16_t> factors, residual_factors;
  line_counts counts;

  core_vector(const quantization& q, const corrections& c, const std::vector<float>& all,
              const blocked_shape& shape, std::uint64_t v)
      : x(padded_shape(q, c, shape).length),
        values(x.size()),
        scratch(x.size()),
        codes(x.size()),
        residual_codes(x.size()),
        scales(x.size() / static_cast<std::size_t>(q.format.columns)),
        residual_scales(scales.size()),
        factors(x.size()),
        residual_factors(x.size()) {
    const std::uint64_t line = v / shape.inner, i = v % shape.inner;
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      x[a] = all[(line * shape.length + a) * shape.inner + i];
    }
    const block_numbers numbers{line * scales.size() * shape.inner + i, shape.inner};
    counts = quantize_line(q, c, x.data(), static_cast<int>(x.size()), no_tensor_scale, numbers,
                           {codes.data(), scales.data(), factors.data()},
                           {residual_codes.data(), residual_scales.data(), residual_factors.data()},
                           values.data(), scratch.data());
  }
};

void expect_core(const quantization& q, const corrections& c, const blocked_shape& shape) {
  const std::vector<float> x = mixed_values(shape.elements(), 1);
  std::vector<float> values(x.size()), decoded(x.size());
  const corrected_tensor coded = quantize_corrected(q, c, number_type::fp32, x.data(), shape,
                                                    code_packing::unpacked, values.data());
  const std::uint64_t length = coded.shape.length, blocks = length / 32;
  const std::uint64_t macros = macro_blocks_along(c, coded.shape);
  std::uint64_t fallen = 0, wrong = 0;
  for (std::uint64_t v = 0; v < shape.outer * shape.rows * shape.inner; ++v) {
    const core_vector want(q, c, x, shape, v);
    fallen += static_cast<std::uint64_t>(want.counts.fallen_back);
    const auto at = [&](std::uint64_t extent, std::uint64_t k) {
      return (v / shape.inner * extent + k) * shape.inner + v % shape.inner;
    };
    for (std::uint64_t k = 0; k < length; ++k) {
      wrong += coded.first.codes[at(length, k)] != want.codes[k] ? 1 : 0;
      if (c.has_residual()) {
        wrong += coded.residual.codes[at(length, k)] != want.residual_codes[k] ? 1 : 0;
      }
    }
    for (std::uint64_t b = 0; b < blocks; ++b) {
      wrong += coded.first.scales[at(blocks, b)] != want.scales[b] ? 1 : 0;
    }
    for (std::uint64_t m = 0; m < macros; ++m) {
      wrong += coded.first.macro_fractions[at(macros, m)] != want.factors[m] ? 1 : 0;
    }
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      wrong += bits_of(values[at(shape.length, a)]) != bits_of(want.values[a]) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  CHECK(coded.fallen_back == fallen);
  dequantize_corrected(q, c, coded, shape, decoded.data());
  CHECK(std::memcmp(decoded.data(), values.data(), values.size() * sizeof(float)) == 0);
}

}  // namespace

TEST_CASE("bulk_corrections_equal_the_core_on_every_vector_of_every_axis") {
  quantization q{block_formats::mxfp4};
  for (const blocked_shape& shape :
       {blocked_shape{2, 1, 100, 3}, blocked_shape{1, 5, 64, 1}, blocked_shape{7, 1, 33, 1}}) {
    CAPTURE(shape.outer, shape.rows, shape.length, shape.inner);
    for (const rounding how : {rounding::ties_to_even, rounding::stochastic}) {
      q.rounding = how;
      expect_core(q, everything(), shape);
      corrections only_macro;
      only_macro.macro_block = 32;
      expect_core(q, only_macro, shape);
    }
  }
}

TEST_CASE("packed_codes_of_corrections_are_the_unpacked_ones_in_pairs") {
  const quantization q{block_formats::mxfp4};
  const blocked_shape shape{3, 1, 70, 2};
  const std::vector<float> x = mixed_values(shape.elements(), 2);
  const auto coded = [&](code_packing packing) {
    return quantize_corrected(q, everything(), number_type::fp32, x.data(), shape, packing);
  };
  const corrected_tensor apart = coded(code_packing::unpacked),
                         packed = coded(code_packing::packed);
  std::uint64_t wrong = 0;
  for (std::uint64_t o = 0; o < 3; ++o) {
    for (std::uint64_t k = 0; k < 96; ++k) {
      for (std::uint64_t i = 0; i < 2; ++i) {
        const unsigned byte = packed.first.codes[(o * 48 + k / 2) * 2 + i];
        const unsigned code = k % 2 == 1 ? byte >> 4 : byte & 15U;
        wrong += code != apart.first.codes[(o * 96 + k) * 2 + i] ? 1 : 0;
      }
    }
  }
  CHECK(wrong == 0);
  CHECK(packed.first.scales == apart.first.scales);
}

TEST_CASE("threads_change_no_bit_of_corrections") {
  const quantization q{block_formats::mxfp4};
  const blocked_shape shape{64, 1, 320, 1};
  const std::vector<float> x = mixed_values(shape.elements(), 3);
  const auto coded = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return quantize_corrected(q, everything(), number_type::fp32, x.data(), shape,
                              code_packing::packed);
  };
  const corrected_tensor one = coded(1), two = coded(2);
  CHECK(one.first.codes == two.first.codes);
  CHECK(one.first.scales == two.first.scales);
  CHECK(one.residual.codes == two.residual.codes);
  CHECK(one.fallen_back == two.fallen_back);
}

TEST_CASE("narrow_input_is_widened_and_may_lie_anywhere") {
  const quantization q{block_formats::mxfp4};
  const blocked_shape shape{1, 1, 64, 1};
  std::vector<unsigned char> bytes(129);
  std::vector<float> x(64);
  for (std::size_t k = 0; k < 64; ++k) {
    const auto code = static_cast<std::uint16_t>(0x3F00 + 5 * k);
    std::memcpy(bytes.data() + 1 + 2 * k, &code, 2);
    x[k] = float_of(std::uint32_t{code} << 16);
  }
  const corrected_tensor narrow = quantize_corrected(q, everything(), number_type::bf16,
                                                     bytes.data() + 1, shape, code_packing::packed);
  const corrected_tensor wide =
      quantize_corrected(q, everything(), number_type::fp32, x.data(), shape, code_packing::packed);
  CHECK(narrow.first.codes == wide.first.codes);
  CHECK(narrow.first.macro_fractions == wide.first.macro_fractions);
}

TEST_CASE("special_blocks_are_counted_and_empty_tensors_are_empty") {
  const quantization q{block_formats::mxfp4};
  corrections c;
  c.fallback = fallback_mode::all;
  std::vector<float> x(96, 1.0F);
  x[40] = float_of(0x7F800000);
  const corrected_tensor coded =
      quantize_corrected(q, c, number_type::fp32, x.data(), {.length = 96}, code_packing::packed);
  CHECK(coded.special_blocks == 1);
  CHECK(coded.first.scales[1] == 255);
  const corrected_tensor none =
      quantize_corrected(q, c, number_type::fp32, nullptr, {.length = 0}, code_packing::packed);
  CHECK(none.first.codes.empty());
  CHECK(none.granules == 0);
}

TEST_CASE("corrections_that_are_refused_throw") {
  const std::array<float, 64> x{};
  corrections c;
  c.macro_block = 48;
  const auto run = [&](const quantization& q, const corrections& asked, std::uint64_t length) {
    return quantize_corrected(q, asked, number_type::fp32, x.data(), {.length = length},
                              code_packing::packed);
  };
  CHECK_THROWS_AS(run({block_formats::mxfp4}, c, 64), std::invalid_argument);
  c.macro_block = 64;
  CHECK_THROWS_AS(run({block_formats::mxfp4}, c, (std::uint64_t{1} << 30) + 1),
                  std::invalid_argument);
  CHECK_THROWS_AS(run({block_formats::nvfp4_2d}, c, 64), std::invalid_argument);
}
