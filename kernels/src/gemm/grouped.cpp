// SPDX-License-Identifier: Apache-2.0
// kernels/src/gemm/grouped.cpp: validates several products.
#include "gemm/grouped.h"

#include <algorithm>

#include "gemm/request.h"
#include "requests.h"

namespace mx::kernels {
namespace {

constexpr std::int64_t part_alignment = 256;  // as cudaMalloc's

gemm_request request_of(const gemm_grouped_request& r, const gemm_group& one) {
  gemm_request made;
  made.plan = r.plan;
  made.shape = one.shape;
  made.a = one.a, made.b = one.b;
  made.c = one.c, made.d = one.d;
  made.c_stride = one.c_stride, made.d_stride = one.d_stride;
  made.kernel = r.kernel;
  return made;
}

std::int64_t bytes_of_part(const gemm_request& r) {
  return (gemm_workspace_bytes(r) + part_alignment - 1) / part_alignment * part_alignment;
}

/// Parts of one workspace, one after another. Without a workspace products have none.
void deal_workspace(std::vector<gemm_request>& all, void* workspace) {
  auto* at = static_cast<unsigned char*>(workspace);
  for (gemm_request& one : all) {
    if (at == nullptr) continue;
    one.workspace = at;
    one.workspace_bytes = bytes_of_part(one);
    at += one.workspace_bytes;
  }
}

std::int64_t workspace_bytes_of(const std::vector<gemm_request>& all) {
  std::int64_t bytes = 0;
  for (const gemm_request& one : all) bytes += bytes_of_part(one);
  return bytes;
}

status of_product(status answer, std::size_t product) {
  answer.product = static_cast<std::int64_t>(product);
  return answer;
}

/// Each product by itself, with its part of the workspace.
status checked_each(const std::vector<gemm_request>& all, void* workspace, std::int64_t bytes) {
  const std::int64_t needed = workspace_bytes_of(all);
  const bool is_too_small = workspace != nullptr && bytes < needed;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const status answer = checked(all[i]);
    if (!answer.is_done()) return of_product(answer, i);
  }
  return is_too_small ? status{launch_error::too_small, "workspace", needed} : status{};
}

/// An extent of a product; the workspace of all belongs to product -1.
struct owned_extent {
  extent of;
  std::int64_t product;
  bool is_result;

