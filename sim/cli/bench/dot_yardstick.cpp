// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/dot_yardstick.cpp: loops of dot instructions on registers, for every instruction set.
#include "sim/cli/bench/dot_yardstick.h"

#include "dot/gemm_slices.h"
#include "simd/block_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cli/bench/dot_yardstick.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "simd/gemm_dot-inl.h"
#include "simd/gemm_matrix-inl.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {

#if MX_SIMD_GEMM
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using gemm_kernel::I32;
using gemm_kernel::Vi;

/// Enough chains to hide the latency of one: 5 cycles, two instructions a cycle.
constexpr int chains = 12;

template <class Dot>
std::int32_t loop(std::int64_t turns) {
  const I32 d;
  Vi a = hn::Set(d, 0x01020304), b = hn::Set(d, 0x01010101);
  Vi s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  Vi s6 = s0, s7 = s0, s8 = s0, s9 = s0, s10 = s0, s11 = s0;
  for (std::int64_t i = 0; i < turns; ++i) {
    s0 = Dot::add(s0, a, b), s1 = Dot::add(s1, a, b), s2 = Dot::add(s2, a, b);
    s3 = Dot::add(s3, a, b), s4 = Dot::add(s4, a, b), s5 = Dot::add(s5, a, b);
    s6 = Dot::add(s6, a, b), s7 = Dot::add(s7, a, b), s8 = Dot::add(s8, a, b);
    s9 = Dot::add(s9, a, b), s10 = Dot::add(s10, a, b), s11 = Dot::add(s11, a, b);
  }
  const Vi some = hn::Xor(hn::Xor(hn::Xor(s0, s1), hn::Xor(s2, s3)), hn::Xor(s4, s5));
  const Vi others = hn::Xor(hn::Xor(hn::Xor(s6, s7), hn::Xor(s8, s9)), hn::Xor(s10, s11));
  return hn::GetLane(hn::Xor(some, others));
}

}  // namespace

/// Runs a loop of `turns` turns; returns the number of products added.
std::int64_t run_dot_loop(std::int64_t turns, std::int32_t& kept) {
  kept = loop<gemm_kernel::dot_of_four>(turns);
  return turns * chains * 4 * static_cast<std::int64_t>(hn::MaxLanes(I32()));
}
#else
std::int64_t run_dot_loop(std::int64_t, std::int32_t&) { return 0; }
#endif

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
#if HWY_TARGET == HWY_AVX3
/// The same; four chains, 16 cycles an instruction.
std::int64_t run_matrix_loop(std::int64_t turns) {
  matrix_kernel::begin<matrix::depth>();
  matrix_kernel::clear_sums();
  for (std::int64_t i = 0; i < turns; ++i) {
    asm volatile(
        "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
        "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
        "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
        "tdpbf16ps %%tmm7, %%tmm5, %%tmm3"
        :
        :);
  }
  matrix_kernel::end();
  return turns * 4 * matrix::lines * matrix::values;
}
#else
std::int64_t run_matrix_loop(std::int64_t) { return 0; }
#endif
}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <chrono>

#include "mx/tensor/bulk.h"

namespace mx {
HWY_EXPORT(run_dot_loop);
HWY_EXPORT(run_matrix_loop);

namespace {

/// 10^9 products a second, the best of several runs.
template <class Loop>
double rate_of(const Loop& loop) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    const auto begin = std::chrono::steady_clock::now();
    const std::int64_t products = loop();
    const std::chrono::duration<double> time = std::chrono::steady_clock::now() - begin;
    best = std::max(best, static_cast<double>(products) / time.count());
  }
  return best * 1e-9;
}

}  // namespace

double dot_loop_rate() {
  volatile std::int32_t sink = 0;
  return rate_of([&] {
    std::int32_t kept = 0;
    const std::int64_t products = HWY_DYNAMIC_DISPATCH(run_dot_loop)(2'000'000, kept);
    sink = kept;
    return products;
  });
}

double matrix_loop_rate() {
  return rate_of([] { return HWY_DYNAMIC_DISPATCH(run_matrix_loop)(500'000); });
}

}  // namespace mx

namespace sim::cli {

dot_yardstick measure_dot_yardstick() {
  if (!mx::has_dot_of_four()) return {};
  return {"VPDPBUSD in registers, " + mx::instruction_set(), mx::dot_loop_rate()};
}

dot_yardstick measure_matrix_yardstick() {
  if (mx::matrix_kernels_for(mx::gemm_rounding::sequential, 32) == nullptr) return {};
  return {"TDPBF16PS in registers", mx::matrix_loop_rate()};
}

}  // namespace sim::cli
#endif  // HWY_ONCE
