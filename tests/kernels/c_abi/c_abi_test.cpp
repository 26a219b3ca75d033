// SPDX-License-Identifier: Apache-2.0
// tests/kernels/c_abi/c_abi_test.cpp: libmxprism_cuda on the kernels' bodies against libmxprism,
// bit for bit, and its refusals.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "catch.h"
#include "host_device.h"
#include "mxprism/cuda.h"
#include "mxprism/mxprism.h"

namespace {

using bytes = std::vector<std::uint8_t>;
using kernels_test::device;

/// A format; its last error.
struct made_format {
  mx_format* handle = nullptr;

  explicit made_format(const char* name, const char* options = nullptr) {
    REQUIRE(mx_format_create(name, options, &handle, nullptr) == mx_status_ok);
  }
  made_format(const made_format&) = delete;
  made_format& operator=(const made_format&) = delete;
  ~made_format() { mx_format_destroy(handle); }
};

struct last_error {
  char text[512] = "";
  mx_error to{text, sizeof text, 0};
};

mx_coded sized_coded() {
  mx_coded made = {};
  made.struct_size = sizeof made;
  return made;
}

/// A quantized tensor of a shape, with buffers of the sizes that the library wants.
struct arrays {
  explicit arrays(const mx_format* format, const mx_shape& shape, float tensor_scale) {
    mx_coded sizes = sized_coded();
    REQUIRE(mx_coded_sizes(format, &shape, &sizes, nullptr) == mx_status_ok);
    codes.assign(sizes.codes.bytes, 0xEE);
    scales.assign(sizes.scales.bytes, 0xEE);
    above.assign(sizes.tensor_scales.bytes / 4, tensor_scale);
    coded = sized_coded();
    coded.codes = {codes.data(), codes.size()};
    coded.scales = {scales.data(), scales.size()};
    coded.tensor_scales = {above.data(), above.size() * 4};
  }
  bytes codes, scales;
  std::vector<float> above;
  mx_coded coded;
};

std::vector<float> numbers_of(std::size_t count) {
  std::vector<float> x(count);
  std::uint32_t word = 12345;
  for (float& value : x) {
    word = word * 1664525 + 1013904223;
    value = static_cast<float>(static_cast<std::int32_t>(word)) * 0x1p-29F;
  }
  return x;
}

const auto some_stream = reinterpret_cast<mx_cuda_stream>(std::uintptr_t{64});

/// Resets the layer, and gives a name to what is missing.
void begin(const char* missing = "") { device() = {missing, {}, nullptr, 0, 0}; }

/// Both libraries on the same tensor.
void expect_equal_tensors(const char* name, const char* options, std::vector<std::uint64_t> extents,
                          float tensor_scale = 1) {
  INFO(name << " " << options);
  begin();
  const made_format format(name, options);
  const mx_shape shape{extents.data(), static_cast<std::uint32_t>(extents.size()), -1};
  std::size_t count = 1;
  for (const std::uint64_t extent : extents) count *= extent;
  const std::vector<float> x = numbers_of(count);
  const mx_numbers numbers{x.data(), count * 4, mx_number_fp32};
  arrays right(format.handle, shape, tensor_scale), found(format.handle, shape, tensor_scale);
  last_error error;
  REQUIRE(mx_tensor_quantize(format.handle, &shape, &numbers, &right.coded, nullptr, nullptr) ==
          mx_status_ok);
  CHECK(mx_cuda_tensor_quantize(format.handle, &shape, &numbers, &found.coded, some_stream,
                                &error.to) == mx_status_ok);
  CHECK(std::string(error.text).empty());
  CHECK(static_cast<void*>(device().stream) == some_stream);
  CHECK(found.codes == right.codes);
  CHECK(found.scales == right.scales);
  std::vector<float> right_values(count), values(count);
  const mx_buffer right_out{right_values.data(), count * 4}, out{values.data(), count * 4};
  REQUIRE(mx_tensor_dequantize(format.handle, &shape, &right.coded, &right_out, nullptr) ==
          mx_status_ok);
  CHECK(mx_cuda_tensor_dequantize(format.handle, &shape, &found.coded, mx_number_fp32, &out,
                                  nullptr, &error.to) == mx_status_ok);
  CHECK(std::memcmp(values.data(), right_values.data(), count * 4) == 0);
}

}  // namespace

