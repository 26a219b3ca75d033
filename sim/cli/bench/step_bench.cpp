// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/step_bench.cpp: `bench gemm.MODEL`, `gemm.MODEL.spread` and `dot.MODEL` of tensor
// cores that add their products in steps.
#include <fmt/format.h>
#include <tbb/global_control.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <random>

#include "mx/dot/bulk_dot.h"
#include "mx/dot/bulk_gemm.h"
#include "mx/dot/dot.h"
#include "mx/number/e8m0.h"
#include "mx/tensor/bulk.h"
#include "sim/cli/bench/bench.h"
#include "sim/cli/bench/large_product.h"
#include "sim/cli/bench/memory_yardstick.h"
#include "sim/cli/bench/openblas.h"

namespace sim::cli {
namespace {

using large_product::depth, large_product::m, large_product::n, large_product::operations;

constexpr int model_rounds = 3, step_length = 64;
constexpr double never = std::numeric_limits<double>::infinity();

constexpr std::array models{"hopper.wgmma.e4m3.f32",      "hopper.wgmma.bf16.f32",
                            "ampere.mma.f16.f32",         "ada.mma.e4m3.f32",
                            "blackwell.tcgen05.bf16.f32", "blackwell.mxf8f6f4.e4m3.e4m3",
                            "cdna3.mfma.bf16.f32"};

/// Elements of an operand.
///   normal  N(0, 1)
///   spread  of wide formats N(0, 1) times 2^x, x uniform in [-12, 12]; of others any finite code
enum class element_values : std::uint8_t { normal, spread };

/// Lines of codes, as wide as they need to be, and of scales.
class coded {
 public:
  coded(const mx::dot_model& model, element_values kind, int lines, std::uint64_t seed)
      : model_(model), kind_(kind), random_(seed), bytes_(model.a.width() > 8 ? 2 : 1) {
    const auto count = static_cast<std::size_t>(lines) * depth;
    codes_.reserve(count * static_cast<std::size_t>(bytes_));
    for (std::size_t i = 0; i < count; ++i) {
      const std::uint32_t code = next_code();
      for (int byte = 0; byte < bytes_; ++byte) {
        codes_.push_back(static_cast<std::uint8_t>(code >> 8 * byte));
      }
    }
    if (model.block == 0) return;
    scales_.resize(count / static_cast<std::size_t>(model.block));
    const std::uint64_t wide = kind == element_values::spread ? 17 : 3;
    for (std::uint8_t& scale : scales_) {
      scale = static_cast<std::uint8_t>(mx::e8m0::bias - wide / 2 + random_() % wide);
    }
  }

  [[nodiscard]] mx::gemm_operand operand() const {
    return {codes_.data(), bytes_ == 2 ? mx::code_storage::halves : mx::code_storage::bytes,
            std::int64_t{depth} * bytes_, scales_.empty() ? nullptr : scales_.data()};
  }
  [[nodiscard]] const std::uint8_t* scales() const {
    return scales_.empty() ? nullptr : scales_.data();
  }
  template <class Code>
  [[nodiscard]] const Code* codes() const {
    return reinterpret_cast<const Code*>(codes_.data());
  }

 private:
  [[nodiscard]] std::uint32_t next_code() {
    const mx::format& f = model_.a;
    float x = normal_(random_);
    if (kind_ == element_values::spread) {
      const auto bits = static_cast<std::uint32_t>(random_());
      if (bytes_ == 1) return bits % (f.max_code() + 1) | (bits >> 31) * f.sign_mask();
      x = std::ldexp(x, static_cast<int>(bits % 25) - 12);
    }
    return mx::encode(f, mx::unpack(x), mx::rounding::ties_to_even, mx::overflow::saturate);
  }

  const mx::dot_model& model_;
  element_values kind_;
  std::mt19937_64 random_;
  std::normal_distribution<float> normal_;
  int bytes_;
  std::vector<std::uint8_t> codes_, scales_;
};

/// Least seconds of the calling thread.
template <class Work>
void measure(const Work& work, double& least) {
  const double begin = cpu_seconds();
  work();
  least = std::min(least, cpu_seconds() - begin);
}

class product_of_steps {
 public:
  product_of_steps(std::string name, const mx::dot_model& model, element_values kind)
      : name_(std::move(name)),
        plan_{.model = model},
        a_(plan_.model, kind, m, 1),
        b_(plan_.model, kind, n, 2),
        d_(std::size_t{m} * n) {}

  [[nodiscard]] std::vector<bench_result> results() {
    const std::optional<openblas> blas = openblas::load();
    std::vector<bench_result> all;
    double sgemm = never, product = never;
    {
      const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
      for (int round = 0; round < model_rounds; ++round) {
        if (blas) measure([&] { run(*blas); }, sgemm);
        measure([&] { run(); }, product);
      }
    }
    const double rate = operations / product * 1e-9;
    if (blas) {
      all.push_back(beside(name_, rate, "GFLOP/s", "sgemm, OpenBLAS " + blas->core(),
                           operations / sgemm * 1e-9));
      add_other_sets(operations / sgemm * 1e-9, all);
    } else {
      all.push_back({name_, rate, "GFLOP/s", "sgemm: OpenBLAS is missing", {}, {}});
    }
    add_threads(all);
    all.push_back(left_to_core());
    return all;
  }

