// SPDX-License-Identifier: Apache-2.0
// tests/kernels/gemm/grouped_test.cpp: grouped and batched products by every kernel: the bits of
// mx::gemm of each product; how many share a launch; what is refused.
#include <algorithm>

#include "catch.h"
#include "gemm/grouped.h"
#include "strided_product.h"

using namespace mx;
using kernels::addends;
using kernels::gemm_batched_request;
using kernels::gemm_group;
using kernels::gemm_grouped_request;
using kernels::scales;
using kernels_test::drawn_product;
using kernels_test::gapped_numbers;
using kernels_test::gemm_kernel;
using kernels_test::workspace_memory;

namespace {

gemm_plan plan_named(const char* name) { return {model_named(name)->model}; }

/// Products of one plan, with D in memory of its own each.
struct drawn_group {
  std::vector<drawn_product> products;
  std::vector<gapped_numbers> d;
  std::vector<gemm_group> groups;

  drawn_group(const gemm_plan& plan, const std::vector<gemm_shape>& shapes) {
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const addends c = i % 3 == 0 ? addends::none : addends::near;
      products.push_back(drawn_product::of(plan, shapes[i], scales::near, c, i));
      d.emplace_back(shapes[i].m, shapes[i].n, static_cast<std::int64_t>(i % 2), 0, 4);
    }
    for (std::size_t i = 0; i < shapes.size(); ++i) {
      const drawn_product& p = products[i];
      groups.push_back({p.shape, p.a.operand(), p.b.operand(), p.c.empty() ? nullptr : p.c.data(),
                        d[i].first(), 0, d[i].stride()});
    }
  }

  [[nodiscard]] gemm_grouped_request request(gemm_kernel kernel) const {
    gemm_grouped_request r;
    r.plan = products.front().plan;
    r.groups = groups.data(), r.count = static_cast<std::int64_t>(groups.size());
    r.kernel = kernel;
    return r;
  }
};

/// The kernels that ran, if every product has the core's bits; else which has not.
std::string kernels_of(drawn_group group, gemm_kernel kernel) {
  gemm_grouped_request r = group.request(kernel);
  workspace_memory workspace(gemm_workspace_bytes(r));
  r.workspace = workspace.data(), r.workspace_bytes = workspace.bytes();
  const kernels_test::host_answer answer = kernels_test::gemm_grouped(r);
  if (!answer.status.is_done()) return sentence_of(answer.status);
  for (std::size_t i = 0; i < group.products.size(); ++i) {
    const drawn_product& p = group.products[i];
    const bool is_empty = p.shape.m == 0 || p.shape.n == 0;
    if (!is_empty && group.d[i].taken() != p.expected()) return "product " + std::to_string(i);
    if (!group.d[i].is_untouched()) return "beside product " + std::to_string(i);
  }
  return answer.kernels;
}

/// As the experts of a layer: any number of rows, some none; more than one launch has room for.
const std::vector<gemm_shape> experts = {
    {3, 40, 64}, {0, 40, 64},  {130, 40, 64}, {1, 1, 32}, {17, 140, 96}, {16, 16, 64}, {33, 5, 128},
    {2, 0, 64},  {40, 40, 32}, {5, 130, 64},  {9, 9, 64}, {70, 70, 32},  {1, 64, 96},  {8, 8, 64}};

}  // namespace

TEST_CASE("grouped_products_have_the_bits_of_single_ones_by_every_kernel") {
  struct expected_kernels {
    gemm_kernel kernel;
    const char *model, *kernels;
  };
  for (const expected_kernels& one :
       {expected_kernels{gemm_kernel::core, "blackwell.mxf4", "core 10, core 2"},
        {gemm_kernel::dp4a, "fp32.sequential", "dp4a 10, dp4a 2"},
        {gemm_kernel::mma, "fp32.sequential", "mma 10, mma 2"},
        {gemm_kernel::mma, "blackwell.mxf4nvf4", "mma 10, mma 2"},
        {gemm_kernel::best, "blackwell.mxf4", "mma 10, mma 2"},
        {gemm_kernel::fma, "fp32.fma", "fma 10, fma 2"},
        {gemm_kernel::fma_small, "fp32.fma", "fma_small 10, fma_small 2"}}) {
    CAPTURE(one.model, int(one.kernel));
    const bool is_nvfp4 = std::string(one.model) == "blackwell.mxf4nvf4";
    std::vector<gemm_shape> shapes = experts;
    if (is_nvfp4) shapes[2].m = 20;
    CHECK(kernels_of({plan_named(one.model), shapes}, one.kernel) == one.kernels);
  }
}

TEST_CASE("kernels_of_four_warps_and_of_blackwell_run_product_by_product") {
  const std::vector<gemm_shape> some = {{3, 40, 64}, {0, 40, 64}, {33, 20, 32}};
  CHECK(kernels_of({plan_named("fp32.sequential"), some}, gemm_kernel::wgmma) == "wgmma, wgmma");
  CHECK(kernels_of({plan_named("blackwell.mxf4"), some}, gemm_kernel::native) == "native, native");
}