TEST_CASE("tensors_have_the_bits_of_libmxprism") {
  expect_equal_tensors("mxfp4", "scale-rule=rceil", {3, 5, 96});
  expect_equal_tensors("mxfp4", "", {7, 77});
  expect_equal_tensors("mxfp8-e4m3", "scale-rule=even", {40});
  expect_equal_tensors("mxint8", "", {2, 64});
  expect_equal_tensors("nvfp4", "tensor-scale=given", {5, 48}, 0x1p-6F);
  expect_equal_tensors("fp8-1x128", "", {2, 200});
  expect_equal_tensors("mxfp4", "rounding=stochastic seed=7 random-bits=8", {4, 64});
}

TEST_CASE("a_layouts_padding_is_zero_as_libmxprism_writes_it") {
  expect_equal_tensors("mxfp4", "layout=128x4", {130, 160});
  CHECK(device().cleared == 2 * 2 * 512);
  expect_equal_tensors("mxfp4", "", {130, 160});
  CHECK(device().cleared == 0);
}

TEST_CASE("numbers_within_the_scales_are_refused_before_the_padding_is_zero") {
  begin();
  const made_format format("mxfp4", "layout=128x4");
  const std::uint64_t extents[] = {128, 128};
  const mx_shape shape{extents, 2, -1};
  std::vector<float> x = numbers_of(128 * 128);
  const std::vector<float> before = x;
  const mx_numbers numbers{x.data(), x.size() * 4, mx_number_fp32};
  arrays to(format.handle, shape, 1);
  to.coded.scales.data = x.data();
  last_error error;
  CHECK(mx_cuda_tensor_quantize(format.handle, &shape, &numbers, &to.coded, nullptr, &error.to) ==
        mx_status_bad_argument);
  CHECK(std::string(error.text).find("overlap") != std::string::npos);
  CHECK(device().cleared == 0);
  CHECK(x == before);
}

