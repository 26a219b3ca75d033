// SPDX-License-Identifier: Apache-2.0
// tests/study/system_failure_test.cpp: sim/study/system_failure.h: which exceptions are failures of
// the system, and their messages.
#include "sim/study/system_failure.h"

#include <cerrno>
#include <filesystem>
#include <stdexcept>
#include <system_error>

#include "catch.h"

namespace {

std::string of_call(int error) {
  return sim::system_failure(std::system_error(error, std::generic_category(), "cannot write"));
}

TEST_CASE("a_full_disk_is_asked_for_only_where_the_error_may_mean_one") {
  CHECK(of_call(ENOSPC) == "cannot write: No space left on device; is the disk full?");
  for (const int error : {EDQUOT, EFBIG, EIO}) {
    CHECK_THAT(of_call(error), Catch::Matchers::EndsWith("; is the disk full?"));
  }
  CHECK(of_call(EACCES) == "cannot write: Permission denied");
  CHECK(of_call(EAGAIN).find("disk") == std::string::npos);
  const auto code = std::make_error_code(std::errc::no_space_on_device);
  CHECK_THAT(sim::system_failure(std::filesystem::filesystem_error("copy", code)),
             Catch::Matchers::EndsWith("; is the disk full?"));
}

TEST_CASE("a_thread_that_cannot_be_made_is_no_bug_and_others_are") {
  CHECK(sim::system_failure(std::runtime_error("pthread_create has failed")) ==
        "a thread cannot be made: raise the limit on processes (ulimit -u, pids.max) or memory "
        "(ulimit -v)");
  CHECK(sim::system_failure(std::logic_error("impossible")).empty());
  CHECK(sim::system_failure(std::bad_alloc()).empty());
}

}  // namespace
