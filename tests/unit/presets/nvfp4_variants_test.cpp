// SPDX-License-Identifier: Apache-2.0
// tests/unit/presets/nvfp4_variants_test.cpp: mx/presets/nvfp4_variants.h: the results of each
// preset where presets differ.
#include <limits>
#include <map>
#include <set>
#include <string>

#include "catch.h"
#include "nvfp4_blocks.h"

namespace {

using nvfp4_test::block_of;
using nvfp4_test::quantized;
using nvfp4_test::values;

const float infinity = std::numeric_limits<float>::infinity();
const float nan = mx::float_of(0x7FC00000);
const float minus_nan = mx::float_of(0xFFC00000);

/// The scale and the first codes of a block of 16.
quantized first_codes(const char* name, const values& head, float tensor_amax) {
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
  quantized result = nvfp4_test::quantize(v, block_of(head), tensor_amax);
  result.codes.resize(head.size());
  return result;
}

void check(const char* name, const values& head, float tensor_amax, const quantized& expected) {
  const quantized found = first_codes(name, head, tensor_amax);
  INFO(name);
  CHECK(found.scale == expected.scale);
  CHECK(found.codes == expected.codes);
}

TEST_CASE("a_block_of_zeros_gets_the_scale_that_its_kernel_gives_it") {
  const values zeros{0.0F, -0.0F};
  for (const char* name :
       {"te.nvfp4", "te.nvfp4-row-scaled", "te.4over6-mae", "flashinfer.nvfp4",
        "flashinfer.nvfp4-fast", "vllm.nvfp4", "triton.nvfp4", "quartet2.nvfp4"}) {
    check(name, zeros, 3.7F, {0x00, {0, 8}});
  }
  for (const char* name : {"te.nvfp4-reference", "te.nvfp4-fast-math", "ggml.nvfp4",
                           "universal.nvfp4", "fouroversix.nvfp4-mse", "flashinfer.4over6-mae"}) {
    check(name, zeros, 3.7F, {0x00, {0, 0}});
  }
  for (const char* name :
       {"torchao.nvfp4", "torchao.nvfp4-single-level", "torchao.nvfp4-training-0.18"}) {
    check(name, zeros, 3.7F, {0x08, {0, 8}});
  }
}

TEST_CASE("a_tensor_of_zeros_is_nan_to_torchao_and_to_kernels_given_an_infinite_factor") {
  const values zeros{0.0F, -0.0F};
  check("torchao.nvfp4", zeros, 0.0F, {0x7F, {4, 4}});
  check("flashinfer.nvfp4-fast", zeros, 0.0F, {0x7F, {0, 8}});
  check("flashinfer.nvfp4", zeros, 0.0F, {0x00, {0, 8}});
  check("te.nvfp4", zeros, 0.0F, {0x00, {0, 8}});
  check("fouroversix.nvfp4-mse", zeros, 0.0F, {0x00, {0, 0}});
  check("quartet2.nvfp4-four-six", zeros, 0.0F, {0x00, {0, 8}});
  check("flashinfer.4over6-mse-256", zeros, 0.0F, {0x00, {0, 0}});
}

// The number that becomes the scale is 2^-12 in a tensor with amax 2688.
TEST_CASE("an_underflowing_block_becomes_sixes_or_zeros_or_keeps_a_floor") {
  const values tiny{0x1.8p-10F, -0x1.8p-11F, 0.0F, -0.0F};
  for (const char* name : {"te.nvfp4", "te.nvfp4-2d"}) {
    const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, name);
    values x = tiny;
    x.resize(static_cast<std::size_t>(v.size()));
    const quantized found = nvfp4_test::quantize(v, x, 2688.0F);
    CHECK(found.scale == 0);
    CHECK(std::vector<int>(found.codes.begin(), found.codes.begin() + 4) ==
          std::vector<int>{7, 15, 0, 8});
  }
  check("te.nvfp4-fast-math", tiny, 2688.0F, {0x00, {7, 15, 0, 0}});
  check("te.nvfp4-reference", tiny, 2688.0F, {0x00, {7, 15, 0, 0}});
  // Zeros times Inf are NaN, and NaN is 6.
  check("flashinfer.nvfp4", tiny, 2688.0F, {0x00, {7, 15, 7, 7}});
  check("flashinfer.nvfp4-fast", tiny, 2688.0F, {0x00, {7, 15, 7, 7}});
  check("vllm.nvfp4", tiny, 2688.0F, {0x00, {0, 8, 0, 8}});
  check("triton.nvfp4", tiny, 2688.0F, {0x00, {0, 8, 0, 8}});
  check("ggml.nvfp4", tiny, 2688.0F, {0x00, {0, 0, 0, 0}});
  check("fouroversix.nvfp4-static-6", tiny, 2688.0F, {0x00, {0, 0, 0, 0}});
  check("quartet2.nvfp4", tiny, 2688.0F, {0x00, {0, 8, 0, 8}});
  check("torchao.nvfp4", tiny, 2688.0F, {0x08, {0, 8, 0, 8}});
  check("universal.nvfp4", tiny, 2688.0F, {0x01, {2, 9, 0, 8}});
}

