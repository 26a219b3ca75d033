// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/corrected_test.cpp: mx/tensor/corrected.h equals the core on every vector.
#include "mx/tensor/corrected.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>
#include <cstring>
#include <random>
#include <stdexcept>

#include "bulk_against_core.h"
#include "catch.h"
#include "instruction_sets.h"
#include "mx/block/energy_terms.h"
#include "mx/tensor/ieee_arithmetic.h"
#include "unit/host_arithmetic.h"

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

/// Vector v of a tensor, padded.
std::vector<float> gathered(const quantization& q, const corrections& c,
                            const std::vector<float>& all, const blocked_shape& shape,
                            std::uint64_t v) {
  std::vector<float> x(padded_shape(q, c, shape).length);
  const std::uint64_t line = v / shape.inner, i = v % shape.inner;
  for (std::uint64_t a = 0; a < shape.length; ++a) {
    x[a] = all[(line * shape.length + a) * shape.inner + i];
  }
  return x;
}

/// The tensor scale of each vector, computed from the rotated values that are quantized.
std::vector<float> tensor_scales_of_vectors(const quantization& q, const corrections& c,
                                            const std::vector<float>& all,
                                            const blocked_shape& shape) {
  std::vector<float> amax(shape.outer * shape.rows * shape.inner);
  for (std::uint64_t v = 0; v < amax.size(); ++v) {
    std::vector<float> x = gathered(q, c, all, shape, v);
    rotate(c.rotation, x.data(), static_cast<int>(x.size()));
    for (const float value : x) amax[v] = std::max(amax[v], std::fabs(value));
  }
  if (q.format.tensor == tensor_scaling::per_tensor) {
    std::fill(amax.begin(), amax.end(), *std::max_element(amax.begin(), amax.end()));
  }
  for (float& scale : amax) scale = tensor_scale_of(q.format, unpack(scale));
  return amax;
}

/// One vector of a tensor through the core, as the bulk function gathers it.
struct core_vector {
  std::vector<float> x, values, scratch;
  std::vector<std::uint8_t> codes, residual_codes;
  std::vector<std::uint32_t> scales, residual_scales;
  std::vector<std::uint16_t> factors, residual_factors;
  line_counts counts;

  core_vector(const quantization& q, const corrections& c, const std::vector<float>& all,
              const blocked_shape& shape, std::uint64_t v, const unpacked& tensor)
      : x(gathered(q, c, all, shape, v)),
        values(x.size()),
        scratch(x.size()),
        codes(x.size()),
        residual_codes(x.size()),
        scales(x.size() / static_cast<std::size_t>(q.format.columns)),
        residual_scales(scales.size()),
        factors(x.size()),
        residual_factors(x.size()) {
    const block_numbers numbers{v / shape.inner * scales.size() * shape.inner + v % shape.inner,
                                shape.inner};
    const mx::ieee_arithmetic arithmetic;  // the core computes in its caller's
    const mx::coded_passes passes{
        {codes.data(), scales.data(), factors.data()},
        {residual_codes.data(), residual_scales.data(), residual_factors.data()}};
    counts = quantize_line(q, c, x.data(), {static_cast<int>(x.size()), tensor, numbers}, passes,
                           values.data(), scratch.data());
  }
};

/// Scale number `at` of a pass, its bytes from the lowest up.
std::uint32_t scale_at(const coded_pass& pass, std::uint64_t at, std::uint64_t bytes) {
  std::uint32_t scale = 0;
  for (std::uint64_t k = 0; k < bytes; ++k) {
    scale |= std::uint32_t{pass.scales[at * bytes + k]} << (8 * k);
  }
  return scale;
}

/// Entries of one pass that differ from the core's.
///   at  index of entry k of this vector, in an array with `extent` entries along the axis
template <class At>
std::uint64_t differences(const coded_pass& pass, const std::vector<std::uint8_t>& codes,
                          const std::vector<std::uint32_t>& scales,
                          const std::vector<std::uint16_t>& factors, std::uint64_t macros,
                          const At& at) {
  const std::uint64_t bytes = pass.scales.size() * codes.size() / pass.codes.size() / scales.size();
  std::uint64_t wrong = 0;
  for (std::uint64_t k = 0; k < codes.size(); ++k) {
    wrong += pass.codes[at(codes.size(), k)] != codes[k] ? 1 : 0;
  }
  for (std::uint64_t b = 0; b < scales.size(); ++b) {
    wrong += scale_at(pass, at(scales.size(), b), bytes) != scales[b] ? 1 : 0;
  }
  for (std::uint64_t m = 0; m < macros; ++m) {
    wrong += pass.macro_fractions[at(macros, m)] != factors[m] ? 1 : 0;
  }
  return wrong;
}

