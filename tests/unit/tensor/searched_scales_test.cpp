// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/searched_scales_test.cpp: mx/tensor/blocks.h. Scales that are chosen by the
// errors of the elements, with errors that are equal or almost: against the core, on every
// instruction set.
#include <cmath>
#include <random>
#include <vector>

#include "bulk_against_core.h"
#include "unit/host_arithmetic.h"

namespace {

using mx::block_format;
using mx::number_type;
using mx::quantization;
using mx::rounding;
using mx::scale_rule;
using tests::bytes;

constexpr scale_rule searches[] = {scale_rule::mse, scale_rule::four_over_six_mse,
                                   scale_rule::four_over_six_mae,
                                   scale_rule::four_over_six_abs_max};

std::vector<block_format> searched_formats() {
  std::vector<block_format> formats;
  for (const mx::format& element :
       {mx::formats::e2m1, mx::formats::e2m3, mx::formats::e3m2, mx::formats::e4m3,
        mx::formats::e5m2, mx::formats::int8, mx::formats::e4m3fnuz, mx::format{3, 1, 3}}) {
    formats.push_back({element, mx::formats::e8m0, 1, 32});
    for (const mx::format& scale :
         {mx::formats::ue4m3, mx::formats::e8m(8), mx::formats::binary16, mx::formats::binary32}) {
      formats.push_back({element, scale, 1, 16});
    }
    for (const mx::format& scale : {mx::formats::ue4m3, mx::formats::ue5m3}) {
      formats.push_back(
          {element, scale, 1, 16, mx::scale_precision::stored, mx::tensor_scaling::per_tensor});
    }
  }
  return formats;
}

/// Calls work(q) for each valid search of each format.
template <class Work>
void for_searches(const Work& work) {
  for (const block_format& f : searched_formats()) {
    for (const scale_rule rule : searches) {
      const quantization q{f, rule};
      if (mx::refusal_of(q) == mx::refusal::none) work(q);
    }
  }
}

bytes bytes_of(const std::vector<float>& x) {
  bytes result(x.size() * sizeof(float));
  std::memcpy(result.data(), x.data(), result.size());
  return result;
}

/// Codes and scales alone.
void compare_codes(const quantization& q, const mx::blocked_shape& shape, std::uint32_t seed) {
  const bytes x = tests::tensor_of(shape.elements(), number_type::fp32, seed);
  const auto packing = mx::code_packing::packed;
  std::vector<float> above(mx::sizes_of(q.format, shape, packing).tensor_scales);
  mx::choose_tensor_scales(q.format, number_type::fp32, x.data(), shape, above.data());
  const tests::coded_tensor expected =
      tests::quantized_by_core(q, number_type::fp32, x, shape, packing, above);
  test::on_all_instruction_sets([&] {
    bytes codes(expected.codes.size()), scales(expected.scales.size());
    mx::quantize_tensor(q, number_type::fp32, x.data(), shape,
                        {codes.data(), scales.data(), above.data(), packing});
    CHECK(codes == expected.codes);
    CHECK(scales == expected.scales);
  });
}

void compare_values(const quantization& q, const std::vector<float>& x,
                    const std::vector<float>& tensor_scales) {
  tests::compare_under(q, {.length = x.size()}, bytes_of(x), number_type::fp32,
                       mx::code_packing::packed, tensor_scales);
}

}  // namespace

TEST_CASE("searched_scales_of_hard_tensors_equal_the_core") {
  std::uint32_t seed = 0;
  for_searches([&](const quantization& q) {
    tests::compare(q, {.rows = 2, .length = 1500}, ++seed);
    tests::compare(q, {.length = 70, .inner = 5}, ++seed, number_type::bf16);
  });
}

TEST_CASE("a_host_that_flushes_subnormals_to_zero_gets_the_same_scales") {
  tests::in_a_flushing_host([] {
    std::uint32_t seed = 100;
    for_searches(
        [&](const quantization& q) { compare_codes(q, {.rows = 2, .length = 1500}, ++seed); });
  });
}

