// SPDX-License-Identifier: Apache-2.0
// kernels/bench/matrix_benches.cpp: quantizers beside a copy, the decomposition beside a read. Has
// not run on its hardware.
#include <algorithm>

#include "device_bench.h"
#include "mx/kernels/decompose.h"
#include "mx/kernels/rotate.h"

namespace mx::kernels {
namespace {

constexpr matrix_shape shape{std::int64_t{1} << 17, 8192};
constexpr std::int64_t elements = shape.rows * shape.columns;
constexpr std::int64_t coded_bytes = elements / 2 + elements / 16;  ///< NVFP4 has the most scales

constexpr quantization with(scale_rule rule) { return {block_formats::mxfp4, rule}; }
constexpr quantization nvfp4{block_formats::nvfp4, scale_rule::ideal};
constexpr quantization drawn{block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {7, 8}};

/// A matrix and memory for the results of quantizers.
struct quantizer_memory {
  device_bytes x, rows, columns, out;
  device_array<float> tensor_scale{std::vector<float>{0x1p-9F}};

  quantizer_memory(number_type type, std::int64_t value_bytes)
      : x(normal_values(type, elements, 1)),
        rows(coded_bytes),
        columns(coded_bytes),
        out(static_cast<std::size_t>(value_bytes)) {}
};

/// A work, and the bytes that it reads and writes.
struct timed_kernel {
  std::string name;
  std::int64_t bytes;
  std::function<void()> launch;
};

class quantizer_bench {
 public:
  quantizer_bench(number_type type, const quantizer_memory& memory)
      : type_(type), values_(elements * static_cast<std::int64_t>(bytes_of(type))), at_(memory) {}

  [[nodiscard]] timed_kernel rows(const std::string& name, const quantization& how,
                                  scale_layout layout = scale_layout::linear) const {
    return {name, values_ + bytes_of_codes(how), [this, how, layout] {
              quantize_request r = request(how);
              r.how.layout = layout;
              expect_done(quantize(r, nullptr));
            }};
  }
  [[nodiscard]] timed_kernel both(const std::string& name, const quantization& how) const {
    return {name, values_ + 2 * bytes_of_codes(how), [this, how] {
              quantize_request r = request(how);
              r.columns = coded(at_.columns);
              expect_done(quantize(r, nullptr));
            }};
  }
  [[nodiscard]] timed_kernel rotated(const std::string& name, const quantization& how) const {
    return {name, values_ + bytes_of_codes(how), [this, how] {
              quantize_request r = request(how);
              r.how.corrections.rotation = {32, rotation_signs::random, 5};
              expect_done(rotate_quantize({r}, nullptr));
            }};
  }
  [[nodiscard]] timed_kernel back(const std::string& name, const quantization& how) const {
    return {
        name, values_ + bytes_of_codes(how), [this, how] {
          const coded_lines from = coded(at_.rows);
          expect_done(dequantize(
              {{how}, shape, from.codes, from.scales, nullptr, type_, at_.out.data()}, nullptr));
        }};
  }
  [[nodiscard]] timed_kernel fake(const std::string& name, const quantization& how) const {
    return {name, 2 * values_, [this, how] {
              expect_done(fake_quantize(
                  {{how}, type_, shape, at_.x.data(), nullptr, at_.out.data()}, nullptr));
            }};
  }

 private:
  static std::int64_t bytes_of_codes(const quantization& how) {
    const coded_size size = size_of(how.format, scale_layout::linear, shape.rows, shape.columns);
    return size.code_bytes + size.scale_bytes;
  }
  static coded_lines coded(const device_bytes& memory) {
    return {memory.data(), memory.data() + elements / 2};
  }
  [[nodiscard]] quantize_request request(const quantization& how) const {
    return {{how}, type_, shape, at_.x.data(), at_.tensor_scale.data(), coded(at_.rows), {}};
  }