/// Compares everything stored for a tensor, and the dequantized values.
void expect_core_here(const quantization& q, const corrections& c, const blocked_shape& shape,
                      const std::vector<float>& x) {
  const std::vector<float> above = tensor_scales_of_vectors(q, c, x, shape);
  std::vector<float> values(x.size()), decoded(x.size());
  std::atomic<std::uint64_t> reported{0};
  const corrected_tensor coded =
      quantize_corrected(q, c, number_type::fp32, x.data(), shape, code_packing::unpacked,
                         values.data(), [&](std::uint64_t blocks) { reported += blocks; });
  const std::uint64_t macros = macro_blocks_along(c, coded.shape);
  const std::uint64_t vectors = shape.outer * shape.rows * shape.inner;
  std::uint64_t fallen = 0, wrong = 0;
  for (std::uint64_t v = 0; v < vectors; ++v) {
    const core_vector want(q, c, x, shape, v,
                           q.format.has_tensor_scale() ? unpack(above[v]) : no_tensor_scale);
    fallen += static_cast<std::uint64_t>(want.counts.fallen_back);
    const auto at = [&](std::uint64_t extent, std::uint64_t k) {
      return (v / shape.inner * extent + k) * shape.inner + v % shape.inner;
    };
    wrong += differences(coded.first, want.codes, want.scales, want.factors, macros, at);
    if (c.has_residual()) {
      wrong += differences(coded.residual, want.residual_codes, want.residual_scales,
                           want.residual_factors, macros, at);
    }
    for (std::uint64_t a = 0; a < shape.length; ++a) {
      wrong += bits_of(values[at(shape.length, a)]) != bits_of(want.values[a]) ? 1 : 0;
    }
  }
  CHECK(wrong == 0);
  std::uint64_t spans = 0;
  for (std::uint64_t begin = 0; c.macro_block > 0 && begin < coded.shape.length; ++spans) {
    begin += static_cast<std::uint64_t>(c.macro_block);
  }
  CHECK(coded.first.macro_fractions.size() == vectors * spans);
  CHECK(coded.fallen_back == fallen);
  CHECK(reported == vectors * coded.shape.length / static_cast<std::uint64_t>(q.format.columns));
  dequantize_corrected(q, c, coded, shape, decoded.data());
  CHECK(std::memcmp(decoded.data(), values.data(), values.size() * sizeof(float)) == 0);
}

/// The same on every instruction set.
void expect_core(const quantization& q, const corrections& c, const blocked_shape& shape,
                 const std::vector<float>& x) {
  REQUIRE(refusal_of(q, c) == correction_refusal::none);
  test::on_all_instruction_sets([&] { expect_core_here(q, c, shape, x); });
}
void expect_core(const quantization& q, const corrections& c, const blocked_shape& shape) {
  expect_core(q, c, shape, mixed_values(shape.elements(), 1));
}

/// Blocks of every kind: on and beside ties, subnormal, huge, zeros, some with a NaN or an Inf.
std::vector<float> hard_values(std::uint64_t count, std::uint32_t seed) {
  const tests::bytes bytes = tests::tensor_of(count, number_type::fp32, seed);
  std::vector<float> x(count);
  std::memcpy(x.data(), bytes.data(), bytes.size());
  return x;
}

/// Under its factor, at most one unit of FP32 beside a tie of the elements: a multiple of 1 / 8 of
/// the scale over the factor.
std::vector<float> values_at_ties(const quantization& q, const corrections& c, std::uint64_t count,
                                  unsigned seed) {
  std::mt19937 draw(seed);
  std::vector<float> x(count);
  const auto span = static_cast<std::uint64_t>(c.macro_block);
  const auto columns = static_cast<std::uint64_t>(q.format.columns);
  for (std::uint64_t begin = 0; begin < count; begin += columns) {
    if (begin % span == 0) {
      x[begin] = std::ldexp(static_cast<float>(draw() | 0x80000000U), -32);
    } else {
      x[begin] = x[begin - begin % span] / static_cast<float>(1 << draw() % 3);
    }
    const unpacked amax = unpack(x[begin - begin % span]);
    const macro_factor factor = macro_factor_of(q.format.element, amax, c.macro_bits);
    const std::uint32_t code =
        scale_code_of(q.format, q.rule, factor.times(unpack(x[begin])), no_tensor_scale);
    const double unit = exact_binary64(ratio_of(q.format, code, no_tensor_scale).numerator) /
                        exact_binary64(factor.times(unpacked::positive(1, 0)));
    for (std::uint64_t k = begin + 1; k < begin + columns; ++k) {
      const float near = static_cast<float>(unit * static_cast<double>(draw() % 64) / 8);
      const float beside = float_of(bits_of(near) + draw() % 3 - 1);
      if (beside < x[begin]) x[k] = draw() % 2 == 0 ? beside : -beside;
    }
  }
  return x;
}

