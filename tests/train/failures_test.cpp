// SPDX-License-Identifier: Apache-2.0
// tests/train/failures_test.cpp: sim/train/failures.h: messages for failed pieces, for errors of
// the input and for bugs.
#include "sim/train/failures.h"

#include <new>
#include <stdexcept>
#include <system_error>

#include "catch.h"
#include "golden/io/file.h"
#include "sim/train/run.h"

namespace {

std::string input_error(const sim::failures& failed) {
  try {
    failed.raise();
  } catch (const sim::run_error& e) {
    return e.what();
  }
  return "none";
}

template <class Error>
void fail(sim::failures& failed, std::size_t index, const Error& error) {
  failed.guard(index, "arm " + std::to_string(index), [&] { throw error; });
}

TEST_CASE("pieces_that_end_well_leave_nothing_to_raise") {
  sim::failures failed;
  int done = 0;
  failed.guard(0, "arm 0", [&] { ++done; });
  CHECK(done == 1);
  CHECK_FALSE(failed.any());
  CHECK(input_error(failed) == "none");
}

TEST_CASE("input_errors_are_named_in_the_order_of_the_pieces") {
  sim::failures failed;
  fail(failed, 3, golden::io::file_error("f", "is cut"));
  fail(failed, 1, std::bad_alloc());
  CHECK(failed.any());
  CHECK_THAT(input_error(failed), Catch::Matchers::StartsWith("arm 1: needs more memory") &&
                                      Catch::Matchers::Contains("; arm 3: f: is cut; ") &&
                                      Catch::Matchers::Contains("--resume"));
}

TEST_CASE("of_many_failures_three_are_named_and_the_others_counted") {
  sim::failures failed;
  for (std::size_t i = 0; i < 21; ++i) fail(failed, i, sim::run_error("full"));
  CHECK_THAT(input_error(failed), Catch::Matchers::StartsWith("arm 0: full; arm 1: full; arm 2: "
                                                              "full; and 18 more"));
}

TEST_CASE("failures_of_the_system_are_no_bugs_and_name_a_full_disk_only_where_it_may_be_full") {
  const auto reported = [](const auto& error) {
    sim::failures failed;
    fail(failed, 0, error);
    return input_error(failed);
  };
  const auto call = [&](std::errc e) {
    return reported(std::system_error(std::make_error_code(e), "cannot write"));
  };
  CHECK_THAT(call(std::errc::no_space_on_device), Catch::Matchers::Contains("is the disk full?"));
  CHECK_THAT(call(std::errc::permission_denied),
             Catch::Matchers::Contains("arm 0: cannot write: Permission denied; finished work"));
  CHECK_THAT(reported(std::runtime_error("pthread_create has failed")),
             Catch::Matchers::Contains("arm 0: a thread cannot be made: raise the limit"));
}

TEST_CASE("a_bug_in_one_piece_is_what_is_raised") {
  sim::failures failed;
  fail(failed, 0, std::system_error(std::make_error_code(std::errc::no_space_on_device)));
  fail(failed, 1, std::logic_error("impossible"));
  CHECK_THROWS_WITH(failed.raise(), Catch::Matchers::StartsWith("arm 1: impossible; arm 0: "));
  try {
    failed.raise();
  } catch (const sim::run_error&) {
    FAIL("a bug was taken for bad input");
  } catch (const std::runtime_error&) {
    SUCCEED();
  }
}

}  // namespace