// In a tensor with amax 2688 a block with amax 6 has the scale 1, and elements are the numbers.
TEST_CASE("ties_zeros_and_special_elements_become_the_codes_of_their_kernel") {
  const values x{6.0F, 0.25F, 0.75F, 1.25F, 1.75F, 2.5F, 3.5F, 5.0F, -0.0F, -0.1F, 0x1.000002p-2F};
  const std::vector<int> even{7, 0, 2, 2, 4, 4, 6, 6, 8, 8, 1};
  const std::vector<int> reference{7, 0, 2, 2, 4, 4, 6, 6, 0, 8, 1};
  for (const char* name :
       {"te.nvfp4", "te.nvfp4-row-scaled", "torchao.nvfp4", "torchao.nvfp4-single-level",
        "flashinfer.nvfp4", "flashinfer.nvfp4-fast", "vllm.nvfp4", "triton.nvfp4",
        "triton.nvfp4-reference", "universal.nvfp4", "quartet2.nvfp4",
        "fouroversix.nvfp4-static-6"}) {
    check(name, x, 2688.0F, {0x38, even});
  }
  check("te.nvfp4-reference", x, 2688.0F, {0x38, reference});
  check("te.nvfp4-fast-math", x, 2688.0F, {0x38, reference});
  check("ggml.nvfp4", x, 2688.0F, {0x38, {7, 0, 1, 2, 3, 4, 5, 6, 0, 0, 1}});
}

TEST_CASE("a_nan_is_six_or_zero_or_takes_the_block_with_it") {
  const values x{6.0F, nan, minus_nan, -1.0F};
  for (const char* name : {"te.nvfp4", "flashinfer.nvfp4", "vllm.nvfp4", "triton.nvfp4",
                           "fouroversix.nvfp4-static-6", "quartet2.nvfp4"}) {
    check(name, x, 2688.0F, {0x38, {7, 7, 7, 10}});
  }
  check("ggml.nvfp4", x, 2688.0F, {0x38, {7, 0, 0, 10}});
  check("universal.nvfp4", x, 2688.0F, {0x38, {7, 0, 0, 10}});
  check("te.nvfp4-reference", x, 2688.0F, {0x7F, {0, 0, 0, 0}});
  check("torchao.nvfp4", x, 2688.0F, {0x7F, {4, 4, 4, 4}});
  check("triton.nvfp4-reference", x, 2688.0F, {0x7F, {7, 7, 15, 7}});
}

TEST_CASE("a_block_of_nothing_but_nan_has_amax_zero_or_nan") {
  const values nans(16, nan);
  check("te.nvfp4", nans, 2688.0F, {0x00, std::vector<int>(16, 7)});
  check("vllm.nvfp4", nans, 2688.0F, {0x7F, std::vector<int>(16, 7)});
}

TEST_CASE("an_infinite_element_saturates_the_scale_and_itself_but_is_zero_to_ggml") {
  const values x{infinity, -infinity, 448.0F, -1.0F};
  for (const char* name : {"te.nvfp4", "torchao.nvfp4", "flashinfer.nvfp4", "vllm.nvfp4",
                           "triton.nvfp4", "universal.nvfp4", "quartet2.nvfp4"}) {
    check(name, x, 2688.0F, {0x7E, {7, 15, 2, 8}});
  }
  check("ggml.nvfp4", x, 2688.0F, {0x7E, {0, 0, 2, 0}});
  check("triton.nvfp4-reference", x, 2688.0F, {0x7F, {7, 7, 7, 7}});
}