TEST_CASE("a_factor_that_its_bits_cannot_say_is_found_by_its_number") {
  mx::corrections c;
  c.macro_block = 128, c.macro_bits = 4;
  mx::coded_pass pass;
  pass.macro_fractions = mx::fractions_in(c, std::vector<std::uint8_t>{0, 15, 16, 200});
  CHECK(pass.macro_fractions == std::vector<std::uint16_t>{0, 15, 16, 200});
  CHECK(mx::impossible_factor(c, pass.macro_fractions) == 2);
  pass.macro_fractions.resize(2);
  CHECK(!mx::impossible_factor(c, pass.macro_fractions));
  c.macro_bits = 12;
  pass.macro_fractions = mx::fractions_in(c, std::vector<std::uint8_t>{0xFF, 0x0F, 0x00, 0x10});
  CHECK(pass.macro_fractions == std::vector<std::uint16_t>{0x0FFF, 0x1000});
  CHECK(mx::impossible_factor(c, pass.macro_fractions) == 1);
  c.macro_bits = 16;
  CHECK(!mx::impossible_factor(c, pass.macro_fractions));
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

TEST_CASE("bulk_corrections_equal_the_core_across_the_shares_of_threads") {
  // A share has some 65536 elements: these are five, and four if the vectors are divided
  // differently.
  expect_core({block_formats::mxfp4}, everything(), {1, 1001, 320, 1});
  expect_core({block_formats::mxfp4}, everything(), {2, 1, 70, 1500});
}

TEST_CASE("bulk_corrections_under_tensor_scales_and_long_scales_equal_the_core") {
  corrections c = everything();
  c.macro_block = 0;  // whose factors need scales without a tensor scale
  quantization q{block_formats::nvfp4, scale_rule::ideal};
  for (const tensor_scaling above : {tensor_scaling::per_tensor, tensor_scaling::per_row}) {
    q.format.tensor = above;
    expect_core(q, c, {3, 2, 90, 1});
    expect_core(q, c, {2, 1, 64, 5});
  }
  for (const format& scale : {formats::e8m(5), formats::e8m(16), formats::binary32}) {
    expect_core({{formats::e4m3, scale, 1, 32}, scale_rule::ideal}, everything(), {2, 3, 100, 3});
  }
}

namespace {

void expect_core_on_hard_values() {
  std::uint32_t seed = 0;
  for (const auto& element : element_format_table) {
    for (const format& scale : {formats::e8m0, formats::ue4m3, formats::binary32}) {
      for (const rounding how : {rounding::ties_to_even, rounding::ties_away, rounding::toward_zero,
                                 rounding::stochastic}) {
        quantization q{{element.value, scale, 1, 32}, scale_rule::rceil, how, {9, 8}};
        if (refusal_of(q) != refusal::none) continue;
        corrections c;
        c.macro_block = 64, c.macro_bits = 1 + static_cast<int>(seed % 16);
        c.gain = seed % 3 == 0 ? pre_gain::one : pre_gain::sixteen_seventeenths;
        if (seed % 4 == 1) c.fallback = fallback_mode::all;
        if (seed % 5 == 1) c.macro_block = 0;
        if (seed % 7 == 1) q.random.bits = 24;
        INFO(element.name << ", seed " << seed);
        expect_core(q, c, {.rows = 3, .length = 256}, hard_values(768, ++seed));
      }
    }
  }
}

}  // namespace

TEST_CASE("hard_values_of_every_format_under_factors_and_gains_equal_the_core") {
  expect_core_on_hard_values();
}

TEST_CASE("corrections_in_a_host_that_flushes_subnormals_to_zero_equal_the_core") {
  tests::in_a_flushing_host([] { expect_core_on_hard_values(); });
}

TEST_CASE("elements_at_and_beside_their_random_bits_equal_the_core") {
  // Of E4M3, under a scale of 1 and a factor of 1: between 1 and 9/8, as far from 1 as the random
  // bits take to round up, or a unit less.
  std::mt19937 draw(8);
  corrections c;
  c.macro_block = 64;
  for (const int bits : {4, 8, 12, 16, 20}) {
    const quantization q{
        block_formats::mxfp8_e4m3, scale_rule::rceil, rounding::stochastic, {9, bits}};
    std::vector<float> x(4096);
    for (std::uint64_t i = 0; i < x.size(); ++i) {
      const std::uint64_t drawn = random_bits_of(q.random, i), all = std::uint64_t{1} << bits;
      const std::uint64_t part = std::min(all - drawn - draw() % 2, all - 1);
      x[i] = i % 32 == 0 ? 448.0F : std::ldexp(static_cast<float>(8 * all + part), -bits - 3);
    }
    expect_core(q, c, {.length = x.size()}, x);
  }
}

TEST_CASE("elements_at_and_beside_ties_under_factors_equal_the_core") {
  unsigned seed = 0;
  for (const int bits : {1, 4, 8, 16}) {
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::ideal}) {
      for (const format& scale : {formats::e8m0, formats::e8m(8)}) {
        for (const format& element : {formats::e2m1, formats::e4m3}) {
          corrections c;
          c.macro_block = 128, c.macro_bits = bits;
          const quantization q{{element, scale, 1, 32}, rule};
          expect_core(q, c, {.length = 8192}, values_at_ties(q, c, 8192, ++seed));
        }
      }
    }
  }
}