TEST_CASE("numbers_with_gaps_between_their_rows_have_the_results_of_a_dense_copy") {
  begin();
  constexpr std::size_t rows = 5, columns = 64, stride = 75, span = 4 * stride + columns;
  const made_format format("mxfp4", "scale-rule=rceil");
  const std::uint64_t extents[] = {rows, columns};
  const mx_shape shape{extents, 2, -1};
  const std::vector<float> x = numbers_of(rows * columns);
  std::vector<float> gapped(span, 1e30F), found(span, 77.0F), dense(rows * columns);
  for (std::size_t i = 0; i < x.size(); ++i) gapped[i / columns * stride + i % columns] = x[i];
  const mx_numbers numbers{x.data(), x.size() * 4, mx_number_fp32},
      with_gaps{gapped.data(), span * 4, mx_number_fp32},
      short_ones{gapped.data(), span * 4 - 4, mx_number_fp32};
  arrays right(format.handle, shape, 1), made(format.handle, shape, 1);
  last_error error;
  REQUIRE(mx_cuda_tensor_quantize(format.handle, &shape, &numbers, &right.coded, nullptr,
                                  nullptr) == mx_status_ok);
  CHECK(mx_cuda_tensor_quantize_rows(format.handle, &shape, &with_gaps, stride, &made.coded,
                                     some_stream, &error.to) == mx_status_ok);
  CHECK(made.codes == right.codes);
  CHECK(made.scales == right.scales);
  const mx_buffer out{found.data(), span * 4}, dense_out{dense.data(), dense.size() * 4};
  REQUIRE(mx_cuda_tensor_dequantize(format.handle, &shape, &right.coded, mx_number_fp32, &dense_out,
                                    nullptr, nullptr) == mx_status_ok);
  CHECK(mx_cuda_tensor_dequantize_rows(format.handle, &shape, &right.coded, mx_number_fp32, &out,
                                       stride, nullptr, &error.to) == mx_status_ok);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < span; ++i) {
    const bool is_gap = i % stride >= columns;
    wrong += found[i] != (is_gap ? 77.0F : dense[i / stride * columns + i % stride]) ? 1 : 0;
  }
  CHECK(wrong == 0);
  std::uint64_t needed = 0;
  REQUIRE(mx_cuda_tensor_decompose_workspace(format.handle, &shape, &needed, nullptr) ==
          mx_status_ok);
  bytes memory(needed);
  const mx_buffer workspace{memory.data(), needed};
  mx_energy energy = {}, of_gapped = {};
  energy.struct_size = of_gapped.struct_size = sizeof energy;
  REQUIRE(mx_cuda_tensor_decompose(format.handle, &shape, &numbers, nullptr, &workspace, &energy,
                                   nullptr, nullptr) == mx_status_ok);
  CHECK(mx_cuda_tensor_decompose_rows(format.handle, &shape, &with_gaps, stride, nullptr,
                                      &workspace, &of_gapped, nullptr, &error.to) == mx_status_ok);
  CHECK(std::memcmp(&energy, &of_gapped, sizeof energy) == 0);
  CHECK(mx_cuda_tensor_quantize_rows(format.handle, &shape, &with_gaps, 63, &made.coded, nullptr,
                                     &error.to) == mx_status_bad_argument);
  CHECK(std::string(error.text) == "row_stride: rows would overlap");
  CHECK(mx_cuda_tensor_quantize_rows(format.handle, &shape, &short_ones, stride, &made.coded,
                                     nullptr, &error.to) == mx_status_bad_argument);
}

TEST_CASE("batched_products_have_the_bits_of_libmxprism") {
  begin();
  constexpr std::size_t count = 3, m = 5, n = 4, k = 64;
  mx_model* model = nullptr;
  REQUIRE(mx_model_create("blackwell.mxf4", nullptr, &model, nullptr) == mx_status_ok);
  const std::unique_ptr<mx_model, decltype(&mx_model_destroy)> owner(model, mx_model_destroy);
  bytes a(count * m * k / 2), a_scales(count * m * 2), b(n * k / 2), b_scales(n * 2);
  std::uint32_t word = 7;
  const auto draw = [&word] { return word = word * 1664525 + 1013904223; };
  for (auto* codes : {&a, &b}) {
    for (std::uint8_t& byte : *codes) byte = static_cast<std::uint8_t>(draw() >> 24);
  }
  for (auto* scales : {&a_scales, &b_scales}) {
    for (std::uint8_t& byte : *scales) byte = static_cast<std::uint8_t>(120 + (draw() >> 28));
  }
  // The matrices of D lie beside each other in rows; B is shared.
  std::vector<std::uint32_t> d(m * count * n, 0xEEEEEEEE);
  mx_product product = {};
  product.struct_size = sizeof product;
  product.m = m, product.n = n, product.k = k;
  product.a = {{a.data(), a.size()}, mx_codes_pairs, 0, {a_scales.data(), a_scales.size()}};
  product.b = {{b.data(), b.size()}, mx_codes_pairs, 0, {b_scales.data(), b_scales.size()}};
  product.d = {d.data(), d.size() * 4};
  mx_cuda_batch batch = {};
  batch.struct_size = sizeof batch;
  batch.count = count;
  batch.a_step = m * k / 2, batch.a_scales_step = m * 2;
  batch.d_step = n, batch.d_stride = count * n;
  std::uint64_t needed = 0;
  last_error error;
  REQUIRE(mx_cuda_model_gemm_batched_workspace(model, &product, nullptr, &batch, &needed,
                                               &error.to) == mx_status_ok);
  CHECK(needed > 0);
  std::vector<std::uint64_t> memory(needed / 8 + 2);
  const mx_buffer workspace{memory.data(), needed};
  for (const mx_buffer* with : {static_cast<const mx_buffer*>(nullptr), &workspace}) {
    d.assign(d.size(), 0xEEEEEEEE);
    CHECK(mx_cuda_model_gemm_batched(model, &product, nullptr, &batch, with, some_stream,
                                     &error.to) == mx_status_ok);
    for (std::size_t i = 0; i < count; ++i) {
      std::vector<std::uint32_t> right(m * n);
      mx_product one = product;
      one.a = {{a.data() + i * m * k / 2, m * k / 2},
               mx_codes_pairs,
               0,
               {a_scales.data() + i * m * 2, m * 2}};
      one.d = {right.data(), right.size() * 4};
      REQUIRE(mx_model_gemm(model, &one, nullptr, nullptr) == mx_status_ok);
      std::size_t wrong = 0;
      for (std::size_t e = 0; e < right.size(); ++e) {
        wrong += d[e / n * count * n + i * n + e % n] != right[e] ? 1 : 0;
      }
      CHECK(wrong == 0);
    }
  }
  const auto refused = [&](const char* sentence) {
    CHECK(mx_cuda_model_gemm_batched(model, &product, nullptr, &batch, nullptr, nullptr,
                                     &error.to) == mx_status_bad_argument);
    INFO(error.text);
    CHECK(std::string(error.text).find(sentence) != std::string::npos);
  };
  batch.d_step = n - 1, product.d.bytes -= (count - 1) * 4;
  refused("d_step is too small");
  batch.d_step = n, batch.d_stride = n - 1;
  refused("d_stride: rows would overlap");
  batch.d_stride = count * n, batch.a_step = m * k;
  refused("a: fewer bytes than a_step requires");
  batch.count = (1 << 20) + 1;
  refused("count is above 2^20");
}

