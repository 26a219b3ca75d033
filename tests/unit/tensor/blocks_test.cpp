// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/blocks_test.cpp: mx/tensor/blocks.h. Whole tensors against the core, block by
// block and bit for bit, on every instruction set of this machine.
#include "mx/tensor/blocks.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "bulk_against_core.h"
#include "catch.h"
#include "mx/block/names.h"

namespace {

using mx::block_format;
using mx::blocked_shape;
using mx::code_packing;
using mx::number_type;
using mx::quantization;
using mx::rounding;
using mx::scale_rule;
using tests::bytes;
using tests::compare;
using tests::element_formats;
using tests::tensor_of;

constexpr rounding roundings[] = {rounding::ties_to_even, rounding::ties_away,
                                  rounding::toward_zero, rounding::ties_toward_zero,
                                  rounding::stochastic};

/// Calls work(q) for each valid rule and rounding of a format.
template <class Work>
void for_rules_and_roundings(const block_format& f, const Work& work) {
  for (const auto& rule : mx::scale_rule_table) {
    for (const rounding how : roundings) {
      const quantization q{f, rule.value, how, {0x123456789ABCDEF0, 8, mx::byte_map::ptx}};
      if (mx::refusal_of(q) == mx::refusal::none) work(q);
    }
  }
}

TEST_CASE("every_element_format_rule_and_rounding_equals_the_core_under_e8m0") {
  std::uint32_t seed = 0;
  for (const mx::format& element : element_formats) {
    for_rules_and_roundings(
        {element}, [&](const quantization& q) { compare(q, {.length = 32 * 50}, ++seed); });
  }
}

constexpr number_type number_types[] = {number_type::fp32, number_type::fp16, number_type::bf16};

TEST_CASE("numbers_of_16_bits_equal_the_core_in_every_element_format") {
  std::uint32_t seed = 9000;
  for (const mx::format& element : element_formats) {
    for (const rounding how : {rounding::ties_to_even, rounding::ties_away, rounding::stochastic}) {
      for (const number_type type : {number_type::fp16, number_type::bf16}) {
        const quantization q{{element}, scale_rule::floor, how, {0x123456789ABCDEF0, 8}};
        if (mx::refusal_of(q) == mx::refusal::none) compare(q, {.length = 32 * 150}, ++seed, type);
      }
    }
  }
}

TEST_CASE("plain_mxfp4_blocks_equal_the_core_at_any_number_and_place") {
  for (std::uint32_t blocks = 1; blocks < 70; ++blocks) {
    for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::midmax}) {
      for (const number_type type : number_types) {
        compare({mx::block_formats::mxfp4, rule}, {.length = 32 * blocks}, blocks, type);
      }
    }
  }
}

TEST_CASE("mxfp4_blocks_rounded_with_any_random_bits_equal_the_core") {
  std::uint32_t seed = 500;
  for (int bits = 1; bits <= 9; ++bits) {
    for (const mx::byte_map map : {mx::byte_map::ptx, mx::byte_map::te_soft}) {
      for (const scale_rule rule : {scale_rule::floor, scale_rule::static_four}) {
        const mx::random_source drawn{seed * 0x9E3779B97F4A7C15, bits, map, seed % 3 * 0x7FFFFFFF,
                                      seed * 0x89ABCDEF};
        for (const std::uint64_t blocks : {1, 16, 49, 130}) {
          compare({mx::block_formats::mxfp4, rule, rounding::stochastic, drawn},
                  {.length = 32 * blocks}, ++seed);
        }
      }
    }
  }
}

TEST_CASE("one_block_that_takes_a_second_look_is_found_among_those_that_do_not") {
  constexpr std::uint64_t blocks = 3 * 64, at = 70;
  for (const std::uint32_t pattern : {0x7F800000U, 0xFF800000U, 0x7FC00000U, 0x7F7FFFFFU,
                                      0x00800000U, 0x007FFFFFU, 0x80000001U, 0x80000000U}) {
    std::vector<float> x(32 * blocks, 1.75F);
    std::fill_n(x.begin() + 32 * at, 32, 0.0F);
    x[32 * at + 5] = mx::float_of(pattern);
    bytes tensor(x.size() * sizeof(float));
    std::memcpy(tensor.data(), x.data(), tensor.size());
    for (const mx::format& element : element_formats) {
      for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil}) {
        tests::compare_tensor({{element}, rule}, {.length = x.size()}, tensor, number_type::fp32,
                              code_packing::packed);
      }
    }
  }
}

