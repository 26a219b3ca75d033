// SPDX-License-Identifier: Apache-2.0
// kernels/verify/grouped_cases.cpp: see grouped_cases.h.
#include "grouped_cases.h"

#include <algorithm>

#include "kernel_names.h"
#include "mx/dot/models.h"
#include "packed_lines.h"

namespace mx::kernels {
namespace {

constexpr std::size_t alignment = 256;

struct served_plan {
  std::string model;
  std::vector<gemm_kernel> kernels;
};

std::vector<served_plan> served_plans() {
  using enum gemm_kernel;
  return {{"fp32.sequential", {core, dp4a, mma, wgmma, wgmma_e4m3}},
          {"blackwell.mxf4", {core, dp4a, mma, native}},
          {"fp32.fma", {fma, fma_small}}};
}

grouped_case case_of(const served_plan& p, gemm_kernel kernel, product_grouping grouping,
                     const std::vector<gemm_shape>& shapes) {
  const std::string word = grouping == product_grouping::grouped ? "grouped." : "batched.";
  grouped_case made{word + p.model + "." + name_in(kernel_names, kernel), grouping, {}};
  for (const gemm_shape& shape : shapes) {
    product_case one;
    one.name = "product" + std::to_string(made.products.size());
    one.plan = {model_named(p.model)->model};
    one.shape = shape;
    one.c = made.products.size() % 2 == 0 ? addends::near : addends::far;
    one.kernel = kernel;
    made.products.push_back(one);
  }
  return made;
}

std::size_t padded(std::size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

const std::vector<std::uint8_t>& array_in(const product_input& input, std::size_t array) {
  switch (array) {
    case grouped_arrays::a_codes:
      return input.a.codes;
    case grouped_arrays::a_scales:
      return input.a.scales;
    case grouped_arrays::b_codes:
      return input.b.codes;
    default:
      return input.b.scales;
  }
}

std::size_t size_of_d(const product_case& one) {
  return static_cast<std::size_t>(one.shape.m * one.shape.n * (one.plan.output.width() / 8));
}

}  // namespace

std::vector<grouped_case> grouped_table() {
  const std::vector<gemm_shape> experts = {{3, 40, 64},   {0, 40, 64},  {130, 40, 64}, {1, 1, 32},
                                           {17, 140, 96}, {16, 16, 64}, {33, 5, 128},  {40, 40, 32},
                                           {5, 130, 64},  {9, 9, 64},   {70, 70, 32},  {1, 64, 96},
                                           {8, 8, 64}};
  const std::vector<gemm_shape> heads(12, gemm_shape{35, 20, 64});
  std::vector<grouped_case> table;
  for (const served_plan& p : served_plans()) {
    for (const gemm_kernel kernel : p.kernels) {
      table.push_back(case_of(p, kernel, product_grouping::grouped, experts));
      table.push_back(case_of(p, kernel, product_grouping::batched, heads));
    }
  }
  return table;
}

grouped_input input_of(const grouped_case& one) {
  grouped_input input;
  for (std::size_t i = 0; i < one.products.size(); ++i) {
    const product_case& p = one.products[i];
    const auto seed = static_cast<std::uint64_t>(p.shape.m * 31 + p.shape.k) + 97 * i;
    const auto lines = [&](std::int64_t count, std::uint64_t from) {
      return drawn_lines(p.plan.model, code_storage::pairs, count, p.shape.k, p.kind, from);
    };
    input.products.push_back({lines(p.shape.m, seed), lines(p.shape.n, seed + 2),
                              drawn_addends(p.c, p.shape.m * p.shape.n, seed + 4)});
  }
  return input;
}

std::vector<std::uint32_t> products_of_core(const grouped_case& one, const grouped_input& input) {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < one.products.size(); ++i) {
    const std::vector<std::uint32_t> d = product_of_core(one.products[i], input.products[i]);
    all.insert(all.end(), d.begin(), d.end());
  }
  return all;
}

grouped_place first_difference(const grouped_case& one, const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  grouped_place place;
  for (const product_case& p : one.products) {
    place.count = static_cast<std::size_t>(p.shape.m * p.shape.n);
    const auto from = expected.begin() + static_cast<std::ptrdiff_t>(place.first);
    const auto end = from + static_cast<std::ptrdiff_t>(place.count);
    if (!std::equal(from, end, found.begin() + static_cast<std::ptrdiff_t>(place.first))) break;
    ++place.product;
    place.first += place.count;
  }
  return place;
}

std::string difference_between(const grouped_case& one, const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  const grouped_place at = first_difference(one, expected, found);
  if (at.product == one.products.size()) return {};
  const auto part = [&](const std::vector<std::uint32_t>& of) {
    const auto from = of.begin() + static_cast<std::ptrdiff_t>(at.first);
    return std::vector<std::uint32_t>(from, from + static_cast<std::ptrdiff_t>(at.count));
  };
  return "product " + std::to_string(at.product) + ", " +
         difference_between(one.products[at.product].shape, part(expected), part(found));
}

grouped_arrays grouped_arrays::of(const grouped_case& one, const grouped_input& input) {
  grouped_arrays made;
  for (std::size_t i = 0; i < one.products.size(); ++i) {
    const product_case& p = one.products[i];
    auto& at = made.at.emplace_back();
    const auto add = [&](std::size_t array, const std::vector<std::uint8_t>& from) {
      std::vector<std::uint8_t>& to = made.bytes[array];
      at[array] = to.size();
      to.insert(to.end(), from.begin(), from.end());
      to.resize(padded(to.size()), 0xEE);
    };
    for (const array which : {a_codes, a_scales, b_codes, b_scales}) {
      add(which, array_in(input.products[i], which));
    }
    add(c, packed_numbers(input.products[i].c, p.plan.model.sum.result.width() / 8));
    add(d, std::vector<std::uint8_t>(size_of_d(p), 0xEE));
  }
  return made;
}

std::vector<std::uint32_t> grouped_arrays::elements(
    const grouped_case& one, const std::vector<std::uint8_t>& d_bytes) const {
  std::vector<std::uint32_t> all;
  for (std::size_t i = 0; i < one.products.size(); ++i) {
    const product_case& p = one.products[i];
    const auto from = d_bytes.begin() + static_cast<std::ptrdiff_t>(at[i][d]);
    const std::vector<std::uint8_t> own(from, from + static_cast<std::ptrdiff_t>(size_of_d(p)));
    for (const std::uint32_t element : unpacked_numbers(own, p.plan.output.width() / 8)) {
      all.push_back(element);
    }
  }
  return all;
}

std::vector<gemm_group> groups_of(const grouped_case& one, const grouped_input& input,
                                  const grouped_arrays& arrays, const grouped_memory& memory) {
  std::vector<gemm_group> groups;
  for (std::size_t i = 0; i < one.products.size(); ++i) {
    const product_input& in = input.products[i];
    const auto place = [&](std::size_t array) { return memory[array] + arrays.at[i][array]; };
    groups.push_back({one.products[i].shape,
                      {place(grouped_arrays::a_codes), in.a.storage, in.a.line_bytes,
                       place(grouped_arrays::a_scales)},
                      {place(grouped_arrays::b_codes), in.b.storage, in.b.line_bytes,
                       place(grouped_arrays::b_scales)},
                      in.c.empty() ? nullptr : place(grouped_arrays::c),
                      place(grouped_arrays::d)});
  }
  return groups;
}

gemm_batched_request batch_of(const grouped_case& one, const std::vector<gemm_group>& groups,
                              const grouped_arrays& arrays) {
  const product_case& p = one.products.front();
  const auto step = [&](std::size_t array) {
    return static_cast<std::int64_t>(arrays.at[1][array] - arrays.at[0][array]);
  };
  gemm_batched_request batch;
  batch.first.plan = p.plan, batch.first.shape = p.shape, batch.first.kernel = p.kernel;
  batch.first.a = groups[0].a, batch.first.b = groups[0].b;
  batch.first.c = groups[0].c, batch.first.d = groups[0].d;
  batch.count = static_cast<std::int64_t>(groups.size());
  batch.a_step = step(grouped_arrays::a_codes), batch.b_step = step(grouped_arrays::b_codes);
  batch.a_scales_step = step(grouped_arrays::a_scales);
  batch.b_scales_step = step(grouped_arrays::b_scales);
  batch.c_step = step(grouped_arrays::c) / (p.plan.model.sum.result.width() / 8);
  batch.d_step = step(grouped_arrays::d) / (p.plan.output.width() / 8);
  return batch;
}

}  // namespace mx::kernels
