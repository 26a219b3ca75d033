// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/block_bench.cpp: `bench quantize.mxfp4`, `dequantize.mxfp4`, `decompose.mxfp4`.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>

#include "mx/tensor/blocks.h"
#include "mx/tensor/bulk.h"
#include "mx/tensor/corrected.h"
#include "mx/tensor/energy.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/bench_tensor.h"

namespace sim::cli {
namespace {

constexpr std::uint64_t elements = bench_tensor::elements;
constexpr std::uint64_t cached_elements = std::uint64_t{1} << 16;
constexpr int cached_passes = 256;

void quantize(const mx::quantization& q, std::uint64_t count) {
  const bench_tensor& t = bench_tensor::shared();
  mx::quantize_tensor(q, mx::number_type::fp32, t.x.get(), {.length = count},
                      {t.codes.get(), t.scales.get()});
}

mx::quantization mxfp4(mx::scale_rule rule, mx::rounding rounding = mx::rounding::ties_to_even) {
  return {mx::block_formats::mxfp4, rule, rounding};
}

bench_result beside_memory(const std::string& name, double seconds,
                           const memory_yardstick::figure& best, const std::string& pass) {
  return beside(name, gigabytes(elements, seconds), "GB/s", pass + ", " + best.name,
                gigabytes(elements, best.seconds));
}

/// GB/s of wall-clock time on `threads` threads, each with data that stays in its cache.
double cached_rate(std::size_t threads) {
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, threads);
  constexpr std::uint64_t count = 8 * cached_elements;
  std::vector<double> seconds;
  for (int round = 0; round < block_rounds; ++round) {
    seconds.push_back(wall_seconds_of([] {
      for (int i = 0; i < cached_passes / 8; ++i) quantize(mxfp4(mx::scale_rule::rceil), count);
    }));
  }
  return gigabytes(count * (cached_passes / 8), *std::ranges::min_element(seconds));
}

/// A part of the tensor that is still written past the caches.
constexpr std::uint64_t part = elements / 8;

/// Median seconds of a few runs after an uncounted one.
double seconds_of_part(const std::function<void()>& work) {
  work();
  std::vector<double> seconds;
  for (int round = 0; round < block_rounds / 2; ++round) seconds.push_back(seconds_of(work));
  return median(seconds);
}

/// Quantizes a part of the tensor with the scalar core, without packing.
void quantize_by_core(std::uint64_t count) {
  const bench_tensor& t = bench_tensor::shared();
  for (std::uint64_t b = 0; b < count / 32; ++b) {
    const mx::chosen_scale scale =
        mx::quantize_block(mxfp4(mx::scale_rule::rceil), t.x.get() + b * 32, mx::no_tensor_scale, b,
                           t.codes.get() + b * 32);
    t.scales.get()[b] = static_cast<std::uint8_t>(scale.code);
  }
}

/// Every instruction set, and the scalar core, relative to the best set.
void add_instruction_sets(std::vector<bench_result>& results) {
  double best = 0;
  for (const std::string& set : mx::instruction_sets()) {
    mx::use_instruction_set(set);
    const double rate =
        gigabytes(part, seconds_of_part([] { quantize(mxfp4(mx::scale_rule::rceil), part); }));
    best = std::max(best, rate);
    results.push_back(
        beside("extra.quantize.mxfp4." + set, rate, "GB/s", "the best instruction set", best));
  }
  mx::use_instruction_set("");
  const double seconds = seconds_of([] { quantize_by_core(part / 8); });
  results.push_back(beside("extra.quantize.mxfp4.core", gigabytes(part / 8, seconds), "GB/s",
                           "the best instruction set", best));
}

enum class tensor_scale_source : std::uint8_t { given, chosen };

struct other_case {
  const char* name;
  mx::quantization q;
  int lines;  ///< written for 128 lines of FP32
  tensor_scale_source scale = tensor_scale_source::given;
};

/// A part of the tensor in a format of its own, and space for what it is quantized to.
struct other_tensor {
  mx::number_type type;
  const void* x;
  std::uint64_t count;
  std::uint8_t *codes, *scales;

  [[nodiscard]] std::uint64_t bytes() const { return count * mx::bytes_of(type); }

