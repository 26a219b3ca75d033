// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/block_bench.cpp: `bench quantize.mxfp4`, `dequantize.mxfp4`, `decompose.mxfp4`.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <random>

#include "mx/tensor/blocks.h"
#include "mx/tensor/bulk.h"
#include "mx/tensor/energy.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {
namespace {

constexpr std::uint64_t elements = std::uint64_t{64} << 20;  ///< 256 MiB of FP32
constexpr std::uint64_t cached_elements = std::uint64_t{1} << 16;
constexpr int cached_passes = 256;
constexpr int block_rounds = 9;

/// Line-aligned memory, touched once so that every page is mapped.
template <class T>
class lines {
 public:
  explicit lines(std::uint64_t count)
      : memory_(static_cast<T*>(std::aligned_alloc(4096, (count * sizeof(T) + 4095) / 4096 * 4096)),
                std::free) {
    if (memory_ == nullptr) throw std::bad_alloc();
    std::fill_n(memory_.get(), count, T{});
  }
  [[nodiscard]] T* get() const { return memory_.get(); }

 private:
  std::unique_ptr<T, void (*)(void*)> memory_;
};

/// Input of the benches: N(0, 1), with the same bits on every run.
struct tensor {
  lines<float> x{elements}, values{elements};
  lines<std::uint8_t> codes{elements / 2 + elements / 32}, scales{elements / 32};

  tensor() {
    std::mt19937_64 random(1);
    std::normal_distribution<float> normal;
    for (std::uint64_t i = 0; i < elements; ++i) x.get()[i] = normal(random);
  }
};

const tensor& bench_tensor() {
  static const tensor t;
  return t;
}

void quantize(const mx::quantization& q, std::uint64_t count) {
  const tensor& t = bench_tensor();
  mx::quantize_tensor(q, mx::number_type::fp32, t.x.get(), {.length = count},
                      {t.codes.get(), t.scales.get()});
}

mx::quantization mxfp4(mx::scale_rule rule, mx::rounding rounding = mx::rounding::ties_to_even) {
  return {mx::block_formats::mxfp4, rule, rounding};
}

double gigabytes(std::uint64_t count, double seconds) {
  return static_cast<double>(count * sizeof(float)) / seconds * 1e-9;
}

bench_result beside_memory(const std::string& name, double seconds,
                           const memory_yardstick::figure& best, const std::string& pass) {
  return beside(name, gigabytes(elements, seconds), "GB/s", pass + ", " + best.name,
                gigabytes(elements, best.seconds));
}

/// Median seconds of each work, interleaved with one another and with the yardstick.
std::vector<double> by_turns(const std::vector<std::function<void()>>& works,
                             memory_yardstick& yardstick) {
  std::vector<std::vector<double>> seconds(works.size());
  for (int round = 0; round < block_rounds; ++round) {
    yardstick.run();
    for (std::size_t i = 0; i < works.size(); ++i) seconds[i].push_back(seconds_of(works[i]));
  }
  std::vector<double> medians;
  for (const std::vector<double>& of_work : seconds) medians.push_back(median(of_work));
  return medians;
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
  const tensor& t = bench_tensor();
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

struct other_case {
  const char* name;
  mx::quantization q;
};

/// Other formats against the same yardstick, each on a part of the tensor.
void add_others(std::vector<bench_result>& results, const memory_yardstick::figure& best) {
  using namespace mx::block_formats;
  using mx::scale_rule;
  const other_case cases[] = {{"mxfp8-e4m3", {mxfp8_e4m3}},
                              {"mxfp6-e2m3", {mxfp6_e2m3}},
                              {"mxint8", {mxint8}},
                              {"nvfp4", {nvfp4, scale_rule::ideal}},
                              {"fp8-1x128", {fp8_1x128, scale_rule::ideal}}};
  const lines<std::uint8_t> codes(part), scales(part / 16);
  const tensor& t = bench_tensor();
  const float tensor_scale = 0x1p-9F;
  for (const other_case& c : cases) {
    const double seconds = seconds_of_part([&] {
      mx::quantize_tensor(c.q, mx::number_type::fp32, t.x.get(), {.length = part},
                          {codes.get(), scales.get(), &tensor_scale});
    });
    results.push_back(beside_memory(fmt::format("extra.quantize.{}", c.name), 8 * seconds, best,
                                    "read and 17/128 written"));
  }
}

}  // namespace

std::vector<bench_result> bench_quantize() {
  auto one_thread =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, 1);
  const tensor& t = bench_tensor();
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
  add_others(results, best);
  const double one = cached_rate(1);
  one_thread.reset();
  results.push_back(beside("extra.quantize.mxfp4.two_threads", cached_rate(2), "GB/s",
                           "one thread, in cache", one));
  return results;
}

std::vector<bench_result> bench_dequantize() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const tensor& t = bench_tensor();
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
  const tensor& t = bench_tensor();
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
  return {
      beside_memory("decompose.mxfp4", std::max(seconds[0], seconds[1]), best, "streaming read"),
      beside_memory("extra.decompose.mxfp4.floor", seconds[0], best, "streaming read"),
      beside_memory("extra.decompose.mxfp4.rceil", seconds[1], best, "streaming read")};
}

}  // namespace sim::cli
