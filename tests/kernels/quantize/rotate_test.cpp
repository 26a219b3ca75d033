// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/rotate_test.cpp: codes and scales of rotated rows against mx::rotate and
// mx::quantize_tensor.
#include <string>
#include <vector>

#include "catch.h"
#include "matrices.h"
#include "tests/kernels/grid/host_launch.h"

using namespace mx;
using mx::kernels::adversarial_matrix;
using mx::kernels::matrix;

namespace {

constexpr number_type types[] = {number_type::fp32, number_type::fp16, number_type::bf16};
constexpr int sizes[] = {16, 32, 64, 128};
constexpr rotation_signs all_signs[] = {rotation_signs::none, rotation_signs::fixed,
                                        rotation_signs::random};
constexpr float some_tensor_scale = 0.0123F;

/// The values of a matrix, rotated by the core.
std::vector<float> rotated_values(const rotation& by, const matrix& x) {
  std::vector<float> values(x.elements());
  for (std::uint64_t i = 0; i < x.elements(); ++i) {
    std::uint32_t code = 0;
    for (std::uint64_t b = 0; b < bytes_of(x.type); ++b) {
      code |= std::uint32_t{x.bytes[i * bytes_of(x.type) + b]} << (8 * b);
    }
    if (x.type == number_type::fp16) {
      values[i] = to_binary32(decode<formats::binary16>(code));
    } else {
      values[i] = float_of(x.type == number_type::bf16 ? code << 16 : code);
    }
  }
  rotate(by, values.data(), static_cast<int>(values.size()));
  return values;
}

/// Runs a request and compares every byte; returns the name of the kernel that ran.
std::string kernel_that_agrees(const rotation& by, const quantization& how, const matrix& x) {
  const blocked_shape shape{1, x.rows, x.columns, 1};
  const blocked_sizes sizes_here = sizes_of(how.format, shape, code_packing::packed);
  std::vector<std::uint8_t> codes(sizes_here.code_bytes, 0xEE), scales(sizes_here.scale_bytes());
  std::vector<std::uint8_t> expected_codes = codes, expected_scales = scales;
  const std::vector<float> values = rotated_values(by, x);
  quantize_tensor(
      how, number_type::fp32, values.data(), shape,
      {expected_codes.data(), expected_scales.data(), &some_tensor_scale, code_packing::packed});
  const kernels_test::host_answer answer = kernels_test::rotate_quantize(
      {{{.rules = how, .corrections = {.rotation = by}},
        x.type,
        {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)},
        x.bytes.data(),
        &some_tensor_scale,
        {codes.data(), scales.data()},
        {}}});
  REQUIRE(kernels::sentence_of(answer.status) == "launched");
  CHECK(codes == expected_codes);
  CHECK(scales == expected_scales);
  return answer.kernels;
}

}  // namespace

TEST_CASE("rotated_rows_take_the_codes_of_the_core") {
  const quantization quantizations[] = {
      {block_formats::mxfp4, scale_rule::rceil},
      {block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {5, 8}},
      {block_formats::nvfp4, scale_rule::ideal}};
  for (const int size : sizes) {
    for (const rotation_signs signs : all_signs) {
      for (const number_type type : types) {
        CAPTURE(size, int(signs), int(type));
        const quantization& how = quantizations[(static_cast<int>(type) + size / 16) % 3];
        const matrix x = adversarial_matrix(type, 11, 384, static_cast<std::uint64_t>(size));
        CHECK(kernel_that_agrees({size, signs, 99}, how, x) == "rotated rows");
      }
    }
  }
}

TEST_CASE("every_coder_is_rotated") {
  const matrix x = adversarial_matrix(number_type::bf16, 5, 256, 8);
  const rotation by{128, rotation_signs::random, 0xFEDCBA9876543210};
  CHECK(kernel_that_agrees(by, {block_formats::mxfp4, scale_rule::even}, x) == "rotated rows");
  CHECK(kernel_that_agrees(by, {block_formats::nvfp4, scale_rule::ideal}, x) == "rotated rows");
  CHECK(kernel_that_agrees(by,
                           {block_formats::mxfp4, scale_rule::rceil, rounding::stochastic, {1, 3}},
                           x) == "rotated rows");
}

TEST_CASE("other_quantizations_of_rotated_rows_take_the_core") {
  const std::vector<quantization> all{
      {block_formats::mxfp4, scale_rule::mse},
      {block_formats::mxfp8_e4m3, scale_rule::rceil},
      {block_formats::nvfp4, scale_rule::ideal, rounding::stochastic, {3, 8}},
      {block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {3, 11}},
      {block_formats::fp8_1x128, scale_rule::ideal}};
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const int size : sizes) {
      CAPTURE(i, size);
      const matrix x = adversarial_matrix(types[i % 3], 3, 256, i);
      CHECK(kernel_that_agrees({size, rotation_signs::fixed}, all[i], x) == "rotated blocks");
    }
  }
}

TEST_CASE("a_rotation_of_no_size_only_quantizes") {
  const matrix x = adversarial_matrix(number_type::fp32, 3, 64, 8);
  CHECK(kernel_that_agrees({}, {block_formats::mxfp4}, x) == "rows");
}