TEST_CASE("the_best_kernel_is_that_of_each_product") {
  const std::vector<gemm_shape> shapes = {{3, 4, 64}, {3, 4, 0}, {5, 6, 64}, {7, 8, 32}};
  CHECK(kernels_of({plan_named("fp32.sequential"), shapes}, gemm_kernel::best) ==
        "mma 1, core 1, mma 2");
  // Few tiles are small ones, as in a product alone.
  CHECK(kernels_of({plan_named("fp32.fma"), {{300, 40, 32}, {3, 4, 32}}}, gemm_kernel::best) ==
        "fma 1, fma_small 1");
  drawn_group group(plan_named("fp32.sequential"), {{3, 4, 64}, {5, 6, 64}});
  CHECK(kernels_test::gemm_grouped(group.request(gemm_kernel::best)).kernels == "dp4a 2");
}

TEST_CASE("no_products_are_launched_as_nothing") {
  gemm_grouped_request none;
  CHECK(sentence_of(kernels_test::gemm_grouped(none).status) == "launched");
  const drawn_group empty(plan_named("fp32.sequential"), {{0, 4, 64}});
  CHECK(kernels_test::gemm_grouped(empty.request(gemm_kernel::core)).kernels.empty());
}

TEST_CASE("a_product_that_is_refused_is_named_and_nothing_runs") {
  drawn_group group(plan_named("fp32.sequential"), {{3, 4, 64}, {5, 6, 64}, {2, 2, 32}});
  const auto answer = [&](const auto& change) {
    drawn_group changed = group;
    gemm_grouped_request r = changed.request(gemm_kernel::core);
    change(changed, r);
    r.groups = changed.groups.data();
    return sentence_of(kernels_test::gemm_grouped(r).status);
  };
  CHECK(answer([](auto& g, auto&) { g.groups[1].shape.k = 48; }) ==
        "of product 1: k must be a multiple of 32");
  CHECK(answer([](auto& g, auto&) { g.groups[2].d = nullptr; }).find("of product 2: d is a null") ==
        0);
  CHECK(answer([](auto& g, auto&) { g.groups[2].d_stride = 1; }).find("of product 2: d_stride") ==
        0);
  CHECK(answer([](auto& g, auto&) { g.groups[2].d = g.groups[0].d; }).find("d overlaps") !=
        std::string::npos);
  CHECK(answer([](auto& g, auto&) { g.groups[2].c = g.groups[0].d; }) ==
        "of product 0: d overlaps another argument; results need memory of their own");
  CHECK(answer([](auto& g, auto&) { g.groups[0].c = g.groups[0].d; }) == "launched");
  CHECK(answer([](auto&, auto& r) { r.count = -1; }) == "count is negative");
  CHECK(answer([](auto&, auto& r) { r.count = (1 << 20) + 1; }).find("count is too large") == 0);
  gemm_grouped_request null = group.request(gemm_kernel::core);
  null.groups = nullptr;
  CHECK(sentence_of(kernels_test::gemm_grouped(null).status).find("groups is a null pointer") == 0);
}

TEST_CASE("a_workspace_of_all_products_is_measured_and_kept_from_the_others") {
  drawn_group group(plan_named("fp32.sequential"), {{3, 4, 64}, {5, 6, 64}});
  gemm_grouped_request r = group.request(gemm_kernel::mma);
  workspace_memory workspace(gemm_workspace_bytes(r));
  r.workspace = workspace.data(), r.workspace_bytes = workspace.bytes() - 1;
  CHECK(sentence_of(kernels_test::gemm_grouped(r).status) ==
        "workspace is too small; it must be at least " + std::to_string(workspace.bytes()));
  r.workspace_bytes = workspace.bytes();
  group.groups[0].d = static_cast<unsigned char*>(workspace.data()) + workspace.bytes() - 8;
  CHECK(sentence_of(kernels_test::gemm_grouped(r).status).find("overlaps") != std::string::npos);
}