  number_type type_;
  std::int64_t values_;
  const quantizer_memory& at_;
};

figure figure_of(const std::string& name, std::int64_t bytes, double seconds, double copy_rate,
                 const std::string& yardstick) {
  return {name, static_cast<double>(bytes) / seconds * 1e-9, "GB/s", yardstick, copy_rate};
}

/// The first two are floor and rceil, in the plainest configuration.
std::vector<timed_kernel> quantizer_kernels(number_type type, const quantizer_bench& bench) {
  const std::string end = type == number_type::fp32 ? ".fp32" : "";
  const std::string quantize = "extra.cuda.quantize.";
  const quantization rceil = with(scale_rule::rceil);
  return {bench.rows(quantize + "mxfp4.floor" + end, with(scale_rule::floor)),
          bench.rows(quantize + "mxfp4.rceil" + end, rceil),
          bench.rows(quantize + "mxfp4.128x4" + end, rceil, scale_layout::blocked_128x4),
          bench.both(quantize + "mxfp4.both" + end, rceil),
          bench.rows(quantize + "mxfp4.stochastic" + end, drawn),
          bench.rows(quantize + "nvfp4" + end, nvfp4),
          bench.rotated("extra.cuda.rotate_quantize.mxfp4" + end, rceil),
          bench.back("extra.cuda.dequantize.mxfp4" + end, rceil),
          bench.fake("extra.cuda.fake_quantize.mxfp4" + end, rceil)};
}

/// Copies within device memory that read half of the bytes and write the other half.
std::function<void()> copy_of(const device_bytes& from, const device_bytes& to,
                              std::int64_t bytes) {
  return [&from, &to, half = static_cast<std::size_t>(bytes / 2)] {
    expect_done(cudaMemcpyAsync(to.data(), from.data(), half, cudaMemcpyDeviceToDevice, nullptr),
                "cudaMemcpyAsync");
  };
}

}  // namespace

std::vector<figure> quantize_figures(std::string_view name, number_type type) {
  const std::int64_t values = elements * static_cast<std::int64_t>(bytes_of(type));
  expect_free(static_cast<std::uint64_t>(2 * values + 2 * coded_bytes) + (std::uint64_t{1} << 26));
  const quantizer_memory memory(type, values);
  const quantizer_bench bench(type, memory);
  const std::vector<timed_kernel> kernels = quantizer_kernels(type, bench);
  const std::int64_t bytes = kernels[0].bytes;
  works all{copy_of(memory.x, memory.out, bytes)};
  for (const timed_kernel& kernel : kernels) all.push_back(kernel.launch);
  const std::vector<double> seconds = device_seconds_of(all);
  const std::int64_t copied = bytes / 2 * 2;
  const double copy = static_cast<double>(copied) / seconds[0] * 1e-9;
  const char* yardstick = "device-to-device copy, bytes read and written";
  std::vector<figure> figures{
      figure_of(std::string(name), bytes, std::max(seconds[1], seconds[2]), copy, yardstick)};
  for (std::size_t i = 0; i < kernels.size(); ++i) {
    figures.push_back(
        figure_of(kernels[i].name, kernels[i].bytes, seconds[i + 1], copy, yardstick));
  }
  return figures;
}

std::vector<figure> decompose_figures(std::string_view name) {
  constexpr number_type type = number_type::fp32;
  constexpr std::int64_t bytes = elements * 4;
  expect_free(static_cast<std::uint64_t>(bytes) + (std::uint64_t{1} << 27));
  const device_bytes x = normal_values(type, elements, 1);
  const auto shares = static_cast<std::size_t>(share_entries_of(block_formats::mxfp4, shape));
  const device_array<error_energy> energies(shares), sum(1);
  const auto decomposition = [&](scale_rule rule) {
    return [&, rule] {
      expect_done(decompose(
          {{with(rule)}, type, shape, x.data(), nullptr, energies.data(), sum.data()}, nullptr));
    };
  };
  works all = read_passes(x);
  const auto passes = static_cast<std::ptrdiff_t>(all.size());
  all.push_back(decomposition(scale_rule::floor));
  all.push_back(decomposition(scale_rule::rceil));
  const std::vector<double> seconds = device_seconds_of(all);
  const double best_pass = *std::min_element(seconds.begin(), seconds.begin() + passes);
  const double slower = *std::max_element(seconds.begin() + passes, seconds.end());
  return {figure_of(std::string(name), bytes, slower, static_cast<double>(bytes) / best_pass * 1e-9,
                    "a read of the same bytes, the fastest of " + std::to_string(passes))};
}

}  // namespace mx::kernels