TEST_CASE("grouped_products_have_the_bits_of_libmxprism") {
  begin();
  constexpr std::size_t n = 4, k = 64;
  const std::vector<std::size_t> rows = {5, 0, 33, 1};
  mx_model* model = nullptr;
  REQUIRE(mx_model_create("blackwell.mxf4", nullptr, &model, nullptr) == mx_status_ok);
  const std::unique_ptr<mx_model, decltype(&mx_model_destroy)> owner(model, mx_model_destroy);
  bytes codes(64 * k / 2), scales(64 * 2, 127);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint8_t>(i * 37 + 11);
  std::vector<std::vector<std::uint32_t>> found, right;
  std::vector<mx_product> products;
  for (const std::size_t m : rows) {
    found.emplace_back(m * n + 1, 0xEEEEEEEE);
    right.push_back(found.back());
    mx_product one = {};
    one.struct_size = sizeof one;
    one.m = m, one.n = n, one.k = k;
    one.a = {{codes.data(), m * k / 2}, mx_codes_pairs, 0, {scales.data(), m * 2}};
    one.b = {{codes.data() + products.size() * k / 2, n * k / 2},
             mx_codes_pairs,
             0,
             {scales.data(), n * 2}};
    one.d = {right.back().data(), m * n * 4};
    REQUIRE(mx_model_gemm(model, &one, nullptr, nullptr) == mx_status_ok);
    one.d.data = found.back().data();
    products.push_back(one);
  }
  std::vector<const mx_product*> addresses;
  for (const mx_product& one : products) addresses.push_back(&one);
  std::uint64_t needed = 0;
  last_error error;
  REQUIRE(mx_cuda_model_gemm_grouped_workspace(model, addresses.data(), rows.size(), nullptr,
                                               &needed, &error.to) == mx_status_ok);
  CHECK(needed > 0);
  std::vector<std::uint64_t> memory(needed / 8 + 2);
  const mx_buffer workspace{memory.data(), needed};
  for (const mx_buffer* with : {static_cast<const mx_buffer*>(nullptr), &workspace}) {
    for (auto& d : found) std::fill(d.begin(), d.end(), 0xEEEEEEEE);
    CHECK(mx_cuda_model_gemm_grouped(model, addresses.data(), rows.size(), nullptr, with,
                                     some_stream, &error.to) == mx_status_ok);
    CHECK(found == right);
  }
  CHECK(mx_cuda_model_gemm_grouped(model, nullptr, 0, nullptr, nullptr, nullptr, &error.to) ==
        mx_status_ok);
  CHECK(mx_cuda_model_gemm_grouped(model, nullptr, 1, nullptr, nullptr, nullptr, &error.to) ==
        mx_status_bad_argument);
  CHECK(std::string(error.text) == "products is null");
  products[2].d.data = found[0].data();
  CHECK(mx_cuda_model_gemm_grouped(model, addresses.data(), rows.size(), nullptr, nullptr, nullptr,
                                   &error.to) == mx_status_bad_argument);
  INFO(error.text);
  CHECK(std::string(error.text).find("of product ") != std::string::npos);
}

