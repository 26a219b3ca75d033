// SPDX-License-Identifier: Apache-2.0
// tests/sweep/sweep_page_test.cpp: fronts, tables and the page of a sweep.
#include "sim/sweep/sweep_page.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "catch.h"
#include "sim/sweep/pareto_front.h"
#include "sim/sweep/sweep_maps.h"
#include "tests/sweep/sweep_text.h"

namespace {

/// A measured sweep.
struct measured_sweep {
  sim::loaded_sweep of;
  std::vector<sim::measured_work> work;
  sim::sweep_rows rows;

  explicit measured_sweep(const std::string& axes) : of(test::loaded(test::sweep_of(axes))) {
    work = sim::work_of(of);
    sim::measure(of, work, rows, [](const sim::sweep_row&) {});
  }
  [[nodiscard]] sim::sweep_results results() const { return {of, work, rows}; }
};

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a_front_has_what_no_cheaper_point_equals") {
  const measured_sweep s(
      "format = [\"e2m1:e8m0:32\", \"e2m1:e8m1:32\", \"mxfp8-e4m3\", \"e2m1:e8m0:16\", "
      "\"e2m3:ue4m3:16\"]\n"
      "scale_rule = [\"floor\", \"rceil\"]\n");
  const auto r = s.results();
  const auto front = sim::front_of(r, s.of.inputs.front());
  REQUIRE_FALSE(front.empty());
  for (const auto& w : s.work) {
    const auto index = static_cast<std::size_t>(&w - s.work.data());
    const bool on_front = std::ranges::find(front, index) != front.end();
    const bool beaten = std::ranges::any_of(s.work, [&](const sim::measured_work& o) {
      const double cost = w.point->bits - o.point->bits;
      const double quality = sim::quality_of(r, o) - sim::quality_of(r, w);
      return cost >= 0 && quality >= 0 && (cost > 0 || quality > 0);
    });
    CHECK(on_front == !beaten);
  }
}

TEST_CASE("tables_have_a_line_for_each_point_and_input") {
  const measured_sweep s("format = [\"mxfp4\", \"mxfp4+of=1\"]\n");
  const std::string csv = sim::csv_of(s.results());
  CHECK(count(csv, "\n") == 3);
  CHECK(csv.starts_with("key,point,input,role,bits,gates,depth,gates_source,format,sqnr_db,"));
  CHECK(count(csv, "corrected: total error only") == 1);
  CHECK(count(sim::jsonl_of(s.results()), "\"point\"") == 2);
}

TEST_CASE("a_page_has_a_mark_and_a_row_for_each_point_and_counts_what_was_left_out") {
  const measured_sweep s(
      "element = [\"e2m1\", \"e3m2\"]\nscale_rule = [\"floor\", \"static-4\"]\n");
  const std::string page = sim::page_of(s.results(), "s.toml");
  CHECK(count(page, "<circle") == 3);
  CHECK(count(page, "<tr><th>mxfp") == 3);
  CHECK(page.find("element=e3m2 scale_rule=static-4") != page.npos);
  CHECK(page.find("http") == page.find("http://www.w3.org"));  // nothing is loaded
}

TEST_CASE("a_page_has_a_column_for_each_field_of_the_points_and_says_what_costs_are") {
  const measured_sweep s(
      "format = [\"mxfp4\", \"mxfp4+gain=3/4\"]\n"
      "model = { values = [\"none\", \"exact.rne\"], when = \"format == mxfp4\" }\n"
      "gain = \"none\"\n");
  const std::string page = sim::page_of(s.results(), "s.toml");
  for (const char* head : {"format", "axis_gain", "model", "gates", "sqnr_db"}) {
    INFO(head);
    CHECK(count(page, std::string("<th>") + head + "</th>") == 1);
  }
  CHECK(count(page, "<td>exact.rne</td>") == 1);
  CHECK(count(page, "<code>gates</code>: NAND2 equivalents a product; ") == 1);
}

TEST_CASE("points_without_the_pages_cost_are_counted_beside_the_chart") {
  const std::string axes =
      "format = [\"mxfp4\", \"nvfp4\", \"e2m1:e8m0:16\"]\nmodel = \"exact.rne\"\n";
  const auto page = [&](const char* cost) {
    measured_sweep s(axes);
    s.of.study.page_cost = cost;
    return sim::page_of(s.results(), "s.toml");
  };
  CHECK(count(page("gates"), "not drawn: 1 without a value") == 1);
  CHECK(count(page("bits"), "not drawn") == 0);
}

TEST_CASE("infinite_figures_are_counted_beside_the_chart_and_leave_the_map_its_shades") {
  measured_sweep s("block = [16, 32]\nscale_rule = [\"floor\", \"rceil\"]\n");
  const auto shades = [&] {
    const std::string map = sim::maps_of_fields(s.results());
    std::set<std::string> found;
    const std::string mark = "fill-opacity=\"";
    for (std::size_t at = map.find(mark); at != map.npos; at = map.find(mark, at + 1)) {
      found.insert(map.substr(at + mark.size(), 4));
    }
    return found.size();
  };
  const std::size_t finite = shades();
  REQUIRE(finite > 1);
  CHECK(sim::page_of(s.results(), "s.toml").find("infinite value") == std::string::npos);
  s.rows.at(s.work.front().key).set("sqnr_db", HUGE_VAL);
  CHECK(sim::page_of(s.results(), "s.toml").find("not drawn: 1 with an infinite value") !=
        std::string::npos);
  CHECK(shades() + 1 >= finite);
  s.rows.at(s.work.back().key).set("sqnr_db", -HUGE_VAL);
  const std::string page = sim::page_of(s.results(), "s.toml");
  CHECK(count(page, "<td>Inf</td>") == 1);
  CHECK(count(page, "<td>-Inf</td>") == 1);
}

TEST_CASE("a_map_has_no_more_rows_than_a_reader_takes_in") {
  const auto map_of_blocks = [](int count) {
    std::string axes = "scale_rule = [\"floor\", \"rceil\"]\nblock = [";
    for (int i = 1; i <= count; ++i) axes += std::to_string(i) + (i < count ? ", " : "]\n");
    const measured_sweep s(axes);
    return sim::maps_of_fields(s.results());
  };
  CHECK(count(map_of_blocks(40), ">g: best sqnr_db, block by scale_rule<") == 1);
  CHECK(map_of_blocks(41).empty());
}

TEST_CASE("heads_of_a_map_are_cut_between_characters") {
  const measured_sweep s(
      "block = [16, 32]\n[[input]]\nname = "
      "\"\u03b1\u03b2\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9\"\n"
      "law = \"laplace\"\nrows = 4\ncolumns = 256\n");
  CHECK(count(sim::map_of_inputs(s.results()),
              "\u2026\u03b3\u03b4\u03b5\u03b6\u03b7\u03b8\u03b9<") == 1);
}