TEST_CASE("blocks_rounded_four_vectors_at_a_time_equal_the_core") {
  std::uint32_t seed = 6000;
  for (const mx::format& element : element_formats) {
    for (const int columns : {16, 32, 48, 64, 128}) {
      for (const scale_rule rule : {scale_rule::floor, scale_rule::rceil, scale_rule::floor6}) {
        block_format f{element};
        f.columns = columns;
        const std::uint64_t blocks = 2 * 64 + 3 * seed % 7;
        compare({f, rule}, {.length = static_cast<std::uint64_t>(columns) * blocks}, ++seed);
      }
    }
  }
}

TEST_CASE("scales_from_a_table_and_elements_beside_ties_equal_the_core") {
  std::uint32_t seed = 7000;
  for (const float tensor : {1.0F, 0x1p-9F, 0x1.234566p-9F, 0x1.fffffep-12F, 0x1p-100F, 0x1p100F}) {
    for (const number_type type : number_types) {
      const blocked_shape shape{.length = 16 * 300};
      const bytes x = tensor_of(shape.elements(), type, ++seed);
      for (const scale_rule rule : {scale_rule::ideal, scale_rule::static_four}) {
        tests::compare_under({mx::block_formats::nvfp4, rule}, shape, x, type, code_packing::packed,
                             {tensor});
      }
    }
  }
}

TEST_CASE("scales_that_are_exact_are_in_no_table") {
  mx::block_format exact = mx::block_formats::nvfp4;
  exact.precision = mx::scale_precision::exact;
  exact.tensor = mx::tensor_scaling::none;
  compare({exact, scale_rule::ideal}, {.rows = 4, .length = 16 * 100}, 91);
}

TEST_CASE("quotients_too_close_to_a_tie_are_decided_by_the_core") {
  std::uint32_t seed = 8000;
  for (const mx::format& element : {mx::formats::e4m3, mx::formats::e5m2, mx::formats::e2m3}) {
    block_format f = mx::block_formats::fp8_1x128;
    f.element = element;
    for (const number_type type : number_types) {
      compare({f, scale_rule::ideal}, {.length = 128 * 150}, ++seed, type);
      compare({f, scale_rule::rceil}, {.length = 128 * 150}, ++seed, type);
    }
  }
}

TEST_CASE("scales_with_fractions_and_tensor_scales_equal_the_core") {
  using namespace mx::block_formats;
  std::uint32_t seed = 1000;
  block_format by_row = nvfp4, wide = nvfp4, of_256 = nvfp4, exact = mxfp4, e8m5 = mxfp8_e4m3;
  by_row.tensor = mx::tensor_scaling::per_row;
  wide.scale = mx::formats::ue5m3;
  wide.element = mx::formats::int8;
  of_256.bound = mx::tensor_bound::of_256;
  exact.precision = mx::scale_precision::exact;
  e8m5.scale = mx::formats::e8m(5);
  block_format e8m12 = mxfp6_e2m3, e8m0_above = mxfp4;
  e8m12.scale = mx::formats::e8m(12);
  e8m0_above.tensor = mx::tensor_scaling::per_tensor;
  for (const block_format& f :
       {nvfp4, nvfp4_2d, fp8_1x128, by_row, wide, of_256, exact, e8m5, e8m12, e8m0_above}) {
    for_rules_and_roundings(
        f, [&](const quantization& q) { compare(q, {.rows = 5, .length = 3 * 16 * 8}, ++seed); });
  }
}

TEST_CASE("any_tensor_scale_that_is_given_has_the_bits_of_the_core") {
  block_format wide = mx::block_formats::nvfp4, above = wide;
  wide.scale = mx::formats::ue5m3;
  above.scale = mx::formats::e8m0;
  const blocked_shape shape{.rows = 3, .length = 16 * 9};
  const bytes x = tensor_of(shape.elements(), number_type::fp32, 77);
  for (const block_format& f : {mx::block_formats::nvfp4, wide, above}) {
    for (const std::uint32_t bits :
         {0x00000000U, 0x80000000U, 0x7F800000U, 0xFF800000U, 0x7FC00000U, 0xFFFFFFFFU, 0x7F800001U,
          0x00000001U, 0x80000001U, 0x00800000U, 0xBF800000U, 0xFF7FFFFFU, 0x7F7FFFFFU}) {
      for_rules_and_roundings(f, [&](const quantization& q) {
        tests::compare_under(q, shape, x, number_type::fp32, code_packing::packed,
                             {mx::float_of(bits)});
      });
    }
  }
}

