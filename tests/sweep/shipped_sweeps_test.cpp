// SPDX-License-Identifier: Apache-2.0
// tests/sweep/shipped_sweeps_test.cpp: every shipped sweep is read and has points.
#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "catch.h"
#include "sim/sweep/point_list.h"
#include "sim/sweep/sweep_reader.h"

namespace {

/// A cost on the page of results: "322.12", "322.12 (interpolated)"; nothing without gates.
std::string cost_cell(const sim::sweep_point& p, double cost) {
  if (!p.gates) return "";
  const bool counted = p.gates->source == sim::gate_source::counted;
  return fmt::format("{:.5g}{}", cost, counted ? "" : " (interpolated)");
}

}  // namespace

TEST_CASE("shipped_sweeps_are_read_and_have_points") {
  const char* sources = std::getenv("MX_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  int files = 0;
  for (const auto& entry :
       std::filesystem::directory_iterator(std::filesystem::path(sources) / "sim/studies/sweeps")) {
    if (entry.path().extension() != ".toml") continue;
    INFO(entry.path());
    ++files;
    const auto study = sim::read_sweep(entry.path());
    const auto list = sim::points_of(study);
    CHECK(list.points.size() > 1);
    if (study.name == "speed") CHECK(list.points.size() == 2000);
  }
  CHECK(files >= 2);
}

TEST_CASE("the_page_of_results_has_todays_gates_and_marks_interpolated_ones") {
  const char* sources = std::getenv("MX_SOURCE_DIR");
  REQUIRE(sources != nullptr);
  const std::filesystem::path root(sources);
  std::ifstream file(root / "docs/results/sweeps.md");
  std::stringstream text;
  text << file.rdbuf();
  const std::string page = text.str();
  CHECK(page.find("| point | NAND2 equivalents a product | depth in gates |") != page.npos);
  const auto study = sim::read_sweep(root / "sim/studies/sweeps/accumulators.toml");
  int rows = 0;
  for (const sim::sweep_point& p : sim::points_of(study).points) {
    const std::string row = fmt::format("\n| {} |", p.name);
    if (page.find(row) == page.npos) continue;
    ++rows;
    CAPTURE(p.name);
    const auto cell = [&](std::string_view cost) {
      const std::string figure = cost_cell(p, p.cost(cost).value_or(0));
      return figure.empty() ? std::string(" ") : " " + figure;
    };
    CHECK(page.find(fmt::format("{}{} |{} |", row, cell("gates"), cell("depth"))) != page.npos);
  }
  CHECK(rows == 22);
}
