// SPDX-License-Identifier: Apache-2.0
// kernels/verify/product_cases.cpp: the products, and the core's results for them.
#include "product_cases.h"

#include <cstdio>
#include <span>

#include "kernel_names.h"
#include "mx/dot/gemm.h"
#include "mx/dot/models.h"
#include "packed_lines.h"
#include "parallel_lines.h"

namespace mx::kernels {
namespace {

constexpr named_value<addends> addend_names[] = {
    {addends::none, "none"}, {addends::near, "near"}, {addends::far, "far"}};

struct named_plan {
  std::string name;
  gemm_plan plan;
  std::vector<gemm_kernel> kernels = {gemm_kernel::core, gemm_kernel::dp4a, gemm_kernel::mma,
                                      gemm_kernel::wgmma, gemm_kernel::wgmma_e4m3};
};

std::vector<named_plan> plans() {
  const auto model = [](std::string_view name) { return model_named(name)->model; };
  const std::vector<gemm_kernel> chains = {gemm_kernel::core, gemm_kernel::fma,
                                           gemm_kernel::fma_small};
  const std::vector<gemm_kernel> warps = {gemm_kernel::core, gemm_kernel::dp4a, gemm_kernel::mma};
  return {{"fp32.sequential.mxfp4", {model("fp32.sequential")}},
          {"fp32.sequential.nvfp4", {with_scales(model("fp32.sequential"), formats::ue4m3, 16)}},
          {"blackwell.mxf4", {model("blackwell.mxf4")}},
          {"blackwell.mxf4nvf4", {model("blackwell.mxf4nvf4")}, warps},
          {"fp32.fma.mxfp4", {model("fp32.fma")}, chains},
          {"fp32.fma.nvfp4", {with_scales(model("fp32.fma"), formats::ue4m3, 16)}, chains},
          {"fp32.fma.mxfp4.promoted", {model("fp32.fma"), 64}, chains}};
}

/// Blackwell's own instructions are compared with the emulator's models of them.
std::vector<named_plan> native_plans() {
  const std::vector<gemm_kernel> native = {gemm_kernel::native};
  return {{"blackwell.mxf4", {model_named("blackwell.mxf4")->model}, native},
          {"blackwell.mxf4nvf4", {model_named("blackwell.mxf4nvf4")->model}, native}};
}

void add_cases(std::vector<product_case>& table, const named_plan& p,
               std::span<const gemm_shape> shapes) {
  for (const gemm_shape& shape : shapes) {
    for (const auto& [kind, name] : scales_names) {
      const addends c = kind == scales::near ? addends::near : addends::far;
      for (const gemm_kernel kernel : p.kernels) {
        table.push_back({"gemm." + p.name + "." + name_of(shape) + "." + std::string(name) + "." +
                             name_in(addend_names, c) + "." + name_in(kernel_names, kernel),
                         p.plan, shape, kind, c, kernel});
      }
    }
  }
}

}  // namespace

std::vector<product_case> deep_product_table() {
  constexpr gemm_shape shapes[] = {{130, 140, 2080}, {1100, 260, 1056}};
  std::vector<product_case> table;
  for (const named_plan& p : plans()) add_cases(table, p, shapes);
  for (const named_plan& p : native_plans()) add_cases(table, p, shapes);
  std::erase_if(table, [](const product_case& one) {
    return one.kind != scales::near && one.kind != scales::spread && one.kind != scales::far;
  });
  return table;
}

std::vector<product_case> product_table() {
  constexpr gemm_shape shapes[] = {{1, 1, 32}, {33, 17, 96}, {130, 140, 256}};
  // The last is longer than all stages of k in shared memory together.
  constexpr gemm_shape native_shapes[] = {{1, 1, 32}, {33, 17, 96}, {130, 140, 256}, {3, 261, 800}};
  std::vector<product_case> table;
  for (const named_plan& p : plans()) add_cases(table, p, shapes);
  for (const named_plan& p : native_plans()) add_cases(table, p, native_shapes);
  return table;
}

product_input input_of(const product_case& one) {
  const gemm_shape& shape = one.shape;
  const auto seed = static_cast<std::uint64_t>(shape.m * 31 + shape.k);
  const auto lines = [&](std::int64_t count, std::uint64_t from) {
    return drawn_lines(one.plan.model, code_storage::pairs, count, shape.k, one.kind, from);
  };
  return {lines(shape.m, seed), lines(shape.n, seed + 2),
          drawn_addends(one.c, shape.m * shape.n, seed + 4)};
}

std::vector<std::uint32_t> product_of_core(const product_case& one, const product_input& input) {
  const gemm_shape& shape = one.shape;
  const int block = one.plan.model.block;
  const std::int64_t blocks = block > 0 ? (shape.k + block - 1) / block : 0;
  std::vector<std::vector<std::uint32_t>> columns;
  for (std::int64_t n = 0; n < shape.n; ++n) columns.push_back(codes_of_line(input.b, n, shape.k));
  std::vector<std::uint32_t> d(static_cast<std::size_t>(shape.m * shape.n));
  for_each_line(static_cast<std::size_t>(shape.m), [&](std::size_t m) {
    const auto first = static_cast<std::int64_t>(m) * blocks;
    const std::vector<std::uint32_t> row =
        codes_of_line(input.a, static_cast<std::int64_t>(m), shape.k);
    for (std::size_t n = 0; n < columns.size(); ++n) {
      const std::size_t place = m * columns.size() + n;
      const dot_operand<std::uint32_t, std::uint8_t> a{{row.data()},
                                                       {input.a.scales.data() + first}};
      const dot_operand<std::uint32_t, std::uint8_t> b{
          {columns[n].data()}, {input.b.scales.data() + static_cast<std::int64_t>(n) * blocks}};
      const std::uint32_t c = input.c.empty() ? 0 : input.c[place];
      d[place] = gemm_element(one.plan, a, b, static_cast<int>(shape.k), c);
    }
  });
  return d;
}

std::size_t first_difference(const std::vector<std::uint32_t>& expected,
                             const std::vector<std::uint32_t>& found) {
  std::size_t i = 0;
  while (i < expected.size() && expected[i] == found[i]) ++i;
  return i;
}

std::string difference_between(const gemm_shape& shape, const std::vector<std::uint32_t>& expected,
                               const std::vector<std::uint32_t>& found) {
  const std::size_t i = first_difference(expected, found);
  if (i == expected.size()) return {};
  const auto columns = static_cast<std::size_t>(shape.n);
  char text[96];
  std::snprintf(text, sizeof text, "(%zu, %zu): 0x%08X instead of 0x%08X", i / columns, i % columns,
                found[i], expected[i]);
  return text;
}

}  // namespace mx::kernels
