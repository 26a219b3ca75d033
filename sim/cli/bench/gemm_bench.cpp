// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/gemm_bench.cpp: `bench gemm.fp32.sequential`, `gemm.blackwell.mxf4`, `.mxf4nvf4`,
// `.spread`, and `dot.blackwell.mxf4`.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <optional>
#include <random>

#include "mx/dot/bulk_dot.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/dot.h"
#include "mx/tensor/blocks.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/dot_yardstick.h"
#include "sim/cli/bench/large_product.h"
#include "sim/cli/bench/memory_yardstick.h"
#include "sim/cli/bench/openblas.h"

namespace sim::cli {
namespace {

using large_product::depth, large_product::m, large_product::n, large_product::operations;

constexpr int rounds = 7;

struct coded_lines {
  std::vector<std::uint8_t> codes, scales;

  [[nodiscard]] mx::gemm_operand operand() const {
    return {codes.data(), mx::code_storage::pairs, depth / 2, scales.data()};
  }
};

/// N(0, 1) in MXFP4 or NVFP4, the same bits on every run.
coded_lines normal_lines(int lines, std::uint64_t seed,
                         const mx::block_format& f = mx::block_formats::mxfp4) {
  std::mt19937_64 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> x(static_cast<std::size_t>(lines) * depth);
  for (float& value : x) value = normal(random);
  coded_lines coded{std::vector<std::uint8_t>(x.size() / 2),
                    std::vector<std::uint8_t>(x.size() / static_cast<std::size_t>(f.columns))};
  constexpr float tensor_scale = 1;  // of formats that have one
  mx::quantize_tensor(
      {f}, mx::number_type::fp32, x.data(), {.length = x.size()},
      {.codes = coded.codes.data(), .scales = coded.scales.data(), .tensor_scales = &tensor_scale});
  return coded;
}

/// The same with exponents of scales uniform in [-8, 8].
coded_lines spread_lines(int lines, std::uint64_t seed) {
  coded_lines coded = normal_lines(lines, seed);
  std::mt19937_64 random(seed);
  for (std::uint8_t& scale : coded.scales) {
    scale = static_cast<std::uint8_t>(mx::e8m0::bias - 8 + static_cast<int>(random() % 17));
  }
  return coded;
}

/// N(0, 1) in NVFP4 with any normal exponent of UE4M3 in the scales.
coded_lines spread_nvfp4_lines(int lines, std::uint64_t seed) {
  coded_lines coded = normal_lines(lines, seed, mx::block_formats::nvfp4);
  std::mt19937_64 random(seed);
  for (std::uint8_t& scale : coded.scales) {
    scale = static_cast<std::uint8_t>((1 + random() % 14) << 3 | scale % 8);
  }
  return coded;
}

mx::gemm_plan plan_of(const char* model) {
  mx::gemm_plan plan;
  plan.model = mx::model_named(model)->model;
  return plan;
}

/// Best seconds of a product and of sgemm, interleaved.
struct timed_product {
  double product = std::numeric_limits<double>::infinity();
  double sgemm = std::numeric_limits<double>::infinity();
};

class product_bench {
 public:
  product_bench(const char* model, coded_lines a, coded_lines b)
      : plan_(plan_of(model)), a_(std::move(a)), b_(std::move(b)), d_(std::size_t{m} * n) {}

  void run() { mx::gemm(plan_, {m, n, depth}, a_.operand(), b_.operand(), nullptr, d_.data()); }

  [[nodiscard]] timed_product beside_sgemm(const std::optional<openblas>& blas) {
    const std::vector<float> a(std::size_t{m} * depth, 0.5F), b(std::size_t{depth} * n, 0.5F);
    std::vector<float> c(std::size_t{m} * n);
    timed_product best;
    for (int round = 0; round < rounds; ++round) {
      if (blas) {
        const auto sgemm = [&] { blas->multiply(m, n, depth, a.data(), b.data(), c.data()); };
        best.sgemm = std::min(best.sgemm, wall_seconds_of(sgemm));
      }
      best.product = std::min(best.product, wall_seconds_of([&] { run(); }));
    }
    return best;
  }

 private:
  mx::gemm_plan plan_;
  coded_lines a_, b_;
  std::vector<std::uint32_t> d_;
};

double best_rate(product_bench& bench) {
  double best = std::numeric_limits<double>::infinity();
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, wall_seconds_of([&] { bench.run(); }));
  }
  return operations / best * 1e-9;
}

/// Slower methods of this machine.
void add_other_ways(const std::string& name, product_bench& bench, double sgemm,
                    std::vector<bench_result>& results) {
  const std::vector<std::string> ways = mx::dot_instructions();
  for (std::size_t i = 1; i < ways.size(); ++i) {
    mx::use_dot_instruction(ways[i]);
    results.push_back(
        beside("extra." + name + "." + ways[i], best_rate(bench), "GFLOP/s", "sgemm", sgemm));
  }
  mx::use_dot_instruction("");
}

double two_threads_rate(product_bench& bench) {
  const tbb::global_control two(tbb::global_control::max_allowed_parallelism, 2);
  return best_rate(bench);
}

