// SPDX-License-Identifier: Apache-2.0
// tests/sweep/point_figures_test.cpp: what is measured is what the emulator's functions give, for
// any number of threads.
#include "sim/sweep/point_figures.h"

#include <tbb/global_control.h>

#include <algorithm>
#include <atomic>
#include <cmath>

#include "catch.h"
#include "mx/tensor/coded_tensor.h"
#include "sim/sweep/product_error.h"
#include "sim/sweep/sweep_table.h"
#include "sim/sweep/total_error.h"
#include "tests/sweep/sweep_text.h"

namespace {

/// All rows of a sweep, in its order.
std::vector<sim::sweep_row> rows_of(const sim::loaded_sweep& s) {
  sim::sweep_rows rows;
  const auto work = sim::work_of(s);
  sim::measure(s, work, rows, [](const sim::sweep_row&) {});
  std::vector<sim::sweep_row> ordered;
  for (const auto& w : work) ordered.push_back(rows.at(w.key));
  return ordered;
}

}  // namespace

TEST_CASE("energies_are_those_of_decompose") {
  const auto s =
      test::loaded(test::sweep_of("format = [\"mxfp4\", \"nvfp4\", \"e3m2:e8m3:48\"]\n"));
  const auto rows = rows_of(s);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    const auto e =
        mx::decompose_tensor(s.list.points[i].recipe(), {{4, 256}, 1}, mx::number_type::fp32,
                             s.inputs.front().drawn.data(), nullptr);
    CHECK(*rows[i].of("error") == e.sums.total / e.sums.x_squared);
    CHECK(*rows[i].of("deadzone_share") == e.sums.deadzone / e.sums.total);
    CHECK(*rows[i].of("violations") == 0);
  }
}

TEST_CASE("whole_errors_agree_with_the_sums_of_the_parts") {
  const std::string axes = "format = [\"mxfp4\", \"nvfp4\", \"e2m3:ue4m3:16:tensor\"]\n";
  const auto parts = rows_of(test::loaded(test::sweep_of(axes, "measures = [\"components\"]\n")));
  const auto whole = rows_of(test::loaded(test::sweep_of(axes, "measures = [\"total\"]\n")));
  // Values under a tensor scale are rounded to FP32; parts are exact.
  for (std::size_t i = 0; i < parts.size(); ++i) {
    for (const char* metric : {"error", "gain", "zeroed"}) {
      CHECK(*whole[i].of(metric) == Approx(*parts[i].of(metric)).epsilon(i == 0 ? 1e-12 : 1e-7));
    }
    CHECK(whole[i].of("bias"));
    CHECK_FALSE(whole[i].of("scale_share"));
  }
}

TEST_CASE("corrected_points_have_a_total_error_and_no_parts") {
  const auto rows = rows_of(
      test::loaded(test::sweep_of("format = [\"mxfp4\", \"mxfp4+of=1\", \"mxfp4+mbs=128,8\"]\n")));
  CHECK(rows[0].of("scale_share"));
  for (std::size_t i = 1; i < 3; ++i) {
    CHECK_FALSE(rows[i].of("scale_share"));
    CHECK(*rows[i].of("error") < *rows[0].of("error"));
  }
}

TEST_CASE("a_finite_number_that_becomes_nan_or_inf_makes_the_error_infinite_and_is_counted") {
  // The largest element of a block near the end of FP32 is rounded up to 2^128, its residual is
  // Inf.
  auto s = test::loaded(
      test::sweep_of("format = [\"mxfp4\", \"mxfp4+of=0.5\"]\nscale_rule = \"rceil\"\n",
                     "measures = [\"total\"]\n"));
  std::vector<float>& x = s.inputs.front().drawn;
  std::fill(x.begin(), x.begin() + 32, 0x1.fp123F);
  x.front() = 0x1.fffffep127F;
  const auto rows = rows_of(s);
  for (const sim::sweep_row& row : rows) {
    CHECK(*row.of("sqnr_db") == -HUGE_VAL);
    CHECK(*row.of("error") == HUGE_VAL);
  }
  CHECK(*rows[0].of("not_finite") == 1);
  CHECK(*rows[1].of("not_finite") == 32);
  const auto work = sim::work_of(s);
  const sim::sweep_rows found{{rows[0].key, rows[0]}, {rows[1].key, rows[1]}};
  const sim::sweep_results results{s, work, found};
  CHECK(sim::remark_on(results, work[0]) == "1 finite element decodes to NaN or Inf");
  CHECK(sim::remark_on(results, work[1]) == "32 finite elements decode to NaN or Inf");
}

