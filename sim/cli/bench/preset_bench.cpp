// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/preset_bench.cpp: `bench quantize.presets`: the quantizers of public kernels.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>

#include "mx/presets/variants.h"
#include "mx/tensor/coded_tensor.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/bench_tensor.h"

namespace sim::cli {
namespace {

constexpr std::array presets{
    "torchao-0.18.floor", "torchao-0.18.rceil", "torchao-0.18.even",   "te.mxfp8",
    "te.nvfp4",           "te.nvfp4-2d",        "te.nvfp4-row-scaled", "vllm.ue8m0",
    "vllm.nvfp4",         "aiter.even",         "aiter.rceil",         "triton.v2.up",
    "triton.v2.down",     "flashinfer.nvfp4",   "trtllm.nvfp4",        "torchao.nvfp4",
    "ggml.mxfp4",         "ggml.nvfp4"};

constexpr std::uint64_t columns = 4096, rows = bench_tensor::large_part / columns;

/// A matrix of the bench's tensor, coded as by a preset.
class preset_work {
 public:
  explicit preset_work(std::string_view name)
      : recipe_(recipe_of(name)),
        shape_(mx::coded_shape_of(recipe_, {{rows, columns}, 1})),
        codes_(bench_tensor::large_part),
        scales_(bench_tensor::large_part / 16),
        above_(rows * sizeof(float)),
        amax_(rows * sizeof(float)) {}

  void run() const {
    mx::coded_arrays out{};
    out.first.codes = codes_.get();
    out.first.scales = scales_.get();
    out.tensor_scales = above_.get();
    out.tensor_amax = amax_.get();
    mx::quantize_tensor(recipe_, shape_, mx::number_type::fp32, bench_tensor::shared().x.get(),
                        nullptr, out);
  }

 private:
  static mx::recipe recipe_of(std::string_view name) {
    const mx::variant_entry* entry = mx::variant_named(name);
    mx::recipe r{{entry->about.formats.front()}};
    r.preset = static_cast<int>(entry - mx::variant_table.data());
    r.codes.nibbles = entry->about.packing;
    return r;
  }

  mx::recipe recipe_;
  mx::coded_shape shape_;
  lines<std::uint8_t> codes_, scales_, above_, amax_;
};

}  // namespace

std::vector<bench_result> bench_presets() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const bench_tensor& t = bench_tensor::shared();
  memory_yardstick yardstick(memory_pass::read_write, bench_tensor::large_part * sizeof(float),
                             t.x.get(), t.codes.get());
  std::vector<std::function<void()>> works;
  for (const char* name : presets) {
    works.emplace_back([work = std::make_shared<preset_work>(name)] { work->run(); });
    works.back()();  // tables are made once in a process
  }
  const std::vector<double> seconds = by_turns(works, yardstick);
  const memory_yardstick::figure best = yardstick.best();
  const auto row = [&](const std::string& name, double taken) {
    return beside(name, gigabytes(bench_tensor::large_part, taken), "GB/s",
                  "read and 17/128 written, " + best.name,
                  gigabytes(bench_tensor::large_part, best.seconds));
  };
  std::vector<bench_result> results{
      row("quantize.presets", median(seconds)),
      row("extra.quantize.presets.slowest", *std::ranges::max_element(seconds))};
  for (std::size_t i = 0; i < presets.size(); ++i) {
    results.push_back(row(fmt::format("extra.quantize.{}", presets[i]), seconds[i]));
  }
  return results;
}

}  // namespace sim::cli