TEST_CASE("shapes_that_do_not_divide_and_other_axes_equal_the_core") {
  const blocked_shape shapes[] = {{.length = 1},
                                  {.length = 31},
                                  {.outer = 3, .rows = 2, .length = 33},
                                  {.outer = 2, .length = 70, .inner = 3},
                                  {.outer = 2, .length = 64, .inner = 37},
                                  {.rows = 3, .length = 5, .inner = 100}};
  std::uint32_t seed = 2000;
  for (const blocked_shape& shape : shapes) {
    for (const int columns : {1, 5, 16, 32, 33}) {
      for (const number_type type : {number_type::fp32, number_type::fp16, number_type::bf16}) {
        for (const code_packing packing : {code_packing::packed, code_packing::unpacked}) {
          block_format f = mx::block_formats::mxfp4;
          f.columns = columns;
          compare({f, scale_rule::rceil}, shape, ++seed, type, packing);
          f.element = mx::formats::e4m3;
          compare({f, scale_rule::floor, rounding::stochastic, {5, 8}}, shape, ++seed, type,
                  packing);
        }
      }
    }
  }
}

TEST_CASE("tiles_reach_over_the_edges") {
  std::uint32_t seed = 3000;
  for (const int side : {4, 16, 32}) {
    const block_format f{mx::formats::e2m1, mx::formats::e8m0, side, side};
    for (const blocked_shape& shape :
         {blocked_shape{.outer = 2, .rows = 33, .length = 50},
          blocked_shape{.rows = 64, .length = 64}, blocked_shape{.rows = 1, .length = 1}}) {
      compare({f, scale_rule::even}, shape, ++seed);
      compare({f, scale_rule::even, rounding::stochastic}, shape, ++seed, number_type::bf16);
    }
  }
  compare({mx::block_formats::fp8_128x128, scale_rule::ideal}, {.rows = 130, .length = 140},
          ++seed);
}

TEST_CASE("stochastic_rounding_takes_the_bits_that_the_core_takes") {
  std::uint32_t seed = 4000;
  for (int bits = 1; bits <= 24; ++bits) {
    for (const mx::byte_map map : {mx::byte_map::ptx, mx::byte_map::te_soft}) {
      for (const int columns : {32, 7, 2000}) {
        block_format f = mx::block_formats::mxfp4;
        f.columns = columns;
        f.element = bits % 3 == 0 ? mx::formats::int8 : mx::formats::e2m1;
        compare(
            {f, scale_rule::floor, rounding::stochastic, {seed * 0x9E3779B97F4A7C15, bits, map}},
            {.rows = 3, .length = 2100}, ++seed);
      }
    }
  }
}

TEST_CASE("blocks_that_begin_inside_a_draw_take_its_last_bits_too") {
  mx::block_format f = mx::block_formats::mxfp4;
  f.columns = 1032;  // more than is drawn at once, and no multiple of the elements of a draw
  const blocked_shape shape{.length = std::uint64_t{5} * 1032};
  bytes x(shape.elements() * sizeof(float));
  for (std::uint32_t i = 0; i < shape.elements(); ++i) {
    const float some = static_cast<float>(i * 2654435761 >> 8) * 0x1p-24F;
    std::memcpy(x.data() + i * sizeof some, &some, sizeof some);
  }
  tests::compare_tensor({f, scale_rule::floor, rounding::stochastic, {7, 8}}, shape, x,
                        number_type::fp32, code_packing::packed);
}

TEST_CASE("large_tensors_are_written_past_the_caches_with_the_same_bits") {
  const blocked_shape shape{.length = std::uint64_t{1} << 23};
  compare({mx::block_formats::mxfp4, scale_rule::rceil}, shape, 5000);
  compare({mx::block_formats::mxfp4, scale_rule::rceil}, shape, 5005, number_type::bf16);
  compare({mx::block_formats::mxfp4, scale_rule::floor, rounding::stochastic}, shape, 5001);
  const blocked_shape least{.length = std::uint64_t{1} << 22};
  compare({mx::block_formats::mxfp8_e4m3, scale_rule::floor}, least, 5002);
  compare({mx::block_formats::nvfp4, scale_rule::ideal}, least, 5003);
}

/// Codes of consecutive pieces, each small enough for the caches.
bytes codes_of_pieces(const quantization& q, number_type type, const bytes& x,
                      std::uint64_t elements) {
  constexpr std::uint64_t piece = std::uint64_t{1} << 19;
  const float tensor_scale = 0x1p-3F;
  const std::uint64_t piece_bytes =
      mx::sizes_of(q.format, {.length = piece}, code_packing::packed).code_bytes;
  bytes codes(elements / piece * piece_bytes), scales(elements);
  for (std::uint64_t at = 0; at < elements; at += piece) {
    mx::quantize_tensor(q, type, x.data() + at * mx::bytes_of(type), {.length = piece},
                        {codes.data() + at / piece * piece_bytes, scales.data(), &tensor_scale});
  }
  return codes;
}

