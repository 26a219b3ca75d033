// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_output.cpp: the alphas of rows and columns and the sums of trees, for every
// instruction set. Equals mx::finished and mx::add_fp32, checked by
// tests/unit/dot/prepared_gemm_test.cpp and coded_leaves_test.cpp.
#include "dot/gemm_output.h"

#include <algorithm>
#include <cstring>

#include "mx/tensor/fused_targets.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "dot/gemm_output.cpp"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace mx::HWY_NAMESPACE {
namespace row_kernel {

namespace hn = hwy::HWY_NAMESPACE;
using D = hn::CappedTag<float, 16>;
using V = hn::Vec<D>;
constexpr std::int64_t lanes = static_cast<std::int64_t>(hn::MaxLanes(D()));

HWY_INLINE V number_or(V number, V nan) {
  return hn::IfThenElse(hn::Eq(number, number), number, nan);
}

HWY_INLINE V finished(V sums, V alphas, V nan) {
  const D d;
  const V product = number_or(hn::Mul(alphas, sums), nan);
  return hn::IfThenElse(hn::Eq(alphas, hn::Set(d, 1.0F)), sums, product);
}

HWY_INLINE V nan_vector(std::uint32_t nan) {
  const hn::RebindToUnsigned<D> bits;
  return hn::BitCast(D(), hn::Set(bits, nan));
}

}  // namespace row_kernel

void finish_row_of_target(const float* sums, float alpha, const float* alphas, std::uint32_t nan,
                          std::int64_t count, float* out) {
  using namespace row_kernel;  // NOLINT(google-build-using-namespace)
  const D d;
  const V of_row = hn::Set(d, alpha), nans = nan_vector(nan);
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    const V factors = alphas == nullptr ? of_row : hn::Mul(of_row, hn::LoadU(d, alphas + j));
    hn::StoreU(finished(hn::LoadU(d, sums + j), factors, nans), d, out + j);
  }
  if (j == count) return;
  HWY_ALIGN float last[lanes] = {}, factors[lanes] = {};
  std::copy_n(sums + j, count - j, last);
  std::fill_n(factors, lanes, 1.0F);
  if (alphas != nullptr) std::copy_n(alphas + j, count - j, factors);
  const V rest = finished(hn::Load(d, last), hn::Mul(of_row, hn::Load(d, factors)), nans);
  hn::Store(rest, d, last);
  std::copy_n(last, count - j, out + j);
}

void carry_row_of_target(const float* from, std::int64_t leaf, float* const* levels,
                         std::ptrdiff_t at, std::uint32_t nan, std::int64_t count) {
  using namespace row_kernel;  // NOLINT(google-build-using-namespace)
  const D d;
  const V nans = nan_vector(nan);
  int top = 0;
  while ((leaf >> top & 1) != 0) ++top;
  std::int64_t j = 0;
  for (; j + lanes <= count; j += lanes) {
    V sum = hn::LoadU(d, from + j);
    for (int level = 0; level < top; ++level) {
      sum = number_or(hn::Add(hn::LoadU(d, levels[level] + at + j), sum), nans);
    }
    hn::StoreU(sum, d, levels[top] + at + j);
  }
  for (; j < count; ++j) {
    float sum[1] = {from[j]};
    for (int level = 0; level < top; ++level) {
      sum[0] += levels[level][at + j];
      if (sum[0] != sum[0]) std::memcpy(sum, &nan, sizeof nan);
    }
    levels[top][at + j] = sum[0];
  }
}

}  // namespace mx::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace mx {

HWY_EXPORT(finish_row_of_target);
HWY_EXPORT(carry_row_of_target);

void finish_row(const float* sums, float alpha, const float* alphas, std::uint32_t nan,
                std::int64_t count, float* d) {
  HWY_DYNAMIC_DISPATCH(finish_row_of_target)(sums, alpha, alphas, nan, count, d);
}

void carry_row(const float* d, std::int64_t leaf, float* const* levels, std::ptrdiff_t at,
               std::uint32_t nan, std::int64_t count) {
  HWY_DYNAMIC_DISPATCH(carry_row_of_target)(d, leaf, levels, at, nan, count);
}

void gemm_output::store(std::int64_t i, std::int64_t j, std::int64_t count,
                        const std::uint32_t* sums) const {
  const bool scaled = row_alphas_ != nullptr || column_alphas_ != nullptr;
  if (!scaled && is_sum(plan_)) {
    std::copy_n(sums, count, d_ + i * n_ + j);
    return;
  }
  const bool plain = plan_.c_entry == c_entry::first_step && plan_.output == formats::binary32 &&
                     plan_.model.sum.result == formats::binary32;
  if (!plain) return store_each(i, j, count, sums);
  const float alpha = row_alphas_ != nullptr ? row_alphas_[i] : plan_.alpha;
  const float* alphas = column_alphas_ != nullptr ? column_alphas_ + j : nullptr;
  finish_row(reinterpret_cast<const float*>(sums), alpha, alphas, nan_of(plan_.model, plan_.output),
             count, reinterpret_cast<float*>(d_ + i * n_ + j));
}

void gemm_output::store_each(std::int64_t i, std::int64_t j, std::int64_t count,
                             const std::uint32_t* sums) const {
  gemm_plan plan = plan_;
  const float alpha = row_alphas_ != nullptr ? row_alphas_[i] : plan_.alpha;
  for (std::int64_t at = 0; at < count; ++at) {
    plan.alpha = column_alphas_ != nullptr ? fp32::multiply(alpha, column_alphas_[j + at]) : alpha;
    const std::int64_t place = i * n_ + j + at;
    d_[place] = finished(plan, sums[at], c_ != nullptr ? c_[place] : 0);
  }
}

}  // namespace mx
#endif  // HWY_ONCE
