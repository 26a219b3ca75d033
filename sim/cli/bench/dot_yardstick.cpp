// SPDX-License-Identifier: Apache-2.0
// sim/cli/bench/dot_yardstick.cpp: loops of dot instructions on registers, for every instruction
// set.
// Source: Intel 64 and IA-32 Architectures Software Developer's Manual, VPDPBUSD, LDTILECFG,
// TDPBF16PS. By inline assembly: they are in no target of Highway.
#include "sim/cli/bench/dot_yardstick.h"

#include <cstdint>

#include "mx/tensor/vector_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "sim/cli/bench/dot_yardstick.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace sim::cli::HWY_NAMESPACE {

#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3
namespace {
namespace hn = hwy::HWY_NAMESPACE;
using I32 = hn::CappedTag<std::int32_t, 16>;
using Vi = hn::Vec<I32>;

/// Enough chains to hide the latency of one: 5 cycles, two instructions a cycle.
constexpr int chains = 12;

HWY_INLINE Vi add(Vi sum, Vi is_unsigned, Vi is_signed) {
#if HWY_TARGET == HWY_AVX3
  asm("vpdpbusd %2, %1, %0" : "+v"(sum.raw) : "v"(is_unsigned.raw), "v"(is_signed.raw));
#else
  asm("%{vex%} vpdpbusd %2, %1, %0" : "+x"(sum.raw) : "x"(is_unsigned.raw), "x"(is_signed.raw));
#endif
  return sum;
}

std::int32_t loop(std::int64_t turns) {
  const I32 d;
  Vi a = hn::Set(d, 0x01020304), b = hn::Set(d, 0x01010101);
  Vi s0 = hn::Zero(d), s1 = s0, s2 = s0, s3 = s0, s4 = s0, s5 = s0;
  Vi s6 = s0, s7 = s0, s8 = s0, s9 = s0, s10 = s0, s11 = s0;
  for (std::int64_t i = 0; i < turns; ++i) {
    s0 = add(s0, a, b), s1 = add(s1, a, b), s2 = add(s2, a, b);
    s3 = add(s3, a, b), s4 = add(s4, a, b), s5 = add(s5, a, b);
    s6 = add(s6, a, b), s7 = add(s7, a, b), s8 = add(s8, a, b);
    s9 = add(s9, a, b), s10 = add(s10, a, b), s11 = add(s11, a, b);
  }
  const Vi some = hn::Xor(hn::Xor(hn::Xor(s0, s1), hn::Xor(s2, s3)), hn::Xor(s4, s5));
  const Vi others = hn::Xor(hn::Xor(hn::Xor(s6, s7), hn::Xor(s8, s9)), hn::Xor(s10, s11));
  return hn::GetLane(hn::Xor(some, others));
}

}  // namespace

/// Runs a loop of `turns` turns; returns the number of products added.
std::int64_t run_dot_loop(std::int64_t turns, std::int32_t& kept) {
  kept = loop(turns);
  return turns * chains * 4 * static_cast<std::int64_t>(hn::MaxLanes(I32()));
}
#else
std::int64_t run_dot_loop(std::int64_t, std::int32_t&) { return 0; }
#endif

#if HWY_TARGET == HWY_AVX3
/// Operand of LDTILECFG: palette 1, and eight registers of 16 rows of 64 bytes.
struct alignas(64) tile_configuration {
  std::uint8_t palette = 1, start_row = 0, reserved[14] = {};
  std::uint16_t row_bytes[16] = {64, 64, 64, 64, 64, 64, 64, 64};
  std::uint8_t rows[16] = {16, 16, 16, 16, 16, 16, 16, 16};
};

/// The same of matrices of 16 x 32 and 32 x 16; four chains, 16 cycles an instruction.
std::int64_t run_matrix_loop(std::int64_t turns) {
  const tile_configuration all;
  asm volatile("ldtilecfg %0" : : "m"(all));
  asm volatile("tilezero %%tmm0\n\ttilezero %%tmm1\n\ttilezero %%tmm2\n\ttilezero %%tmm3" : :);
  for (std::int64_t i = 0; i < turns; ++i) {
    asm volatile(
        "tdpbf16ps %%tmm6, %%tmm4, %%tmm0\n\t"
        "tdpbf16ps %%tmm7, %%tmm4, %%tmm1\n\t"
        "tdpbf16ps %%tmm6, %%tmm5, %%tmm2\n\t"
        "tdpbf16ps %%tmm7, %%tmm5, %%tmm3"
        :
        :);
  }
  asm volatile("tilerelease" : :);
  return turns * 4 * 16 * 32 * 16;
}
#else
std::int64_t run_matrix_loop(std::int64_t) { return 0; }
#endif
}  // namespace sim::cli::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include <algorithm>
#include <vector>

#include "mx/dot/bulk_gemm.h"
#include "mx/tensor/bulk.h"
#include "sim/cli/bench/memory_yardstick.h"

namespace sim::cli {
HWY_EXPORT(run_dot_loop);
HWY_EXPORT(run_matrix_loop);

namespace {

/// 10^9 products a second, the best of several runs.
template <class Loop>
double rate_of(const Loop& loop) {
  double best = 0;
  for (int round = 0; round < 5; ++round) {
    std::int64_t products = 0;
    const double seconds = wall_seconds_of([&] { products = loop(); });
    best = std::max(best, static_cast<double>(products) / seconds);
  }
  return best * 1e-9;
}

bool is_offered(const char* instruction) {
  const std::vector<std::string> all = mx::dot_instructions();
  return std::ranges::find(all, instruction) != all.end();
}

}  // namespace

dot_yardstick measure_dot_yardstick() {
  if (!is_offered("VNNI")) return {};
  volatile std::int32_t sink = 0;
  const double rate = rate_of([&] {
    std::int32_t kept = 0;
    const std::int64_t products = HWY_DYNAMIC_DISPATCH(run_dot_loop)(2'000'000, kept);
    sink = kept;
    return products;
  });
  return {"VPDPBUSD in registers, " + mx::instruction_set(), rate};
}

dot_yardstick measure_matrix_yardstick() {
  if (!is_offered("AMX")) return {};
  return {"TDPBF16PS in registers",
          rate_of([] { return HWY_DYNAMIC_DISPATCH(run_matrix_loop)(500'000); })};
}

}  // namespace sim::cli
#endif  // HWY_ONCE