TEST_CASE("nan_and_inf_and_what_they_spoil_are_left_out_of_the_whole_error") {
  const std::string axes = "format = [\"mxfp4\", \"mxfp4+rotate=64\", \"mxfp4+of=1\"]\n";
  auto s = test::loaded(test::sweep_of(axes, "measures = [\"total\"]\n"));
  std::vector<float>& x = s.inputs.front().drawn;
  x[3] = std::nanf(""), x[100] = HUGE_VALF;
  for (std::size_t i = 0; i < 3; ++i) {
    const mx::operand& f = s.list.points[i].operand;
    const sim::total_sums sums = sim::total_error(f, x.data(), 4, 256);
    CHECK(sums.elements == 4 * 256 - 2 * (i == 1 ? 64 : 32));
    CHECK(sums.not_finite == 0);
    CHECK(std::isfinite(sums.error));
  }
}

TEST_CASE("zeros_of_the_input_are_not_counted_as_made_zero") {
  const auto s = test::loaded(test::sweep_of("format = \"mxfp4\"\n"));
  std::vector<float> x(64, 1.0F);
  std::fill(x.begin(), x.begin() + 40, 0.0F);
  x[50] = 0.01F;
  CHECK(sim::total_error(s.list.points.front().operand, x.data(), 1, 64).zeroed == 1);
}

TEST_CASE("rows_are_the_same_for_any_number_of_threads") {
  const std::string axes =
      "format = [\"mxfp4\", \"nvfp4\", \"mxfp4+of=0.5\"]\nmodel = { values = [\"exact.rne\"], when "
      "= "
      "\"format != mxfp4+of=0.5\" }\n";
  const std::string keys =
      "measures = [\"total\", \"components\", \"product\"]\nproduct = { m = 2, n = 2, k = 256 }\n";
  const auto many = rows_of(test::loaded(test::sweep_of(axes, keys)));
  const tbb::global_control one(tbb::global_control::max_allowed_parallelism, 1);
  CHECK(rows_of(test::loaded(test::sweep_of(axes, keys))) == many);
}

TEST_CASE("an_exact_sum_of_codes_differs_from_their_product_by_its_rounding_alone") {
  const std::string keys = "measures = [\"product\"]\nproduct = { m = 2, n = 2, k = 256 }\n";
  const auto rows = rows_of(test::loaded(test::sweep_of(
      "model = [\"exact.rne\", \"blackwell.mxf4\"]\nsum_fraction_bits = { values = [8], when = "
      "\"model == blackwell.mxf4\" }\n",
      keys)));
  CHECK(*rows[0].of("accumulation_db") > 140);  // 24 bits of FP32
  CHECK(*rows[1].of("accumulation_db") < 80);   // of 8 bits
  CHECK(*rows[0].of("product_db") < 25);
  const auto s =
      test::loaded(test::sweep_of("model = \"blackwell.mxf4\"\nsum_fraction_bits = 8\n", keys));
  const sim::sweep_point& p = s.list.points.front();
  const std::vector<float>& x = s.inputs.front().drawn;
  const sim::product_sums sums = sim::product_error(
      p.operand, *p.plan, {2, 2, 256, {x.begin(), x.begin() + 512}, {x.begin() + 512, x.end()}});
  const auto of_sums = rows_of(s);
  CHECK(*of_sums[0].of("product_db") == Approx(10 * std::log10(sums.exact / sums.error)));
  CHECK(*of_sums[0].of("accumulation_db") ==
        Approx(10 * std::log10(sums.coded / sums.accumulation)));
}