  void quantize(const other_case& c) const {
    float scale = 0x1p-9F;
    const mx::blocked_shape shape{.length = count};
    if (c.scale == tensor_scale_source::chosen) {
      mx::choose_tensor_scales(c.q.format, type, x, shape, &scale);
    }
    mx::quantize_tensor(c.q, type, x, shape, {codes, scales, &scale});
  }
};

/// A format against a yardstick that reads and writes its own bytes.
bench_result measured(const std::string& name, const other_case& c, const other_tensor& t) {
  const int lines = c.lines * static_cast<int>(sizeof(float) / mx::bytes_of(t.type));
  memory_yardstick yardstick(memory_pass::read_write, t.bytes(), t.x, t.codes, lines);
  const double seconds = by_turns({[&] { t.quantize(c); }}, yardstick)[0];
  const memory_yardstick::figure best = yardstick.best();
  const auto rate = [&t](double taken) { return static_cast<double>(t.bytes()) / taken * 1e-9; };
  return beside("extra.quantize." + name, rate(seconds), "GB/s",
                fmt::format("read and {}/128 written, {}", lines, best.name), rate(best.seconds));
}

/// `count` numbers of the tensor in BF16.
lines<std::uint16_t> narrowed(std::uint64_t count) {
  lines<std::uint16_t> narrow(count);
  const float* x = bench_tensor::shared().x.get();
  for (std::uint64_t i = 0; i < count; ++i) {
    narrow.get()[i] =
        static_cast<std::uint16_t>(mx::encode(mx::formats::bfloat16, mx::unpack(x[i]),
                                              mx::rounding::ties_to_even, mx::overflow::saturate));
  }
  return narrow;
}

/// Other formats, and the most frequent ones from BF16, which has half the bytes to read.
void add_others(std::vector<bench_result>& results) {
  using namespace mx::block_formats;
  using lines_written::bytes_of_32, lines_written::four_bits_of_16, lines_written::four_bits_of_32;
  using mx::scale_rule;
  const other_case cases[] = {
      {"mxfp8-e4m3", {mxfp8_e4m3}, bytes_of_32},
      {"mxfp6-e2m3", {mxfp6_e2m3}, bytes_of_32},
      {"mxint8", {mxint8}, bytes_of_32},
      {"nvfp4", {nvfp4, scale_rule::ideal}, four_bits_of_16},
      {"nvfp4.chosen", {nvfp4, scale_rule::ideal}, four_bits_of_16, tensor_scale_source::chosen},
      {"nvfp4.4over6-mse", {nvfp4, scale_rule::four_over_six_mse}, four_bits_of_16},
      {"mxfp4.mse", {mx::block_formats::mxfp4, scale_rule::mse}, four_bits_of_32},
      {"fp8-1x128", {fp8_1x128, scale_rule::ideal}, bytes_of_32}};
  constexpr std::uint64_t count = bench_tensor::large_part;
  const lines<std::uint8_t> codes(2 * count + 2 * count / 32), scales(2 * count / 16);
  const other_tensor whole{mx::number_type::fp32, bench_tensor::shared().x.get(), count,
                           codes.get(), scales.get()};
  for (const other_case& c : cases) results.push_back(measured(c.name, c, whole));

  const other_case from_bf16[] = {{"mxfp4", mxfp4(scale_rule::rceil), four_bits_of_32},
                                  {"mxfp8-e4m3", {mxfp8_e4m3}, bytes_of_32},
                                  {"nvfp4", {nvfp4, scale_rule::ideal}, four_bits_of_16},
                                  {"fp8-1x128", {fp8_1x128, scale_rule::ideal}, bytes_of_32}};
  const lines<std::uint16_t> narrow = narrowed(2 * count);
  const other_tensor half{mx::number_type::bf16, narrow.get(), 2 * count, codes.get(),
                          scales.get()};
  for (const other_case& c : from_bf16) {
    results.push_back(measured(fmt::format("{}.bf16", c.name), c, half));
  }
}

/// MXFP4 under the factors of macro blocks, in rows of 4096.
bench_result macro_blocks() {
  const bench_tensor& t = bench_tensor::shared();
  mx::corrections c;
  c.macro_block = 128;
  const mx::blocked_shape shape{.rows = part / 4096, .length = 4096};
  memory_yardstick yardstick(memory_pass::read_write, part * sizeof(float), t.x.get(),
                             t.codes.get());
  const double seconds = by_turns({[&] {
                                    static_cast<void>(mx::quantize_corrected(
                                        mxfp4(mx::scale_rule::rceil), c, mx::number_type::fp32,
                                        t.x.get(), shape, mx::code_packing::packed));
                                  }},
                                  yardstick)[0];
  const memory_yardstick::figure best = yardstick.best();
  return beside("extra.quantize.mxfp4.mbs", gigabytes(part, seconds), "GB/s",
                "read and 17/128 written, " + best.name, gigabytes(part, best.seconds));
}

}  // namespace

