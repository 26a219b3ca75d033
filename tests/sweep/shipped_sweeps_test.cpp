// SPDX-License-Identifier: Apache-2.0
// tests/sweep/shipped_sweeps_test.cpp: every shipped sweep is read and has points.
#include <cstdlib>
#include <filesystem>

#include "catch.h"
#include "sim/sweep/point_list.h"
#include "sim/sweep/sweep_reader.h"

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
