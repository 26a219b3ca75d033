// SPDX-License-Identifier: Apache-2.0
// tests/kernels/dequantize_test.cpp: values of every kernel against the core.
#include <string>
#include <vector>

#include "catch.h"
#include "host_launch.h"
#include "matrices.h"

using namespace mx;
using kernels_test::adversarial_matrix;
using kernels_test::matrix;

namespace {

constexpr number_type types[] = {number_type::fp32, number_type::fp16, number_type::bf16};
constexpr float some_tensor_scale = 0.0123F;

/// The bytes of FP32 values as a type, rounded once more.
std::vector<std::uint8_t> stored(const std::vector<float>& values, number_type type) {
  std::vector<std::uint8_t> bytes;
  for (const float value : values) {
    std::uint32_t code = bits_of(value);
    const format& f = type == number_type::bf16 ? formats::bfloat16 : formats::binary16;
    if (type != number_type::fp32) {
      code = encode(f, unpack(value), rounding::ties_to_even, overflow::to_infinity);
    }
    for (std::uint64_t b = 0; b < bytes_of(type); ++b) {
      bytes.push_back(static_cast<std::uint8_t>(code >> (8 * b)));
    }
  }
  return bytes;
}

/// Codes and scales of any bits, and what the core makes of them.
struct coded_matrix {
  block_format format;
  std::uint64_t rows, columns;
  std::vector<std::uint8_t> codes, scales;
  std::vector<float> values;
};

coded_matrix any_codes(const block_format& f, std::uint64_t rows, std::uint64_t columns) {
  const blocked_shape shape{1, rows, columns, 1};
  const blocked_sizes sizes = sizes_of(f, shape, code_packing::packed);
  coded_matrix made{f, rows, columns, {}, {}, std::vector<float>(rows * columns)};
  for (std::uint64_t i = 0; i < sizes.code_bytes; ++i) {
    made.codes.push_back(
        static_cast<std::uint8_t>(philox(1, {{std::uint32_t(i), 0, 0, 0}}).word[0]));
  }
  // Every scale byte comes in turn, 0, 254 and 255 early.
  for (std::uint64_t i = 0; i < sizes.scale_bytes(); ++i) {
    made.scales.push_back(static_cast<std::uint8_t>(i < 4 ? 254 + i : i * 37));
  }
  dequantize_tensor(f, {made.codes.data(), made.scales.data(), &some_tensor_scale}, shape,
                    made.values.data());
  return made;
}

std::string kernel_that_agrees(const coded_matrix& x, number_type type) {
  std::vector<std::uint8_t> out(x.values.size() * bytes_of(type) + 16, 0xEE);
  const kernels_test::host_answer answer = kernels_test::dequantize(
      {x.format,
       {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)},
       x.codes.data(),
       x.scales.data(),
       &some_tensor_scale,
       scale_layout::linear,
       type,
       out.data()});
  std::vector<std::uint8_t> expected = stored(x.values, type);
  expected.insert(expected.end(), 16, 0xEE);
  CHECK(out == expected);
  return answer.kernels;
}

std::string fake_kernel_that_agrees(const quantization& how, const matrix& x) {
  const blocked_shape shape{1, x.rows, x.columns, 1};
  const blocked_sizes sizes = sizes_of(how.format, shape, code_packing::packed);
  std::vector<std::uint8_t> codes(sizes.code_bytes), scales(sizes.scale_bytes());
  std::vector<float> values(x.elements());
  quantize_tensor(how, x.type, x.bytes.data(), shape,
                  {codes.data(), scales.data(), &some_tensor_scale});
  dequantize_tensor(how.format, {codes.data(), scales.data(), &some_tensor_scale}, shape,
                    values.data());
  std::vector<std::uint8_t> inout = x.bytes;
  const kernels_test::host_answer answer = kernels_test::fake_quantize(
      {how,
       x.type,
       {static_cast<std::int64_t>(x.rows), static_cast<std::int64_t>(x.columns)},
       inout.data(),
       &some_tensor_scale,
       inout.data()});
  CHECK(inout == stored(values, x.type));
  return answer.kernels;
}

}  // namespace

TEST_CASE("mxfp4_rows_have_the_values_of_the_core_under_every_scale") {
  for (const number_type type : types) {
    CAPTURE(int(type));
    CHECK(kernel_that_agrees(any_codes(block_formats::mxfp4, 24, 1024), type) == "rows");
  }
}

TEST_CASE("other_formats_and_shapes_have_the_values_of_the_core") {
  for (const block_format& f :
       {block_formats::mxfp4, block_formats::mxfp6_e3m2, block_formats::mxfp8_e4m3,
        block_formats::mxfp8_e5m2, block_formats::mxint8, block_formats::nvfp4,
        block_formats::fp8_1x128}) {
    for (const number_type type : types) {
      CAPTURE(int(type), f.element.width(), f.columns);
      CHECK(kernel_that_agrees(any_codes(f, 5, 1003), type) == "blocks");
    }
  }
}

TEST_CASE("fake_quantization_is_quantization_and_back_in_place") {
  for (const number_type type : types) {
    CAPTURE(int(type));
    const matrix whole = adversarial_matrix(type, 9, 256, 3),
                 cut = adversarial_matrix(type, 9, 77, 4);
    CHECK(fake_kernel_that_agrees({block_formats::mxfp4, scale_rule::rceil}, whole) == "rows");
    CHECK(fake_kernel_that_agrees({block_formats::mxfp4, scale_rule::rceil}, cut) == "blocks");
    CHECK(fake_kernel_that_agrees({block_formats::nvfp4, scale_rule::ideal}, cut) == "blocks");
  }
}
