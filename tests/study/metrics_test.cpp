// SPDX-License-Identifier: Apache-2.0
// tests/study/metrics_test.cpp: reading metrics.jsonl, finding rows, and text for numbers.
#include "sim/report/metrics.h"

#include <algorithm>
#include <cmath>

#include "catch.h"
#include "sim/report/figure_text.h"
#include "sim/report/report.h"
#include "text_file.h"

namespace {

std::string row(const std::string& fields) {
  return R"({"phase":"frozen","arm":"mxfp4","seed":1,"step":null,"outliers":1,"passes":null,)"
         R"("layer":null,"metric":"kl",)" +
         fields + "}\n";
}

std::string message_of(const std::string& text) {
  const text_folder folder;
  try {
    (void)sim::read_metrics(folder.write("metrics.jsonl", text));
  } catch (const sim::report_error& error) {
    return error.what();
  }
  return "accepted";
}

sim::metrics read(const std::string& text) {
  const text_folder folder;
  return sim::read_metrics(folder.write("metrics.jsonl", text));
}

}  // namespace

TEST_CASE("frozen_figures_are_found_by_arm_metric_and_place") {
  const auto m = read(R"({"phase":"frozen","arm":"a","seed":1,"step":null,)"
                      R"("outliers":1,"passes":"all","layer":"all","metric":"g",)"
                      R"("value":0.5,"standard_error":0.1})"
                      "\n\n"
                      R"({"phase":"frozen","arm":"a","seed":1,"step":null,)"
                      R"("outliers":4,"passes":"all","layer":"all","metric":"g",)"
                      R"("value":0.25,"standard_error":null})"
                      "\n"
                      R"({"phase":"frozen","arm":"a","seed":1,"step":null,)"
                      R"("outliers":1,"passes":"dgrad","layer":"1","metric":"g",)"
                      R"("value":0.75,"standard_error":null})"
                      "\n");
  CHECK(m.frozen("a", "g", {1, "all", "all"})->value == 0.5);
  CHECK(m.frozen("a", "g", {1, "all", "all"})->standard_error == 0.1);
  CHECK(m.frozen("a", "g", {4, "all", "all"})->value == 0.25);
  CHECK(m.frozen("a", "g", {1, "dgrad", "1"})->value == 0.75);
  CHECK_FALSE(m.frozen("a", "g", {16, "all", "all"}));
  CHECK_FALSE(m.frozen("b", "g"));
  CHECK(m.outliers() == std::vector<long long>{1, 4});
  CHECK(m.layers("g") == std::vector<std::string>{"all", "1"});
}

TEST_CASE("curves_are_ordered_by_step") {
  std::string text;
  for (const int step : {2, 0, 1}) {
    text += R"({"phase":"train","arm":"a","seed":1,"step":)" + std::to_string(step) +
            R"(,"outliers":null,"passes":"","layer":"","metric":"reward","value":)" +
            std::to_string(step * 10) + R"(,"standard_error":null})" + "\n";
  }
  const sim::curve c = read(text).along("train", "a", "reward");
  CHECK(c.steps == std::vector<double>{0, 1, 2});
  CHECK(c.values == std::vector<double>{0, 10, 20});
}

TEST_CASE("nan_and_inf_are_read_from_strings") {
  CHECK(std::isnan(read(row(R"("value":"NaN","standard_error":null)")).rows()[0].value));
  CHECK(read(row(R"("value":"Inf","standard_error":null)")).rows()[0].value == INFINITY);
  CHECK(read(row(R"("value":"-Inf","standard_error":null)")).rows()[0].value == -INFINITY);
}

TEST_CASE("bad_rows_are_refused_with_line_and_field") {
  const std::string good = row(R"("value":1,"standard_error":null)");
  CHECK(message_of(good) == "accepted");
  CHECK(message_of(good + row(R"("value":"much")")).find(":2: field 'value'") != std::string::npos);
  CHECK(message_of(row(R"("standard_error":1)")).find(":1: field 'value'") != std::string::npos);
  CHECK(message_of(good + good + good.substr(0, 60)).find(":3: expected one JSON object") !=
        std::string::npos);
  CHECK(message_of("{\"phase\":\"frozen\"}\n").find("field 'arm'") != std::string::npos);
  CHECK(message_of("[1]\n").find(":1: expected one JSON object") != std::string::npos);
  CHECK(message_of("").find("at least one row") != std::string::npos);
}