TEST_CASE("granules_are_counted_over_the_padded_axis") {
  corrections c;
  c.fallback = fallback_mode::all;
  const std::vector<float> x = mixed_values(std::uint64_t{6} * 130, 4);
  const auto counted = [&](const corrections& asked) {
    return quantize_corrected({block_formats::mxfp4}, asked, number_type::fp32, x.data(),
                              {.outer = 2, .rows = 3, .length = 130}, code_packing::packed);
  };
  CHECK(counted(c).granules == 6 * 5);
  CHECK(counted(c).fallen_back == 6 * 5);
  c.granule = 96;
  CHECK(counted(c).granules == 6 * 2);
  c.fallback = fallback_mode::none;
  CHECK(counted(c).granules == 0);
}

TEST_CASE("packed_codes_of_corrections_are_the_unpacked_ones_in_pairs") {
  const quantization q{block_formats::mxfp4};
  for (const std::uint64_t inner : {1U, 2U}) {
    const blocked_shape shape{3, 1, 70, inner};
    const std::vector<float> x = mixed_values(shape.elements(), 2);
    const auto coded = [&](code_packing packing) {
      return quantize_corrected(q, everything(), number_type::fp32, x.data(), shape, packing);
    };
    const corrected_tensor apart = coded(code_packing::unpacked),
                           packed = coded(code_packing::packed);
    std::uint64_t wrong = 0;
    for (std::uint64_t o = 0; o < 3; ++o) {
      for (std::uint64_t k = 0; k < 96; ++k) {
        for (std::uint64_t i = 0; i < inner; ++i) {
          const unsigned byte = packed.first.codes[(o * 48 + k / 2) * inner + i];
          const unsigned code = k % 2 == 1 ? byte >> 4 : byte & 15U;
          wrong += code != apart.first.codes[(o * 96 + k) * inner + i] ? 1 : 0;
        }
      }
    }
    CHECK(wrong == 0);
    CHECK(packed.first.scales == apart.first.scales);
    std::vector<float> from_packed(x.size()), from_apart(x.size());
    dequantize_corrected(q, everything(), packed, shape, from_packed.data());
    dequantize_corrected(q, everything(), apart, shape, from_apart.data());
    CHECK(std::memcmp(from_packed.data(), from_apart.data(), x.size() * sizeof(float)) == 0);
  }
}

TEST_CASE("threads_change_no_bit_of_corrections") {
  const quantization q{block_formats::mxfp4};
  const blocked_shape shape{1000, 1, 320, 1};  // more than one share
  const std::vector<float> x = mixed_values(shape.elements(), 3);
  const auto coded = [&](std::size_t threads) {
    const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
    return quantize_corrected(q, everything(), number_type::fp32, x.data(), shape,
                              code_packing::packed);
  };
  const corrected_tensor one = coded(1);
  for (const std::size_t threads : {2U, 3U, 8U}) {
    const corrected_tensor more = coded(threads);
    CHECK(one.first.codes == more.first.codes);
    CHECK(one.first.scales == more.first.scales);
    CHECK(one.residual.codes == more.residual.codes);
    CHECK(one.fallen_back == more.fallen_back);
  }
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