TEST_CASE("energies_are_those_of_libmxprism") {
  begin();
  const made_format format("mxfp4", "scale-rule=rceil");
  const std::uint64_t extents[] = {70, 96};
  const mx_shape shape{extents, 2, -1};
  const std::vector<float> x = numbers_of(70 * 96);
  const mx_numbers numbers{x.data(), x.size() * 4, mx_number_fp32};
  std::uint64_t needed = 0;
  REQUIRE(mx_cuda_tensor_decompose_workspace(format.handle, &shape, &needed, nullptr) ==
          mx_status_ok);
  bytes memory(needed);
  const mx_buffer workspace{memory.data(), needed}, small{memory.data(), needed - 1};
  mx_energy right = {}, found = {};
  right.struct_size = found.struct_size = sizeof right;
  REQUIRE(mx_tensor_decompose(format.handle, &shape, &numbers, nullptr, &right, nullptr) ==
          mx_status_ok);
  last_error error;
  CHECK(mx_cuda_tensor_decompose(format.handle, &shape, &numbers, nullptr, &workspace, &found,
                                 nullptr, &error.to) == mx_status_ok);
  CHECK(std::memcmp(&right, &found, sizeof right) == 0);
  CHECK(mx_cuda_tensor_decompose(format.handle, &shape, &numbers, nullptr, &small, &found, nullptr,
                                 &error.to) == mx_status_bad_argument);
  CHECK(std::string(error.text) ==
        "the workspace is smaller than mx_cuda_tensor_decompose_workspace");
}

TEST_CASE("products_have_the_bits_of_libmxprism") {
  begin();
  mx_model* model = nullptr;
  REQUIRE(mx_model_create("blackwell.mxf4", nullptr, &model, nullptr) == mx_status_ok);
  const std::unique_ptr<mx_model, void (*)(mx_model*)> owner(model, mx_model_destroy);
  bytes a(5 * 48), b(3 * 48), a_scales(5 * 3, 127), b_scales(3 * 3, 126);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = static_cast<std::uint8_t>(i * 37);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = static_cast<std::uint8_t>(i * 91 + 5);
  std::vector<float> right(15), found(15);
  mx_product product = {};
  product.struct_size = sizeof product;
  product.m = 5, product.n = 3, product.k = 96;
  product.a = {{a.data(), a.size()}, mx_codes_pairs, 0, {a_scales.data(), a_scales.size()}};
  product.b = {{b.data(), b.size()}, mx_codes_pairs, 0, {b_scales.data(), b_scales.size()}};
  product.d = {right.data(), 60};
  REQUIRE(mx_model_gemm(model, &product, nullptr, nullptr) == mx_status_ok);
  product.d = {found.data(), 60};
  last_error error;
  std::uint64_t needed = 0;
  REQUIRE(mx_cuda_model_gemm_workspace(model, &product, nullptr, &needed, &error.to) ==
          mx_status_ok);
  CHECK(needed > 0);
  std::vector<std::uint64_t> memory(needed / 8 + 4);
  const mx_buffer workspace{memory.data(), memory.size() * 8};
  for (const mx_buffer* with : {static_cast<const mx_buffer*>(nullptr), &workspace}) {
    found.assign(15, -1);
    CHECK(mx_cuda_model_gemm(model, &product, nullptr, with, some_stream, &error.to) ==
          mx_status_ok);
    CHECK(std::string(error.text).empty());
    CHECK(std::memcmp(right.data(), found.data(), 60) == 0);
  }
  CHECK(static_cast<void*>(device().stream) == some_stream);
  product.d.bytes = 56;
  CHECK(mx_cuda_model_gemm(model, &product, nullptr, nullptr, nullptr, &error.to) ==
        mx_status_bad_argument);
  CHECK(std::string(error.text) == "d has 56 bytes; expected 60");
}