std::vector<bench_result> bench_quantize() {
  auto one_thread =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, 1);
  const bench_tensor& t = bench_tensor::shared();
  memory_yardstick yardstick(memory_pass::read_write, elements * sizeof(float), t.x.get(),
                             t.codes.get());
  const auto with = [](mx::scale_rule rule, mx::rounding rounding) {
    return [rule, rounding] { quantize(mxfp4(rule, rounding), elements); };
  };
  const std::vector<double> seconds =
      by_turns({with(mx::scale_rule::floor, mx::rounding::ties_to_even),
                with(mx::scale_rule::rceil, mx::rounding::ties_to_even),
                with(mx::scale_rule::floor, mx::rounding::stochastic)},
               yardstick);
  const memory_yardstick::figure best = yardstick.best();
  const std::string pass = "read and 17/128 written";
  std::vector<bench_result> results{
      beside_memory("quantize.mxfp4", std::max(seconds[0], seconds[1]), best, pass),
      beside_memory("extra.quantize.mxfp4.floor", seconds[0], best, pass),
      beside_memory("extra.quantize.mxfp4.rceil", seconds[1], best, pass),
      beside_memory("extra.quantize.mxfp4.stochastic", seconds[2], best, pass)};
  add_instruction_sets(results);
  add_others(results);
  results.push_back(macro_blocks());
  const double one = cached_rate(1);
  one_thread.reset();
  results.push_back(beside("extra.quantize.mxfp4.two_threads", cached_rate(2), "GB/s",
                           "one thread, in cache", one));
  return results;
}

std::vector<bench_result> bench_dequantize() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const bench_tensor& t = bench_tensor::shared();
  quantize(mxfp4(mx::scale_rule::floor), elements);
  memory_yardstick yardstick(memory_pass::write, elements * sizeof(float), nullptr, t.values.get());
  const std::vector<double> seconds =
      by_turns({[&] {
                 mx::dequantize_tensor(mx::block_formats::mxfp4, {t.codes.get(), t.scales.get()},
                                       {.length = elements}, t.values.get());
               }},
               yardstick);
  return {beside_memory("dequantize.mxfp4", seconds[0], yardstick.best(), "streaming write")};
}

std::vector<bench_result> bench_decompose() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const bench_tensor& t = bench_tensor::shared();
  memory_yardstick yardstick(memory_pass::read, elements * sizeof(float), t.x.get(), t.codes.get());
  const auto decompose = [&](mx::scale_rule rule) {
    return [&, rule] {
      static_cast<void>(mx::decompose_tensor(mxfp4(rule), mx::number_type::fp32, t.x.get(),
                                             {.length = elements}));
    };
  };
  const std::vector<double> seconds =
      by_turns({decompose(mx::scale_rule::floor), decompose(mx::scale_rule::rceil)}, yardstick);
  const memory_yardstick::figure best = yardstick.best();
  const auto row = [&](const std::string& name, double taken) {
    return beside_memory(name, taken, best, "streaming read");
  };
  std::vector<bench_result> results{row("decompose.mxfp4", std::max(seconds[0], seconds[1])),
                                    row("extra.decompose.mxfp4.floor", seconds[0]),
                                    row("extra.decompose.mxfp4.rceil", seconds[1])};
  const auto add = [&](const std::string& name, const mx::quantization& q) {
    constexpr std::uint64_t shares = 128;
    const float scale = 0x1p-9F;
    const double taken = seconds_of_part([&] {
      static_cast<void>(mx::decompose_tensor(q, mx::number_type::fp32, t.x.get(),
                                             {.length = elements / shares}, &scale));
    });
    results.push_back(row("extra.decompose." + name, shares * taken));
  };
  add("nvfp4", {mx::block_formats::nvfp4, mx::scale_rule::ideal});
  add("mxfp8-e4m3", {mx::block_formats::mxfp8_e4m3});
  return results;
}

}  // namespace sim::cli
