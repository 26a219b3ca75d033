// SPDX-License-Identifier: Apache-2.0
// tests/sweep/row_store_test.cpp: an interrupted sweep keeps its complete rows; parts are merged.
#include "sim/sweep/row_store.h"

#include <fstream>

#include "catch.h"
#include "tests/scratch_folder.h"
#include "tests/sweep/sweep_text.h"

namespace {

sim::sweep_row row(const std::string& key, double value) {
  sim::sweep_row r;
  r.key = key;
  r.set("sqnr_db", value);
  r.set("cos_grid_clip", NAN);
  return r;
}

}  // namespace

TEST_CASE("rows_are_read_as_they_were_written") {
  const test::scratch_folder folder;
  sim::row_journal(folder / "a", "1-of-1").add(row("k", 0.1));
  const auto rows = sim::rows_in(folder / "a");
  REQUIRE(rows.size() == 1);
  CHECK(rows.at("k") == row("k", 0.1));
}

TEST_CASE("a_line_without_an_end_is_measured_again") {
  const test::scratch_folder folder;
  sim::row_journal(folder / "a", "1-of-1").add(row("k", 1));
  std::ofstream(folder / "a/rows-1-of-1.jsonl", std::ios::app) << "{\"key\":\"half";
  CHECK(sim::rows_in(folder / "a").size() == 1);
  sim::row_journal(folder / "a", "1-of-1").add(row("next", 2));
  CHECK(sim::rows_in(folder / "a").size() == 2);
}

TEST_CASE("other_lines_are_refused_by_number") {
  const test::scratch_folder folder;
  sim::row_journal(folder / "a", "1-of-1").add(row("k", 1));
  std::ofstream(folder / "a/rows-1-of-1.jsonl", std::ios::app) << "[]\n";
  CHECK(test::contains(test::refusal_of([&] { return sim::rows_in(folder / "a"); }), ".jsonl:2:"));
}

TEST_CASE("one_process_measures_a_part") {
  const test::scratch_folder folder;
  const sim::row_journal held(folder / "a", "1-of-2");
  const auto again = [&] {
    const sim::row_journal other(folder / "a", "1-of-2");
    return 0;
  };
  CHECK(test::contains(test::refusal_of(again), "another process"));
}

TEST_CASE("merging_takes_the_wanted_rows_and_refuses_those_that_differ") {
  const test::scratch_folder folder;
  sim::row_journal(folder / "a", "1-of-2").add(row("k", 1));
  sim::row_journal(folder / "a", "2-of-2").add(row("other study", 1));
  sim::row_journal(folder / "b", "2-of-2").add(row("m", 2));
  const std::string a = (folder / "a").string(), b = (folder / "b").string();
  sim::merge_rows(folder / "all", {a, b}, {"k", "m", "missing"});
  CHECK(sim::rows_in(folder / "all").size() == 2);
  sim::row_journal(folder / "c", "1-of-1").add(row("k", 7));
  const auto differing = [&] {
    sim::merge_rows(folder / "all", {(folder / "c").string()}, {"k"});
    return 0;
  };
  CHECK(test::contains(test::refusal_of(differing), "has other values"));
}