/// A product relative to sgemm and to the dot instruction, and with two threads.
std::vector<bench_result> bench_product(const std::string& name, const char* model, coded_lines a,
                                        coded_lines b) {
  const std::optional<openblas> blas = openblas::load();
  product_bench bench(model, std::move(a), std::move(b));
  auto one_thread =
      std::make_unique<tbb::global_control>(tbb::global_control::max_allowed_parallelism, 1);
  const timed_product best = bench.beside_sgemm(blas);
  const double rate = operations / best.product * 1e-9;
  std::vector<bench_result> results;
  if (blas) {
    results.push_back(beside(name, rate, "GFLOP/s", "sgemm, OpenBLAS " + blas->core(),
                             operations / best.sgemm * 1e-9));
  } else {
    results.push_back({name, rate, "GFLOP/s", "sgemm: OpenBLAS is missing", {}, {}});
  }
  for (const dot_yardstick& peak : {measure_dot_yardstick(), measure_matrix_yardstick()}) {
    if (peak.name.empty()) continue;
    const std::string extra = peak.name.front() == 'V' ? ".peak" : ".matrix_peak";
    results.push_back(
        beside("extra." + name + extra, rate, "GFLOP/s", peak.name, 2 * peak.products));
  }
  if (blas) add_other_ways(name, bench, operations / best.sgemm * 1e-9, results);
  one_thread.reset();
  results.push_back(beside("extra." + name + ".two_threads", two_threads_rate(bench), "GFLOP/s",
                           "one thread", rate));
  return results;
}

/// Random words of 64 products.
struct random_words {
  static constexpr std::int64_t count = 1 << 20;
  std::vector<std::uint8_t> a, b, scale_a, scale_b;
  std::vector<std::uint32_t> c, d;

  random_words()
      : a(count * 64), b(count * 64), scale_a(count * 2), scale_b(count * 2), c(count), d(count) {
    std::mt19937_64 random(1);
    for (std::uint8_t& code : a) code = random() % 16;
    for (std::uint8_t& code : b) code = random() % 16;
    for (std::uint8_t& scale : scale_a) scale = static_cast<std::uint8_t>(random());
    for (std::uint8_t& scale : scale_b) scale = static_cast<std::uint8_t>(random());
    for (std::uint32_t& bits : c) bits = static_cast<std::uint32_t>(random());
  }
};

}  // namespace

std::vector<bench_result> bench_sequential_gemm() {
  return bench_product("gemm.fp32.sequential", "fp32.sequential", normal_lines(m, 1),
                       normal_lines(n, 2));
}

std::vector<bench_result> bench_blackwell_gemm() {
  return bench_product("gemm.blackwell.mxf4", "blackwell.mxf4", normal_lines(m, 1),
                       normal_lines(n, 2));
}

std::vector<bench_result> bench_spread_gemm() {
  return bench_product("gemm.blackwell.mxf4.spread", "blackwell.mxf4", spread_lines(m, 1),
                       spread_lines(n, 2));
}

std::vector<bench_result> bench_nvfp4_gemm() {
  return bench_product("gemm.blackwell.mxf4nvf4", "blackwell.mxf4nvf4",
                       normal_lines(m, 1, mx::block_formats::nvfp4),
                       normal_lines(n, 2, mx::block_formats::nvfp4));
}

std::vector<bench_result> bench_spread_nvfp4_gemm() {
  return bench_product("gemm.blackwell.mxf4nvf4.spread", "blackwell.mxf4nvf4",
                       spread_nvfp4_lines(m, 1), spread_nvfp4_lines(n, 2));
}

std::vector<bench_result> bench_dot() {
  const tbb::global_control one_thread(tbb::global_control::max_allowed_parallelism, 1);
  const mx::dot_model model = mx::model_named("blackwell.mxf4")->model;
  random_words w;
  double best = std::numeric_limits<double>::infinity(), core = best;
  constexpr std::int64_t few = random_words::count / 16;
  for (int round = 0; round < rounds; ++round) {
    best = std::min(best, wall_seconds_of([&] {
                      mx::dot_all(model, {w.count, 64, w.a.data(), w.b.data(), w.scale_a.data(),
                                          w.scale_b.data(), w.c.data(), w.d.data()});
                    }));
    core = std::min(core, wall_seconds_of([&] {
                      for (std::int64_t v = 0; v < few; ++v) {
                        w.d[static_cast<std::size_t>(v)] =
                            mx::dot(model, &w.a[static_cast<std::size_t>(v * 64)],
                                    &w.b[static_cast<std::size_t>(v * 64)], 64,
                                    w.c[static_cast<std::size_t>(v)],
                                    &w.scale_a[static_cast<std::size_t>(v * 2)],
                                    &w.scale_b[static_cast<std::size_t>(v * 2)]);
                      }
                    }));
  }
  return {beside("dot.blackwell.mxf4", random_words::count / best * 1e-6, "Mword/s",
                 "scalar replay of the core", few / core * 1e-6)};
}

}  // namespace sim::cli
