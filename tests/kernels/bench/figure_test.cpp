// SPDX-License-Identifier: Apache-2.0
// tests/kernels/bench/figure_test.cpp: a device's figures as text and as JSON, and the limits they
// must meet.
#include "figure.h"

#include <algorithm>

#include "catch.h"
#include "measures.h"
#include "verdict.h"

using namespace mx::kernels;

namespace {

figure quantizer(double value) { return {"cuda.quantize.mxfp4", value, "GB/s", "a copy", 4000}; }

figure product(double value, double yardstick) {
  return {"cuda.gemm.fp32.sequential", value, "TOP/s", "cuBLAS", yardstick};
}

}  // namespace

TEST_CASE("a_goal_is_reached_by_the_ratio_and_by_the_value") {
  CHECK(state_of_goal(quantizer(3400)) == goal_state::reached);
  CHECK(state_of_goal(quantizer(3399)) == goal_state::missed);
  CHECK(state_of_goal(product(350, 700)) == goal_state::reached);
  CHECK(state_of_goal(product(350, 800)) == goal_state::missed);
  CHECK(state_of_goal(product(349, 700)) == goal_state::missed);
  CHECK(state_of_goal({"extra.cuda.quantize.nvfp4", 1, "GB/s", "a copy", 4000}) ==
        goal_state::none);
  CHECK(state_of_goal({"cuda.gemm.blackwell.mxf4.spread", 1, "TOP/s", "", 700}) ==
        goal_state::none);
}

TEST_CASE("a_goal_without_a_yardstick_is_not_reached") {
  CHECK(state_of_goal({"cuda.gemm.fp32.sequential", 400, "TOP/s", "missing", {}}) ==
        goal_state::unknown);
  CHECK(state_of_goal({"cuda.gemm.fp32.sequential", 300, "TOP/s", "missing", {}}) ==
        goal_state::missed);
  CHECK(state_of_goal({"cuda.gemm.fp32.sequential", {}, "TOP/s", "no device", {}}) ==
        goal_state::unknown);
}

TEST_CASE("a_line_holds_value_yardstick_ratio_and_goal") {
  const std::string text = text_of(product(400, 800));
  CHECK(text.substr(0, 25) == "cuda.gemm.fp32.sequential");
  CHECK(text.find("   400.00 TOP/s  ratio 0.500; cuBLAS: 800.00; goal ratio 0.45, value 350: "
                  "reached") != std::string::npos);
  CHECK(text_of({"extra.a", 2, "GB/s", "none", {}}).find("2.00 GB/s; none") != std::string::npos);
  CHECK(text_of({"extra.a", {}, "GB/s", "needs memory", {}}).find("not measured: needs memory") !=
        std::string::npos);
}

TEST_CASE("json_has_null_where_there_is_nothing") {
  CHECK(
      json_of({product(400, 800), {"extra.a\"\\\n", {}, "", "why", {}}}) ==
      "[{\"name\": \"cuda.gemm.fp32.sequential\", \"value\": 400, \"unit\": \"TOP/s\", "
      "\"yardstick\": \"cuBLAS\", \"yardstick_value\": 800, \"ratio\": 0.5, \"goal_ratio\": 0.45, "
      "\"goal_value\": 350, \"goal\": \"reached\"}, "
      "{\"name\": \"extra.a\\\"\\\\\\u000a\", \"value\": null, \"unit\": \"\", \"yardstick\": "
      "\"why\", \"yardstick_value\": null, \"ratio\": null, \"goal_ratio\": null, "
      "\"goal_value\": null, \"goal\": null}]");
}

TEST_CASE("a_verdict_is_one_object_with_its_device") {
  const device_in_use h200{"NVIDIA H200", "9.0", "13.0", "12.8"};
  const auto record = [](outcome result) { return case_record{"g", "n", result, 0, ""}; };
  const verdict found{
      {record(outcome::equal), record(outcome::different), record(outcome::equal),
       record(outcome::refused), record(outcome::crashed), record(outcome::unmeasured)},
      {{"device", json_members_of(h200)},
       {"figure", R"({"name": "a", 1})"},
       {"figure", R"({"name": "b", 2})"},
       {"figure", R"({"name": "a", 3})"}},
      {record(outcome::left_out)}};
  CHECK(json_of(found) ==
        "{\"device\": \"NVIDIA H200\", \"compute_capability\": \"9.0\", \"driver\": \"13.0\", "
        "\"runtime\": \"12.8\", \"cases\": 3, \"different\": 1, \"skipped\": 1, "
        "\"unfinished\": 2, \"unmeasured\": 1, "
        "\"figures\": [{\"name\": \"a\", 3}, {\"name\": \"b\", 2}]}\n");
  CHECK(text_of(h200) == "NVIDIA H200, compute capability 9.0, driver 13.0, runtime 12.8");
}

TEST_CASE("names_of_measures_are_told_apart") {
  for (const measure& m : measures) {
    CHECK(m.name.substr(0, 5) == "cuda.");
    CHECK(std::count_if(std::begin(measures), std::end(measures),
                        [&](const measure& other) { return other.name == m.name; }) == 1);
  }
}
