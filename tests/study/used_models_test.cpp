// SPDX-License-Identifier: Apache-2.0
// tests/study/used_models_test.cpp: recipes, models and rotations of arms in tables, notes and
// groups.
#include "sim/report/used_models.h"

#include <string>
#include <vector>

#include "catch.h"
#include "notable_study.h"
#include "sim/report/report.h"
#include "sim/report/run_data.h"

TEST_CASE("tables_name_recipes_models_rotations_and_operands_of_forward") {
  const sim::run_data run{notable_study(), std::string(64, 'a'), sim::metrics({})};
  const std::string arms = sim::arms_section(run), notes = sim::notes_section(run);
  for (const char* words :
       {"rollout, forward: MXFP4 floor under blackwell.mxf4; "
        "dgrad: MXFP4 floor; ",
        "dgrad: mxfp8-e4m3 floor, stochastic (8 bits) by W of forward",
        "wgrad: nvfp4 ideal, nearest-even by MXFP4 rceil, macro block 128 (8 bits) rotated by "
        "16,fixed, 4 sequences a product",
        "rollout: FP32 by mxfp4 as torchao.rceil rotated by 32",
        "rollout, forward: nvfp4 ideal, nearest-even; dgrad: BF16 by W of forward; wgrad: BF16 by "
        "X of forward; W of forward, dgrad where .*\\.(gate|up)_proj matches: mxfp8-e4m3 floor, "
        "stochastic (8 bits); both operands where .*[.]1[.].* matches: MXFP4 floor; the last 1 of "
        "2 "
        "layers and attention: BF16<"}) {
    CAPTURE(words, arms);
    CHECK(arms.find(words) != std::string::npos);
  }
  CAPTURE(notes);
  CHECK(notes.find("<b>blackwell.mxf4</b> (cores): evidence two models agree; ") !=
        std::string::npos);
  CHECK(notes.find("<b>exact.rne</b> (cores): evidence specification only; a definition.") !=
        std::string::npos);
}

TEST_CASE("arms_under_other_models_are_a_group_and_rotations_are_corrections") {
  std::vector<sim::metric_row> rows;
  const sim::study s = notable_study();
  for (const sim::arm& a : s.arms) {
    rows.push_back({"frozen", a.name, {}, 1, "", "", "kl", 0.1, 0.01});
  }
  const auto groups = sim::groups_of({s, std::string(64, 'a'), sim::metrics(rows)}, "frozen");
  std::vector<std::string> titles;
  for (const auto& g : groups) titles.push_back(g.title + ":" + g.arms.back());
  CHECK(titles == std::vector<std::string>{"Formats and passes:all", "Corrections:kernel",
                                           "Models of products:cores"});
}