 private:
  void run() { mx::gemm(plan_, {m, n, depth}, a_.operand(), b_.operand(), nullptr, d_.data()); }

  static void run(const openblas& blas) {
    static const std::vector<float> a(std::size_t{m} * depth, 0.5F),
        b(std::size_t{depth} * n, 0.5F);
    static std::vector<float> c(std::size_t{m} * n);
    blas.multiply(m, n, depth, a.data(), b.data(), c.data());
  }

  /// AVX2 where the machine has more.
  void add_other_sets(double sgemm, std::vector<bench_result>& all) {
    const std::string best = mx::instruction_set();
    const std::vector<std::string> sets = mx::instruction_sets();
    if (best == "AVX2" || std::find(sets.begin(), sets.end(), "AVX2") == sets.end()) return;
    mx::use_instruction_set("AVX2");
    const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
    double seconds = never;
    for (int round = 0; round < model_rounds; ++round) measure([&] { run(); }, seconds);
    mx::use_instruction_set("");
    all.push_back(
        beside("extra." + name_ + ".AVX2", operations / seconds * 1e-9, "GFLOP/s", "sgemm", sgemm));
  }

  void add_threads(std::vector<bench_result>& all) {
    double seconds[] = {never, never};
    for (int round = 0; round < model_rounds; ++round) {
      for (const std::size_t threads : {std::size_t{1}, std::size_t{2}}) {
        const tbb::global_control some(tbb::global_control::max_allowed_parallelism, threads);
        seconds[threads - 1] = std::min(seconds[threads - 1], wall_seconds_of([&] { run(); }));
      }
    }
    all.push_back(beside("extra." + name_ + ".two_threads", operations / seconds[1] * 1e-9,
                         "GFLOP/s", "one thread", operations / seconds[0] * 1e-9));
  }

  /// Steps that the kernels do not support, of all.
  bench_result left_to_core() {
    const std::uint64_t before = mx::steps_left_to_core();
    run();
    const auto left = static_cast<double>(mx::steps_left_to_core() - before);
    const double steps = double{m} * n * depth / plan_.model.sum.fused;
    return beside("extra." + name_ + ".steps", (steps - left) / steps * 100, "%", "all steps", 100);
  }

  std::string name_;
  mx::gemm_plan plan_;
  coded a_, b_;
  std::vector<std::uint32_t> d_;
};

/// Words of 64 products of N(0, 1), in bulk and one mx::dot call each.
template <class Code>
std::vector<bench_result> bench_words(const std::string& name, const mx::dot_model& model) {
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  const coded a(model, element_values::normal, m, 1), b(model, element_values::normal, m, 2);
  constexpr std::int64_t count = std::int64_t{m} * depth / step_length, few = count / 32;
  const std::int64_t blocks = model.block > 0 ? step_length / model.block : 0;
  const std::vector<std::uint32_t> c(count, mx::bits_of(1.0F));
  std::vector<std::uint32_t> d(count);
  double bulk = never, core = never;
  for (int round = 0; round < model_rounds; ++round) {
    measure(
        [&] {
          mx::dot_all(model,
                      mx::dot_words<Code>{count, step_length, a.codes<Code>(), b.codes<Code>(),
                                          a.scales(), b.scales(), c.data(), d.data()});
        },
        bulk);
    measure(
        [&] {
          for (std::int64_t v = 0; v < few; ++v) {
            const auto scales = [&](const coded& of) {
              return of.scales() == nullptr ? nullptr : of.scales() + v * blocks;
            };
            d[static_cast<std::size_t>(v)] =
                mx::dot(model, a.codes<Code>() + v * step_length, b.codes<Code>() + v * step_length,
                        step_length, c[static_cast<std::size_t>(v)], scales(a), scales(b));
          }
        },
        core);
  }
  return {beside(name, static_cast<double>(count) / bulk * 1e-6, "Mword/s",
                 "scalar replay of the core", static_cast<double>(few) / core * 1e-6)};
}

}  // namespace

std::vector<std::string> step_benches() {
  std::vector<std::string> names;
  for (const char* model : models) {
    const std::string of = model;
    for (const std::string& name : {"gemm." + of, "gemm." + of + ".spread", "dot." + of}) {
      names.push_back(name);
    }
  }
  return names;
}

std::vector<bench_result> bench_steps(const std::string& name) {
  for (const char* of : models) {
    const mx::dot_model& model = mx::model_named(of)->model;
    const std::string gemm = std::string("gemm.") + of;
    if (name == gemm) return product_of_steps(name, model, element_values::normal).results();
    if (name == gemm + ".spread")
      return product_of_steps(name, model, element_values::spread).results();
    if (name != std::string("dot.") + of) continue;
    return model.a.width() > 8 ? bench_words<std::uint16_t>(name, model)
                               : bench_words<std::uint8_t>(name, model);
  }
  return {};
}

}  // namespace sim::cli