TEST_CASE("rows_that_nest_deep_are_refused_with_their_line") {
  const std::string good = row(R"("value":1,"standard_error":null)");
  for (const std::size_t depth : {18, 75'000, 1'000'000}) {
    const std::string lists = std::string(depth, '[') + std::string(depth, ']');
    const std::string message = message_of(good + row(R"("value":)" + lists));
    CHECK(message.find("metrics.jsonl:2: expected one JSON object (lists and objects lie in more "
                       "than 16 others)") != std::string::npos);
    CHECK(message_of(std::string(depth, '[')).find(":1: expected") != std::string::npos);
  }
  CHECK(message_of(row(R"("value":[[[[1]]]])")).find("found [[[[1]]]]") != std::string::npos);
  CHECK(message_of(row(R"("value":1,"more":[[{"x":[1]}]])")) == "accepted");
}

TEST_CASE("a_value_in_a_message_is_cut") {
  const std::string message = message_of(row("\"value\":\"" + std::string(5'000, 'x') + "\""));
  CHECK(message.find("field 'value': expected a number") != std::string::npos);
  CHECK(message.size() < 400);
}

TEST_CASE("numbers_beyond_binary64_are_refused_with_their_line") {
  CHECK(message_of(row(R"("value":1e999)")).find(":1: expected one JSON object") !=
        std::string::npos);
}

TEST_CASE("missing_metrics_are_refused_by_name") {
  const text_folder folder;
  CHECK_THROWS_AS(sim::read_metrics(folder.path() / "metrics.jsonl"), sim::report_error);
}

TEST_CASE("numbers_show_as_many_digits_as_their_error_allows") {
  CHECK(sim::estimate_text({0.06331, 0.0023}) == "0.0633 \u00B1 0.0023");
  CHECK(sim::estimate_text({0.06331, 0.0061}) == "0.063 \u00B1 0.006");
  CHECK(sim::estimate_text({0.629, 0.0099}) == "0.629 \u00B1 0.010");
  CHECK(sim::estimate_text({0.629, 0}) == "0.629");
  CHECK(sim::estimate_text({3e-17, 0.006}) == "0.000 \u00B1 0.006");
  CHECK(sim::estimate_text({0.9999758, 7.4e-6}) == "0.999976 \u00B1 7.4e\u22126");
  CHECK(sim::estimate_text({2e-6, 7.4e-7}) == "2.0e\u22126 \u00B1 7.4e\u22127");
  CHECK(sim::estimate_text({0, 7.4e-7}) == "0 \u00B1 7.4e\u22127");
  CHECK(sim::signed_text({0.1, 0.02}) == "+0.100 \u00B1 0.020");
  CHECK(sim::signed_text({-0.1, 0.02}) == "\u22120.100 \u00B1 0.020");
  CHECK(sim::number_text(2.34e-6) == "2.3e\u22126");
  CHECK(sim::number_text(NAN) == "NaN");
  CHECK(sim::number_text(-INFINITY) == "\u2212Inf");
  CHECK(sim::number_text(-0.0001, 2) == "0.00");
  CHECK(sim::grouped_text(398080) == "398,080");
  CHECK(sim::grouped_text(1234567) == "1,234,567");
  CHECK(sim::grouped_text(-123) == "-123");
}

TEST_CASE("terminal_table_has_one_line_an_arm") {
  const std::string table =
      sim::terminal_table(read(row(R"("value":0.0633,"standard_error":0.002)")));
  CHECK(table.find("mxfp4  0.0633 \u00B1 0.0020") != std::string::npos);
  CHECK(std::count(table.begin(), table.end(), '\n') == 3);
}
