// SPDX-License-Identifier: Apache-2.0
// tests/validator/product_errors_test.cpp: every model stays within its bound; kernels that read
// wrong operands do not.
#include "golden/validator/product/errors.h"

#include <algorithm>
#include <string>

#include "catch.h"
#include "drawn_product.h"
#include "golden/validator/product/exact_figure.h"

using namespace golden::validator;
using tests::draw;
using tests::drawn_product;

namespace {

product_errors errors_in(const drawn_product& p) {
  return errors_of(p.plan, p.operands(), p.words());
}

void require_within(const mx::gemm_plan& plan, const mx::gemm_shape& shape, std::string_view name,
                    std::uint32_t seed) {
  for (const draw kind : tests::finite_draws) {
    const drawn_product p(plan, shape, kind, seed);
    const product_errors e = errors_in(p);
    INFO(name << ", draw " << static_cast<int>(kind)
              << (e.first ? ": " + e.first->error + " > " + e.first->bound : ""));
    REQUIRE(e.exceeded == 0);
    REQUIRE(e.elements == p.d.size());
    // FP16 overflows; FP32 only by the largest codes of the widest formats.
    const bool wide =
        plan.model.sum.result == mx::formats::binary32 && plan.output != mx::formats::binary16;
    if (kind != draw::any && wide) REQUIRE(e.without_bound == 0);
  }
}

std::vector<mx::gemm_plan> plans_of(const mx::dot_model& model) {
  mx::gemm_plan plan{.model = model};
  plan.output = model.sum.result;
  std::vector<mx::gemm_plan> plans{plan};
  plan.output = mx::formats::bfloat16;
  plan.alpha = -0.3F;
  plan.c_entry = mx::c_entry::epilogue;
  plans.push_back(plan);
  plan.output = mx::formats::binary16;
  plan.output_rounding = mx::rounding::toward_zero;
  plan.alpha = 0x1.8p-30F;
  plans.push_back(plan);
  if (!(model.sum.result == mx::formats::binary32)) return plans;
  plan = {.model = model, .promote = 64, .split_k = 3};
  plans.push_back(plan);
  plan.split_order = mx::split_order::pairwise;
  plans.push_back(plan);
  return plans;
}

}  // namespace

TEST_CASE("every_model_stays_within_its_bound_under_every_plan") {
  std::uint32_t seed = 1;
  const auto check = [&](const mx::named_model& entry) {
    for (const mx::gemm_plan& plan : plans_of(entry.model)) {
      require_within(plan, {5, 6, 416}, entry.name, ++seed);
    }
  };
  for (const mx::named_model& entry : mx::model_table) check(entry);
  for (const mx::named_model& entry : mx::mixed_model_table) {
    if (&entry - mx::mixed_model_table.data() < 20) check(entry);
  }
}

TEST_CASE("sums_of_terms_just_below_the_window_stay_within_the_bound") {
  // One large product, and in every step products that lose just less than 2^(E - F).
  for (const char* const name : {"volta.mma.f16.f32", "ada.mma.e4m3.f32", "hopper.wgmma.f16.f32",
                                 "cdna3.mfma.f16.f32", "cdna3.mfma.e4m3fnuz.f32"}) {
    const mx::gemm_plan plan = tests::plan_named(name);
    drawn_product p(plan, {4, 4, 512}, draw::near, 7);
    const mx::format& f = plan.model.a;
    const auto line = [&](std::size_t i) { return i % 512; };
    for (std::size_t i = 0; i < p.a.size(); ++i) {
      p.a[i] = line(i) == 0 ? f.max_code() : f.max_code() & ((1U << f.fraction_bits) - 1);
      p.b[i] = line(i) == 0 ? f.max_code() : static_cast<std::uint32_t>(f.bias) << f.fraction_bits;
      if (i >= 2 * 512) p.a[i] |= f.sign_mask();
    }
    std::fill(p.c.begin(), p.c.end(), 0U);
    mx::gemm(plan, p.shape, p.operands().a, p.operands().b, p.c.data(), p.d.data());
    INFO(name);
    const product_errors e = errors_in(p);
    CHECK((e.exceeded == 0 && e.without_bound == 0));
  }
}

TEST_CASE("k_in_another_order_stays_within_the_bound_of_the_class") {
  for (const char* const name : {"blackwell.mxf4", "ada.mma.e4m3.f32", "fp32.fma"}) {
    drawn_product p(tests::plan_named(name), {6, 6, 512}, draw::near, 8);
    drawn_product backwards = p;
    for (auto* codes : {&backwards.a, &backwards.b}) std::reverse(codes->begin(), codes->end());
    for (auto* scales : {&backwards.scale_a, &backwards.scale_b}) {
      std::reverse(scales->begin(), scales->end());
    }
    mx::gemm(p.plan, p.shape, backwards.operands().a, backwards.operands().b, nullptr,
             backwards.d.data());
    // Element (i, j) of the reversed computation is element (m - 1 - i, n - 1 - j).
    std::reverse(backwards.d.begin(), backwards.d.end());
    INFO(name);
    CHECK(errors_of(p.plan, p.operands(), {{}, backwards.d}).exceeded == 0);
  }
}

namespace {

/// Number of 16 x 16 elements that a kernel's mistake drives beyond the bound.
template <class Mistake>
std::uint64_t exceeded_after(std::string_view name, const Mistake& mistake) {
  const drawn_product p(tests::plan_named(name), {16, 16, 1024}, draw::near, 9);
  drawn_product kernel = p;
  mistake(kernel);
  mx::gemm(p.plan, p.shape, kernel.operands().a, kernel.operands().b, p.c.data(), kernel.d.data());
  return errors_of(p.plan, p.operands(), {p.c, kernel.d}).exceeded;
}

}  // namespace