TEST_CASE("what_has_no_kernel_is_refused_before_any_launch") {
  struct refusal {
    const char *format, *options;
    std::vector<std::uint64_t> extents;
    std::int32_t axis;
    const char* sentence;
  };
  const refusal refusals[] = {
      {"mxfp4", "", {64, 64}, 0, "blocks along another axis than the last have no kernel"},
      {"mxfp4",
       "layout=128x4",
       {2, 4, 64},
       -1,
       "a scale layout and tiles need a shape of at most two axes"},
      {"nvfp4",
       "",
       {4, 64},
       -1,
       "nvfp4: the tensor scale is chosen on the host only; compute it, and give it by "
       "tensor-scale=given"}};
  const std::vector<float> x = numbers_of(64 * 64);
  for (const refusal& one : refusals) {
    begin();
    const made_format format(one.format, one.options);
    const mx_shape shape{one.extents.data(), static_cast<std::uint32_t>(one.extents.size()),
                         one.axis};
    std::uint64_t count = 1;
    for (const std::uint64_t extent : one.extents) count *= extent;
    const mx_numbers numbers{x.data(), count * 4, mx_number_fp32};
    const arrays to(format.handle, shape, 1);
    last_error error;
    CHECK(mx_cuda_tensor_quantize(format.handle, &shape, &numbers, &to.coded, nullptr, &error.to) ==
          mx_status_unsupported);
    CHECK(std::string(error.text) == one.sentence);
    CHECK(device().launches == 0);
  }
}

TEST_CASE("a_missing_part_is_named_and_nothing_is_launched") {
  begin("there is no CUDA driver; install NVIDIA's, which brings libcuda.so.1");
  last_error error;
  CHECK(mx_cuda_available(&error.to) == mx_status_device);
  CHECK(std::string(error.text) == device().missing);
  const made_format format("mxfp4");
  const std::uint64_t extents[] = {64};
  const mx_shape shape{extents, 1, -1};
  const std::vector<float> x = numbers_of(64);
  const mx_numbers numbers{x.data(), 256, mx_number_fp32};
  const arrays to(format.handle, shape, 1);
  const auto quantized = [&] {
    return mx_cuda_tensor_quantize(format.handle, &shape, &numbers, &to.coded, nullptr, &error.to);
  };
  CHECK(quantized() == mx_status_device);
  CHECK(std::string(error.text) == device().missing);
  CHECK(device().launches == 0);
  begin();
  CHECK(mx_cuda_available(&error.to) == mx_status_ok);
  device().fails = {mx::kernels::launch_error::architecture, "quantize_rows"};
  CHECK(quantized() == mx_status_device);
  CHECK(std::string(error.text) ==
        "mxfp4: quantize_rows was not compiled for this device, or needs instructions that it "
        "lacks; the kernels are compiled for 90a, and the device is 80");
  device().fails = {mx::kernels::launch_error::misaligned, "x", 4};
  CHECK(quantized() == mx_status_bad_argument);
  device().fails = {mx::kernels::launch_error::format, "the model"};
  CHECK(quantized() == mx_status_unsupported);
}