TEST_CASE("ggml_takes_numbers_too_large_to_tell_codes_apart_for_zero") {
  check("ggml.nvfp4", {1e30F, 1e9F, -1e9F}, 1.0F, {0x7E, {0, 7, 15}});
}

// PTX: the first 8 truncated bits plus the random ones carry.
int stochastic_code(double x, int random) {
  constexpr double grid[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6, 8};
  int code = 0;
  while (code < 7 && grid[code + 1] <= x) ++code;
  if (code == 7) return 7;
  const double part = (x - grid[code]) / (grid[code + 1] - grid[code]);
  return code + (static_cast<int>(part * 256) + random >= 256 ? 1 : 0);
}

TEST_CASE("a_stochastic_preset_goes_up_where_random_bits_carry") {
  const values x{6.0F,  0x1p-9F, 0.1F, 0.4999F, 0.5F,   0.7F,   1.2F,     1.9F,
                 2.01F, 2.9F,    3.5F, 4.0F,    4.002F, 5.999F, 0x1p-20F, 0.0F};
  const mx::nvfp4_variant& v = *mx::preset_named(mx::nvfp4_presets::all, "te.nvfp4-stochastic");
  for (int random = 0; random < 256; ++random) {
    const std::vector<std::uint8_t> drawn(16, static_cast<std::uint8_t>(random));
    std::vector<std::uint8_t> codes(16);
    REQUIRE(quantize_block(v, x.data(), mx::tensor_of(v, 2688.0F), drawn.data(), codes.data()) ==
            0x38);
    for (std::size_t i = 0; i < 16; ++i) CHECK(codes[i] == stochastic_code(x[i], random));
  }
  check("te.nvfp4-stochastic", {6.0F, nan, -0.0F, -5.9F}, 2688.0F, {0x38, {7, 7, 8, 14}});
}

TEST_CASE("headroom_keeps_the_largest_element_below_six_however_its_scale_was_rounded") {
  const mx::nvfp4_variant& v =
      *mx::preset_named(mx::nvfp4_presets::all, "fouroversix.nvfp4-static-6-unbiased");
  const float max = static_cast<float>(6.0 * 16 / 17),
              product = static_cast<float>(2688.0 * 16 / 17);
  const mx::nvfp4_tensor tensor = mx::tensor_of(v, 3.7F);
  CHECK(tensor.factor == product / 3.7F);
  for (std::uint32_t bits = 0x3D000000; bits < 0x40600000; bits += 9973) {
    const float amax = mx::float_of(bits);
    const mx::nvfp4_candidate chosen = mx::chosen_candidate(v, block_of({amax}).data(), tensor);
    const float number = amax / max * (product / 3.7F);
    CHECK(chosen.scale == mx::encoded_scale(mx::scale_encoding::saturating, number));
    CHECK(amax * chosen.multiplier <= 6.0F);
  }
}

TEST_CASE("ggml_packs_split_halves_and_all_others_the_low_nibble_first") {
  for (const mx::nvfp4_variant& v : mx::nvfp4_presets::all) {
    const bool ggml = v.about.name == "ggml.nvfp4";
    CHECK((v.about.packing == mx::nibble_order::split_half) == ggml);
  }
}

TEST_CASE("every_preset_has_a_name_of_its_own_a_source_and_a_format_with_its_bound") {
  std::set<std::string_view> names;
  for (const mx::nvfp4_variant& v : mx::nvfp4_presets::all) {
    INFO(v.about.name);
    CHECK(names.insert(v.about.name).second);
    CHECK(mx::preset_named(mx::nvfp4_presets::all, v.about.name) == &v);
    CHECK(v.about.source.find(": ") != std::string_view::npos);
    const mx::block_format& f = v.about.formats.front();
    CHECK(f.columns == 16);
    CHECK(f.rows == v.rows);
    CHECK((f.bound == mx::tensor_bound::of_256) == (v.order.bound == 256.0F));
    const bool none = v.order.tensor == mx::tensor_factor::none;
    CHECK(f.has_tensor_scale() == !none);
  }
  CHECK(mx::preset_named(mx::nvfp4_presets::all, "te.nvfp5") == nullptr);
}

}  // namespace