  [[nodiscard]] std::uintptr_t first() const { return reinterpret_cast<std::uintptr_t>(of.first); }
  [[nodiscard]] std::uintptr_t end() const {
    return first() + static_cast<std::uintptr_t>(of.bytes);
  }
};

/// In ascending order an extent can only meet the earlier one that ends last.
status disjoint_results(std::vector<owned_extent> all) {
  std::erase_if(
      all, [](const owned_extent& one) { return one.of.first == nullptr || one.of.bytes == 0; });
  std::sort(all.begin(), all.end(),
            [](const owned_extent& a, const owned_extent& b) { return a.first() < b.first(); });
  const owned_extent *last = nullptr, *last_result = nullptr;
  for (const owned_extent& one : all) {
    const owned_extent* before = one.is_result ? last : last_result;
    if (before != nullptr && before->end() > one.first()) {
      const owned_extent& result = one.is_result ? one : *before;
      return {launch_error::overlapping, result.of.name, 0, 0, recipe_part::none, result.product};
    }
    if (last == nullptr || one.end() > last->end()) last = &one;
    if (one.is_result && (last_result == nullptr || one.end() > last_result->end())) {
      last_result = &one;
    }
  }
  return {};
}

status disjoint_products(const std::vector<gemm_request>& all, void* workspace) {
  std::vector<owned_extent> extents;
  extents.push_back({{"workspace", workspace, workspace_bytes_of(all)}, -1, true});
  for (std::size_t i = 0; i < all.size(); ++i) {
    const auto product = static_cast<std::int64_t>(i);
    if (all[i].shape.m == 0 || all[i].shape.n == 0) continue;
    extents.push_back({result_of(all[i]), product, true});
    for (const extent& input : inputs_of(all[i])) extents.push_back({input, product, false});
  }
  return disjoint_results(std::move(extents));
}

gemm_requests finished(std::vector<gemm_request> all, const status& answer) {
  if (!answer.is_done()) return {answer, {}};
  std::erase_if(all, [](const gemm_request& r) { return r.shape.m == 0 || r.shape.n == 0; });
  return {answer, std::move(all)};
}

status checked_count(std::int64_t count) {
  if (count < 0) return {launch_error::shape, "count"};
  return count <= most_products ? status{} : status{launch_error::size, "count", most_products};
}

std::vector<gemm_request> requests_of(const gemm_grouped_request& r) {
  std::vector<gemm_request> all;
  for (std::int64_t i = 0; i < r.count; ++i) all.push_back(request_of(r, r.groups[i]));
  deal_workspace(all, r.workspace);
  return all;
}

const void* moved(const void* from, std::int64_t bytes) {
  return from == nullptr ? nullptr : static_cast<const unsigned char*>(from) + bytes;
}

std::vector<gemm_request> requests_of(const gemm_batched_request& r) {
  const gemm_plan& plan = r.first.plan;
  const int output = plan.output.width() / 8, result = plan.model.sum.result.width() / 8;
  std::vector<gemm_request> all;
  for (std::int64_t i = 0; i < r.count; ++i) {
    gemm_request one = r.first;
    one.a.codes = moved(r.first.a.codes, i * r.a_step);
    one.b.codes = moved(r.first.b.codes, i * r.b_step);
    one.a.scales = static_cast<const std::uint8_t*>(moved(r.first.a.scales, i * r.a_scales_step));
    one.b.scales = static_cast<const std::uint8_t*>(moved(r.first.b.scales, i * r.b_scales_step));
    one.c = moved(r.first.c, i * r.c_step * result);
    one.d = const_cast<void*>(moved(r.first.d, i * r.d_step * output));
    one.workspace = nullptr, one.workspace_bytes = 0;
    all.push_back(one);
  }
  deal_workspace(all, r.first.workspace);
  return all;
}

/// Matrices one after another, or beside each other in rows.
status separate_results(const gemm_batched_request& r) {
  const gemm_shape& s = r.first.shape;
  const std::int64_t size = span_of(s.m, s.n, r.first.d_stride);
  if (r.count <= 1 || size == 0 || r.d_step >= size) return {};
  const std::int64_t row = (r.count - 1) * r.d_step + s.n;
  if (r.d_step >= s.n && stride_of(r.first.d_stride, s.n) >= row) return {};
  return {launch_error::too_small, "d_step", size};
}

status checked_steps(const gemm_batched_request& r) {
  const status count = checked_count(r.count);
  if (!count.is_done()) return count;
  const auto step = [&r](const char* name, std::int64_t of) {
    return checked_stride(name, of, r.count, 0);
  };
  return first_error({step("a_step", r.a_step), step("a_scales_step", r.a_scales_step),
                      step("b_step", r.b_step), step("b_scales_step", r.b_scales_step),
                      step("c_step", r.c_step), step("d_step", r.d_step)});
}

/// The extents of all products as one: their results may lie beside each other in rows.
status disjoint_batch(const gemm_batched_request& r, const std::vector<gemm_request>& all) {
  if (all.empty() || r.first.shape.m == 0 || r.first.shape.n == 0) return {};
  const auto spanned = [](extent first, const extent& last) {
    first.bytes += static_cast<const char*>(last.first) - static_cast<const char*>(first.first);
    return owned_extent{first, -1, false};
  };
  const bool drifts = r.count > 1 && r.first.c == r.first.d && r.c_step != r.d_step;
  std::vector<owned_extent> extents;
  extents.push_back({{"workspace", r.first.workspace, workspace_bytes_of(all)}, -1, true});
  extents.push_back(spanned(result_of(all.front()), result_of(all.back())));
  extents.back().is_result = true;
  const std::vector<extent> first = inputs_of(all.front()), last = inputs_of(all.back());
  if (drifts) return {launch_error::overlapping, "d"};
  for (std::size_t i = 0; i < first.size() && i < last.size(); ++i) {
    if (first[i].first != nullptr) extents.push_back(spanned(first[i], last[i]));
  }
  return disjoint_results(std::move(extents));
}

}  // namespace

std::int64_t gemm_workspace_bytes(const gemm_grouped_request& r) {
  const bool is_there = checked_count(r.count).is_done() && (r.count == 0 || r.groups != nullptr);
  return is_there ? workspace_bytes_of(requests_of(r)) : 0;
}

std::int64_t gemm_workspace_bytes(const gemm_batched_request& r) {
  return checked_steps(r).is_done() ? r.count * bytes_of_part(r.first) : 0;
}

gemm_requests checked_requests(const gemm_grouped_request& r) {
  const status count = checked_count(r.count);
  if (!count.is_done()) return {count, {}};
  if (r.count > 0 && r.groups == nullptr) return {{launch_error::null_pointer, "groups"}, {}};
  std::vector<gemm_request> all = requests_of(r);
  status answer = checked_each(all, r.workspace, r.workspace_bytes);
  if (answer.is_done()) answer = disjoint_products(all, r.workspace);
  return finished(std::move(all), answer);
}

gemm_requests checked_requests(const gemm_batched_request& r) {
  const status steps = checked_steps(r);
  if (!steps.is_done()) return {steps, {}};
  if (r.first.prepared.memory != nullptr) {
    return {{launch_error::format, "a prepared B of several products"}, {}};
  }
  std::vector<gemm_request> all = requests_of(r);
  status answer = checked_each(all, r.first.workspace, r.first.workspace_bytes);
  if (answer.is_done()) answer = separate_results(r);
  if (answer.is_done()) answer = disjoint_batch(r, all);
  return finished(std::move(all), answer);
}

}  // namespace mx::kernels
