// SPDX-License-Identifier: Apache-2.0
// golden/validator/product/operation_counts.cpp: how many operations of a class a sum takes, and
// how many one term passes through.
#include <algorithm>

#include "bound.h"

namespace golden::validator {
namespace {

std::uint64_t quotient_up(std::int64_t n, std::int64_t d) {
  return static_cast<std::uint64_t>((n + d - 1) / d);
}

/// Levels of a tree of n leaves whose odd leaf passes up: at most ceil(log2 n) additions.
std::uint64_t levels(std::uint64_t n) {
  return static_cast<std::uint64_t>(mx::bit_width(n > 0 ? n - 1 : 0));
}

std::int64_t step_size(const mx::dot_model& m, std::int64_t k) {
  if (m.sum.fused == mx::accumulation::all_of_k) return k;
  if (m.sum.fused == mx::accumulation::one_block) return m.block > 0 ? m.block : 1;
  return m.sum.fused;
}

/// One dot product (mx/dot/steps.h).
operation_counts dot_counts(const mx::dot_model& m, std::int64_t k) {
  if (k == 0) return {};
  const std::int64_t size = step_size(m, k);
  if (m.sum.addend == mx::addend::every_step) {
    const std::uint64_t steps = quotient_up(k, size);
    return {steps, steps, 0, 0};
  }
  const std::int64_t span = m.sum.span > 0 ? m.sum.span : k;
  const std::uint64_t spans = quotient_up(k, span), steps = quotient_up(span, size);
  if (m.sum.joining == mx::joining::chained) return {steps, spans * steps, spans, spans};
  return {1, spans * steps, levels(steps) + spans, spans * steps};
}

operation_counts part_counts(const mx::gemm_plan& p, std::int64_t k) {
  if (p.promote == 0) return dot_counts(p.model, k);
  const std::uint64_t pieces = quotient_up(k, p.promote);
  const operation_counts one = dot_counts(p.model, std::min<std::int64_t>(p.promote, k));
  return {one.step_depth, pieces * one.steps, one.add_depth + pieces, pieces * (one.additions + 1)};
}

}  // namespace

operation_counts counts_of(const mx::gemm_plan& p, std::int64_t k) {
  if (k == 0) return {};
  const std::int64_t size = mx::part_size(p, k);
  const std::uint64_t parts = quotient_up(k, size);
  operation_counts all = part_counts(p, std::min(size, k));
  all.add_depth += p.split_order == mx::split_order::pairwise ? levels(parts) : parts - 1;
  all.steps *= parts;
  all.additions = all.additions * parts + parts - 1;
  return all;
}

}  // namespace golden::validator