namespace {

/// Products of one shape in one matrix each of A, C and D; B is shared.
///   beside  D lies beside each other in rows, else one after another
enum class d_order { after, beside };

std::string batched(gemm_kernel kernel, const char* model, d_order order) {
  constexpr gemm_shape shape{35, 20, 64};
  constexpr std::int64_t count = 12;
  std::vector<drawn_product> products;
  kernels::lines_of_codes a{code_storage::pairs, 0, {}, {}};
  std::vector<std::uint32_t> c;
  for (std::int64_t i = 0; i < count; ++i) {
    products.push_back(drawn_product::of(plan_named(model), shape, scales::near, addends::near,
                                         static_cast<std::uint64_t>(i)));
    drawn_product& p = products.back();
    p.b = products.front().b;
    a.line_bytes = p.a.line_bytes;
    a.codes.insert(a.codes.end(), p.a.codes.begin(), p.a.codes.end());
    a.scales.insert(a.scales.end(), p.a.scales.begin(), p.a.scales.end());
    c.insert(c.end(), p.c.begin(), p.c.end());
  }
  const bool is_beside = order == d_order::beside;
  const std::int64_t step = is_beside ? shape.n + 1 : shape.m * shape.n + 3;
  const std::int64_t stride = is_beside ? count * step : shape.n;
  std::vector<std::uint32_t> d(static_cast<std::size_t>(count * step * (is_beside ? shape.m : 1)),
                               0xEEEEEEEE);
  gemm_batched_request r;
  r.first.plan = plan_named(model), r.first.shape = shape;
  r.first.a = a.operand(), r.first.b = products.front().b.operand();
  r.first.c = c.data(), r.first.d = d.data(), r.first.d_stride = stride;
  r.first.kernel = kernel;
  r.count = count;
  r.a_step = shape.m * a.line_bytes, r.a_scales_step = shape.m * 2;
  r.c_step = shape.m * shape.n, r.d_step = step;
  workspace_memory workspace(gemm_workspace_bytes(r));
  r.first.workspace = workspace.data(), r.first.workspace_bytes = workspace.bytes();
  const kernels_test::host_answer answer = kernels_test::gemm_batched(r);
  if (!answer.status.is_done()) return sentence_of(answer.status);
  for (std::int64_t i = 0; i < count; ++i) {
    const std::vector<std::uint32_t> expected = products[static_cast<std::size_t>(i)].expected();
    for (std::int64_t e = 0; e < shape.m * shape.n; ++e) {
      auto& found = d[static_cast<std::size_t>(i * step + e / shape.n * stride + e % shape.n)];
      if (found != expected[static_cast<std::size_t>(e)]) return "product " + std::to_string(i);
      found = 0xEEEEEEEE;
    }
  }
  const bool is_kept = std::all_of(d.begin(), d.end(), [](auto x) { return x == 0xEEEEEEEE; });
  return is_kept ? answer.kernels : "a gap was written";
}

}  // namespace

TEST_CASE("batched_products_have_the_bits_of_single_ones") {
  for (const d_order order : {d_order::after, d_order::beside}) {
    CHECK(batched(gemm_kernel::core, "fp32.sequential", order) == "core 10, core 2");
    CHECK(batched(gemm_kernel::dp4a, "blackwell.mxf4", order) == "dp4a 10, dp4a 2");
    CHECK(batched(gemm_kernel::mma, "fp32.sequential", order) == "mma 10, mma 2");
    CHECK(batched(gemm_kernel::fma_small, "fp32.fma", order) == "fma_small 10, fma_small 2");
  }
}

TEST_CASE("batches_whose_results_meet_are_refused") {
  std::vector<std::uint32_t> d(4096);
  std::vector<std::uint8_t> codes(4096), scale(4096, 127);
  gemm_batched_request r;
  r.first.plan = plan_named("fp32.sequential"), r.first.shape = {3, 4, 32};
  r.first.a = {codes.data(), code_storage::pairs, 16, scale.data()};
  r.first.b = {codes.data() + 2048, code_storage::pairs, 16, scale.data() + 2048};
  r.first.d = d.data() + 1024, r.first.kernel = gemm_kernel::core;
  r.count = 5;
  const auto answer = [&](const auto& change) {
    gemm_batched_request changed = r;
    change(changed);
    return sentence_of(kernels_test::gemm_batched(changed).status);
  };
  CHECK(answer([](auto& q) { q.d_step = 11; }) == "d_step is too small; it must be at least 12");
  CHECK(answer([](auto& q) { q.d_step = 12; }) == "launched");
  CHECK(answer([](auto& q) { q.d_step = 4, q.first.d_stride = 20; }) == "launched");
  CHECK(answer([](auto& q) { q.d_step = 4, q.first.d_stride = 19; }) ==
        "d_step is too small; it must be at least 42");
  CHECK(answer([](auto& q) { q.d_step = 3, q.first.d_stride = 20; }).find("d_step is too small") ==
        0);
  CHECK(answer([](auto& q) { q.count = 1; }) == "launched");
  CHECK(answer([](auto& q) { q.d_step = 12, q.a_step = -1; }).find("a_step is too small") == 0);
  CHECK(answer([](auto& q) { q.count = -1; }) == "count is negative");
  CHECK(answer([](auto& q) { q.d_step = 12, q.first.shape.k = 33; }) ==
        "of product 0: k must be a multiple of 32");
  // C in place: of every product, or of none.
  CHECK(answer([](auto& q) { q.first.c = q.first.d, q.d_step = q.c_step = 12; }) == "launched");
  CHECK(answer([](auto& q) { q.first.c = q.first.d, q.d_step = 12; }).find("d overlaps") !=
        std::string::npos);
  // A reaches D with its last product only.
  CHECK(answer([&](auto& q) {
          q.d_step = 12;
          q.a_step = 3 * 16;
          q.first.a.codes = reinterpret_cast<const std::uint8_t*>(d.data() + 1024) - 5 * 3 * 16;
        }) == "launched");
  CHECK(answer([&](auto& q) {
          q.d_step = 12;
          q.a_step = 3 * 16;
          q.first.a.codes = reinterpret_cast<const std::uint8_t*>(d.data() + 1024) - 5 * 3 * 16 + 1;
        }).find("d overlaps") != std::string::npos);
}