TEST_CASE("a_dropped_block_swapped_nibbles_and_a_wrong_scale_exceed_the_bound") {
  for (const char* const name :
       {"blackwell.mxf4", "blackwell.mxf4nvf4", "fp32.sequential", "fp32.fma", "exact.rne"}) {
    INFO(name);
    CHECK(exceeded_after(name, [](drawn_product& k) {
            for (std::size_t i = 0; i < k.a.size(); ++i) {
              if (i % 1024 >= 1024 - 32) k.a[i] = 0;
            }
          }) >= 248);
    CHECK(exceeded_after(name, [](drawn_product& k) {
            for (std::size_t i = 0; i < k.b.size(); i += 2) {
              if (i % 1024 >= 1024 - 32) std::swap(k.b[i], k.b[i + 1]);
            }
          }) >= 248);
    // One scale of one row, times two: that row alone.
    const auto wrong = exceeded_after(name, [](drawn_product& k) {
      k.scale_of_a(3, 5) =
          static_cast<std::uint8_t>(k.scale_of_a(3, 5) + (1 << k.plan.model.scale.fraction_bits));
    });
    CHECK((wrong > 14 && wrong <= 16));
  }
}

TEST_CASE("breaches_are_told_with_exact_figures") {
  // 2 * 3 + 1 = 7 in FP16; a kernel returns 7.5.
  mx::gemm_plan plan = tests::plan_named("exact.rne");
  plan.model = mx::with_formats(plan.model, mx::formats::binary16, mx::formats::binary16);
  plan.model.block = 0;
  drawn_product p(plan, {1, 2, 1}, draw::near, 10);
  p.a = {0x4000};
  p.b = {0x4200, 0x4200};
  p.c = {0x3F800000, 0x3F800000};
  p.d = {0x40E00000, 0x40F00000};
  const product_errors e = errors_in(p);
  REQUIRE((e.exceeded == 1 && e.first && e.worst));
  CHECK((e.first->row == 0 && e.first->column == 1 && e.first->found == 0x40F00000));
  CHECK(e.first->exact == "0x7");
  CHECK(e.first->error == "0x1 * 2^-1");
  // One rounding to nearest: G T = (2^-24 + 2^-48) 7, and a unit of 2^-149, raised to 32 bits.
  CHECK(e.first->bound == "0xe00000e1 * 2^-53");
  CHECK(e.first->times == (1U << 23) / 7);
  plan.alpha = -3 * 0x1p-140F;
  p.plan = plan;
  p.d = {mx::bits_of(-21 * 0x1p-140F), mx::bits_of(-20 * 0x1p-140F)};
  const product_errors scaled = errors_in(p);
  REQUIRE((scaled.exceeded == 1 && scaled.first));
  CHECK(scaled.first->exact == "-0x15 * 2^-140");
  CHECK(scaled.first->error == "0x1 * 2^-140");
}

TEST_CASE("the_worst_element_is_that_of_the_largest_ratio_and_the_first_that_of_the_smallest_row") {
  drawn_product p(tests::plan_named("blackwell.mxf4"), {70, 50, 128}, draw::near, 11);
  p.d[33 * 50 + 40] = mx::bits_of(mx::float_of(p.d[33 * 50 + 40]) + 1000);
  p.d[33 * 50 + 41] = mx::bits_of(mx::float_of(p.d[33 * 50 + 41]) + 100000);
  p.d[69 * 50 + 2] = mx::bits_of(mx::float_of(p.d[69 * 50 + 2]) + 1000);
  product_errors e = errors_in(p);
  REQUIRE((e.exceeded == 3 && e.first && e.worst));
  CHECK((e.first->row == 33 && e.first->column == 40));
  CHECK((e.worst->row == 33 && e.worst->column == 41));
  p.d[69 * 50 + 3] = 0x7FC00000;
  e = errors_in(p);
  REQUIRE(e.worst);
  CHECK((e.exceeded == 4 && e.worst->row == 69 && e.worst->column == 3));
  CHECK((e.worst->error.empty() && e.worst->times == 0));
}

TEST_CASE("nan_and_infinities_are_where_the_operands_put_them") {
  for (const char* const name : {"hopper.wgmma.f16.f32", "fp32.fma", "cdna3.mfma.f16.f32"}) {
    const mx::gemm_plan own = tests::plan_named("hopper.wgmma.f16.f32");
    const mx::gemm_plan plan = std::string_view(name) == "fp32.fma"
                                   ? tests::plan_over(name, own.model)
                                   : tests::plan_named(name);
    drawn_product p(plan, {2, 3, 64}, draw::near, 12);
    p.a[5] = 0x7C00;  // row 0: Inf times b[., 5]
    p.b[64 + 5] = 0;  // NaN in column 1
    mx::gemm(plan, p.shape, p.operands().a, p.operands().b, p.c.data(), p.d.data());
    INFO(name);
    CHECK((errors_in(p).exceeded == 0 && errors_in(p).without_bound == 0));
    p.d[0] ^= 0x80000000;
    p.d[1] = 0x3F800000;
    p.d[2] = 0x7F7FFFFF;
    p.d[3] = 0x7F800000;
    CHECK(errors_in(p).exceeded == 4);
  }
}