TEST_CASE("tensor_scales_are_multiplied_into_a_product") {
  const auto rows = rows_of(test::loaded(
      test::sweep_of("format = \"nvfp4\"\nmodel = [\"exact.rne\", \"fp32.sequential\"]\n",
                     "measures = [\"product\"]\nproduct = { m = 2, n = 2, k = 256 }\n")));
  for (const sim::sweep_row& row : rows) CHECK(*row.of("accumulation_db") > 120);
}

TEST_CASE("halving_measures_the_best_points_whole") {
  const auto s = test::loaded(
      test::sweep_of("element = [\"e2m1\", \"e3m2\", \"e2m3\", \"e4m3\"]\nblock = [16, 32]\n",
                     "search = \"halving\"\nhalving = { rounds = 2 }\n"));
  sim::sweep_rows rows;
  std::atomic<int> measured = 0;  // rows come from several threads
  const auto best = sim::halve(s, rows, [&](const sim::sweep_row&) { ++measured; });
  CHECK(measured == 8 + 4 + 2);
  REQUIRE(best.size() == 2);
  for (const std::size_t point : best)
    CHECK(s.list.points[point].recipe().format().element.width() > 4);
}

TEST_CASE("halving_keeps_at_least_its_share_and_no_point_without_the_objective") {
  const auto best = [](const std::string& axes, const std::string& keys) {
    const auto s = test::loaded(test::sweep_of(axes, "search = \"halving\"\n" + keys));
    sim::sweep_rows rows;
    std::vector<std::string> names;
    for (const std::size_t point : sim::halve(s, rows, [](const sim::sweep_row&) {})) {
      names.push_back(s.list.points[point].name);
    }
    return names;
  };
  CHECK(best("block = [16, 32, 64]\n", "halving = { rounds = 1 }\n").size() == 2);
  CHECK(best("format = [\"mxfp4+of=1\", \"mxfp4\"]\n",
             "halving = { rounds = 1, objective = \"zeroed_ideal\" }\n") ==
        std::vector<std::string>{"mxfp4 floor"});
}

TEST_CASE("a_product_larger_than_its_input_is_refused") {
  const auto s = test::loaded(
      test::sweep_of("model = \"exact.rne\"\n",
                     "measures = [\"product\"]\nproduct = { m = 3, n = 2, k = 256 }\n"));
  const auto& in = s.inputs.front();
  CHECK(test::contains(test::refusal_of([&] {
                         sim::expect_operands(s.study, in, in);
                         return 0;
                       }),
                       "needs 5 rows of 256"));
}

TEST_CASE("a_product_with_rows_below_is_another_one_than_with_an_input_of_the_same_numbers") {
  const std::string product = "measures = [\"product\"]\nproduct = { m = 2, n = 2, k = 256";
  const std::string axes = "model = \"exact.rne\"\n";
  const auto own = test::loaded(test::sweep_of(axes, product + " }\n"));
  auto other = test::loaded(test::sweep_of(axes, product + " }\n"));
  sim::swept_input twin = sim::drawn_input(other.study.inputs.front());
  auto work = sim::work_of(other);
  work.front().b = &twin;
  REQUIRE(twin.hash == other.inputs.front().hash);
  const std::string by_twin = sim::key_of(other.study, work.front());
  CHECK(by_twin != sim::key_of(own.study, sim::work_of(own).front()));
  other.study.inputs.front().seed = 2;
  const sim::swept_input of_other_seed = sim::drawn_input(other.study.inputs.front());
  work.front().b = &of_other_seed;
  CHECK(sim::key_of(other.study, work.front()) != by_twin);
}

TEST_CASE("tiles_and_double_are_left_out_where_a_tensor_has_several_matrices") {
  auto s =
      test::loaded(test::sweep_of("format = [\"mxfp4\", \"e2m1:e8m0:4x4\", \"mxfp4+double\"]\n"));
  s.inputs.front().tensors.front().slices = 2;
  sim::leave_out_refused(s);
  REQUIRE(s.list.points.size() == 1);
  CHECK(s.list.points.front().name == "mxfp4 floor");
  CHECK(test::contains(s.list.refused.begin()->first, "has several"));
}