TEST_CASE("codes_past_the_caches_are_the_same_at_any_place") {
  constexpr std::uint64_t elements = std::uint64_t{1} << 22, line = 64;
  const float tensor_scale = 0x1p-3F;
  bytes space(elements + 2 * line), scales(elements);
  std::uint8_t* const first =
      space.data() + (line - reinterpret_cast<std::uintptr_t>(space.data()) % line);
  block_format wide = mx::block_formats::mxfp8_e4m3;
  wide.columns = 256;
  for (const number_type type : {number_type::fp32, number_type::bf16}) {
    const bytes x = tensor_of(elements, type, 5004);
    for (const quantization& q :
         {quantization{mx::block_formats::mxfp8_e4m3, scale_rule::floor},
          quantization{mx::block_formats::mxint8, scale_rule::floor},
          quantization{mx::block_formats::mxfp6_e3m2, scale_rule::rceil}, quantization{wide},
          quantization{mx::block_formats::mxfp4, scale_rule::floor},
          quantization{mx::block_formats::nvfp4, scale_rule::ideal},
          quantization{mx::block_formats::fp8_1x128, scale_rule::ideal}}) {
      for (const std::string& set : mx::instruction_sets()) {
        mx::use_instruction_set(set);
        const bytes expected = codes_of_pieces(q, type, x, elements);
        for (const std::uint64_t offset : {0, 1, 16, 32}) {
          INFO(q.format.columns << " of " << q.format.element.width() << " bits on " << set
                                << " at " << offset << ", type " << static_cast<int>(type));
          std::uint8_t* const codes = first + offset;
          mx::quantize_tensor(q, type, x.data(), {.length = elements},
                              {codes, scales.data(), &tensor_scale});
          const bool same = std::equal(expected.begin(), expected.end(), codes);
          CHECK(same);
        }
      }
    }
  }
  mx::use_instruction_set("");
}

TEST_CASE("empty_tensors_are_nothing") {
  for (const blocked_shape& shape :
       {blocked_shape{}, blocked_shape{.outer = 0, .length = 5},
        blocked_shape{.rows = 0, .length = 5}, blocked_shape{.length = 5, .inner = 0}}) {
    const quantization q{mx::block_formats::nvfp4, scale_rule::ideal};
    float scale = 0;
    mx::choose_tensor_scales(q.format, number_type::fp32, nullptr, shape, &scale);
    CHECK(scale == 1);
    CHECK(mx::quantize_tensor(q, number_type::fp32, nullptr, shape, {nullptr, nullptr, &scale}) ==
          0);
    mx::dequantize_tensor(q.format, {nullptr, nullptr, &scale}, shape, nullptr);
  }
}

TEST_CASE("what_makes_no_sense_is_refused") {
  const float x = 1;
  std::uint8_t codes[64], scales[4];
  const auto quantize = [&](const quantization& q, const blocked_shape& shape) {
    return mx::quantize_tensor(q, number_type::fp32, &x, shape, {codes, scales, &x});
  };
  block_format tile = mx::block_formats::nvfp4_2d;
  CHECK_THROWS_AS(quantize({tile, scale_rule::ideal}, {.length = 1, .inner = 2}),
                  std::invalid_argument);
  tile.tensor = mx::tensor_scaling::per_row;
  CHECK_THROWS_AS(quantize({tile, scale_rule::ideal}, {.length = 1}), std::invalid_argument);
  CHECK_THROWS_AS(quantize({mx::block_formats::mxfp8_e4m3, scale_rule::static_four}, {.length = 1}),
                  std::invalid_argument);
}

TEST_CASE("whoever_watches_is_told_of_every_block_and_may_stop") {
  const blocked_shape shape{.length = 32 * 20000};
  const bytes x = tensor_of(shape.elements(), number_type::fp32, 1);
  const quantization q{mx::block_formats::mxfp4};
  bytes codes(16 * 20000), scales(20000);
  std::atomic<std::uint64_t> done{0};
  mx::quantize_tensor(q, number_type::fp32, x.data(), shape, {codes.data(), scales.data()},
                      [&](std::uint64_t blocks) { done += blocks; });
  CHECK(done == 20000);
  const auto stop = [](std::uint64_t) { throw std::runtime_error("stopped"); };
  CHECK_THROWS_AS(mx::quantize_tensor(q, number_type::fp32, x.data(), shape,
                                      {codes.data(), scales.data()}, stop),
                  std::runtime_error);
}

}  // namespace
