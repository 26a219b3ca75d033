// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/case_log_test.cpp: the log of cases, read back; the time limit.
#include "case_log.h"

#include <atomic>
#include <thread>

#include "case_progress.h"
#include "case_watch.h"
#include "catch.h"
#include "scratch_folder.h"

using namespace mx::kernels;

TEST_CASE("records_are_read_back_with_any_text") {
  const test::scratch_folder folder;
  const std::string text = "a\ttab, a \\ and\na line";
  {
    case_log log(folder / "log");
    log.begin("g", "one", "mma");
    log.end(outcome::failed, 1.5, text);
    log.note("device", text);
    log.begin("g", "two", "mma");
  }
  const case_log log(folder / "log");
  REQUIRE(log.records().size() == 2);
  CHECK(log.records()[0].detail == text);
  CHECK(log.records()[0].seconds == 1.5);
  CHECK(log.records()[0].result == outcome::failed);
  CHECK(log.records()[1].result == outcome::crashed);
  REQUIRE(log.notes().size() == 1);
  CHECK(log.notes()[0].text == text);
  CHECK(log.has("g", "two"));
  CHECK(!log.has("h", "two"));
  CHECK(log.breakdowns("g", "mma") == 2);
  CHECK(log.breakdowns("g", "wgmma") == 0);
  CHECK(log.breakdowns("h", "mma") == 0);
}

TEST_CASE("a_line_that_is_none_of_a_log_is_named_with_its_file") {
  const test::scratch_folder folder;
  for (const char* line :
       {"end\tg\tone\tequal\tlong\t", "end\tg\tone\tequal\t\t", "end\tg\tone\tequal\t1.5s\t",
        "end\tg\tone\tequal\t1e999\t", "end\tg\tone\tequal\tnan\t", "end\tg\tone\tsame\t1\t",
        "begin\tg\tone"}) {
    CAPTURE(line);
    test::put_contents(folder / "log", "note\tdevice\tnone\n" + std::string(line) + "\n");
    CHECK_THROWS_WITH(case_log(folder / "log"),
                      (folder / "log").string() +
                          ": line 2 is not of a log of cases; name another file by --log FILE");
  }
}

TEST_CASE("a_result_that_is_forgotten_is_so_when_the_log_is_read_again") {
  const test::scratch_folder folder;
  {
    case_log log(folder / "log");
    for (const outcome result :
         {outcome::equal, outcome::different, outcome::refused, outcome::failed, outcome::timed_out,
          outcome::crashed, outcome::left_out, outcome::unmeasured}) {
      const std::string name = name_in(outcome_names, result);
      log.begin("g", name, "mma");
      log.end(result, 0, "");
      CHECK(log.lacks_result("g", name) == !is_final(result));
      CHECK(!log.lacks_result("h", name));
    }
    log.forget("g", "failed");
    CHECK(!log.has("g", "failed"));
    CHECK(log.breakdowns("g", "mma") == 2);
  }
  const case_log log(folder / "log");
  CHECK(!log.has("g", "failed"));
  CHECK(log.records().size() == 7);
  CHECK(log.breakdowns("g", "mma") == 2);
}

TEST_CASE("a_case_that_was_cut_off_with_its_run_is_forgotten") {
  const test::scratch_folder folder;
  case_log(folder / "log").begin("g", "one", "mma");
  CHECK(case_log(folder / "log", unended_case::cut_off).records().empty());
  case_log log(folder / "log");
  CHECK(log.records().empty());
  CHECK(!log.has("g", "one"));
}

TEST_CASE("a_kernel_that_runs_into_its_limit_three_times_is_left_out_everywhere") {
  const test::scratch_folder folder;
  case_log log(folder / "log");
  case_watch watch(std::chrono::hours(1), [] {});
  for (const char* group : {"a", "b", "c"}) {
    case_progress progress(group, log, watch);
    REQUIRE(progress.begins("one", "wgmma"));
    progress.ends(outcome::timed_out, "");
  }
  case_progress next("d", log, watch);
  CHECK(!next.begins("two", "wgmma"));
  CHECK(log.records().back().result == outcome::left_out);
  CHECK(next.begins("three", "mma"));
}

TEST_CASE("a_case_that_takes_longer_than_its_limit_is_noticed_once") {
  std::atomic<int> expired = 0;
  {
    case_watch watch(std::chrono::milliseconds(50), [&] { ++expired; });
    watch.begin();
    watch.end();
    std::this_thread::sleep_for(std::chrono::milliseconds(150));
    CHECK(expired == 0);
    watch.begin();
    while (expired == 0) std::this_thread::yield();
  }
  CHECK(expired == 1);
}