TEST_CASE("errors_that_are_equal_leave_the_scale_as_the_core_does") {
  // Multiples of a quarter, as many as a power of two has: the errors of elements of few bits are
  // few numbers, and so are their sums.
  std::mt19937 random(1);
  for_searches([&](const quantization& q) {
    std::vector<float> x(static_cast<std::size_t>(q.format.size()) * 500);
    for (std::size_t i = 0; i < x.size(); ++i) {
      const auto kind = i / static_cast<std::size_t>(q.format.size()) % 5;
      const auto most = std::uint32_t{4} << kind;
      x[i] =
          static_cast<float>(static_cast<int>(random() % (2 * most + 1)) - static_cast<int>(most)) *
          0.25F;
      if (kind == 0 && random() % 4 != 0) x[i] = 0;
    }
    compare_values(q, x, {q.format.has_tensor_scale() ? 0.25F : 1.0F});
  });
}

TEST_CASE("errors_that_differ_by_an_ulp_of_one_element_are_told_apart") {
  // The same, with one element a unit of FP32 away.
  std::mt19937 random(2);
  for_searches([&](const quantization& q) {
    const auto size = static_cast<std::size_t>(q.format.size());
    std::vector<float> x(size * 500);
    for (float& value : x) value = static_cast<float>(static_cast<int>(random() % 33) - 16) * 0.25F;
    for (std::size_t b = 0; b < x.size(); b += size) {
      float& value = x[b + random() % size];
      value = std::nextafter(value, random() % 2 == 0 ? 0.0F : 8.0F);
    }
    compare_values(q, x, {q.format.has_tensor_scale() ? 0x1.8p-3F : 1.0F});
  });
}

TEST_CASE("errors_that_are_equal_but_for_the_order_of_their_sum_leave_the_scale") {
  // amax is 6 under 1, and 4 under 1.5. From .375 to .75 an element becomes .5 under 1, .75 under
  // 1.5: .5 + t and .75 - t err by t and .25 - t, and the other way round.
  // Squares have the unit 2^-48, and so many of them a sum of more than 53 bits.
  constexpr int pairs = 8192;
  std::mt19937 random(4);
  const quantization q{{mx::formats::e2m1, mx::formats::ue4m3, 1, 2 * pairs},
                       scale_rule::four_over_six_mse};
  std::vector<float> x;
  for (int b = 0; b < 6; ++b) {
    x.push_back(6), x.push_back(0);
    for (int pair = 1; pair < pairs; ++pair) {
      const auto t = static_cast<float>(random() % (1 << 22)) * 0x1p-24F;
      x.push_back(0.5F + t), x.push_back(t - 0.75F);
    }
    std::shuffle(x.end() - 2 * pairs, x.end(), random);
  }
  compare_values(q, x, {1.0F});
}

TEST_CASE("scales_at_the_ends_of_their_format_have_one_neighbour") {
  std::mt19937 random(3);
  for_searches([&](const quantization& q) {
    const auto size = static_cast<std::size_t>(q.format.size());
    for (const float tensor : {1.0F, 0x1p-20F, 0x1p20F, -1.0F}) {
      if (tensor != 1.0F && !q.format.has_tensor_scale()) continue;
      std::vector<float> x;
      for (int e = -30; e <= 30; ++e) {
        for (std::size_t k = 0; k < size; ++k) {
          const auto fraction = static_cast<float>(random() % 2048) / 2048.0F - 0.5F;
          x.push_back(std::ldexp(fraction, e));
        }
      }
      compare_values(q, x, {tensor});
    }
  });
}

TEST_CASE("searched_scales_of_long_blocks_and_other_roundings_equal_the_core") {
  for (const rounding how : {rounding::ties_away, rounding::toward_zero, rounding::stochastic}) {
    for (const int columns : {16, 48, 1024}) {
      const block_format f{mx::formats::e2m1, mx::formats::ue4m3, 1, columns};
      for (const scale_rule rule : searches) {
        tests::compare({f, rule, how, {7, 8}}, {.rows = 3, .length = 4000}, 9);
      }
    }
  }
  const block_format tiles = mx::block_formats::nvfp4_2d;
  for (const scale_rule rule : searches) {
    tests::compare({tiles, rule}, {.rows = 40, .length = 70}, 10);
  }
}
