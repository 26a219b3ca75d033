// SPDX-License-Identifier: Apache-2.0
// tests/claims/origin_test.cpp: the machine, with and without a list of processors.
#include "sim/claims/origin.h"

#include <algorithm>
#include <string_view>

#include "catch.h"
#include "tests/scratch_folder.h"

TEST_CASE("a_machine_is_its_processor_its_threads_and_the_compiler") {
  const test::scratch_folder folder;
  test::put_contents(folder / "cpuinfo", "processor\t: 0\nmodel name\t: Fast 9000\nflags\t: x\n");
  const std::string words = sim::machine_words(folder / "cpuinfo");
  CHECK(words.starts_with("Fast 9000, "));
  CHECK(words.find(" threads, ") != std::string::npos);
  CHECK(words.ends_with(sim::build_compiler()));
}

TEST_CASE("a_commit_is_forty_digits_or_says_that_it_is_unknown") {
  const std::string_view commit = sim::build_commit();
  const bool digits = std::ranges::all_of(commit.substr(0, 40), [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
  });
  CHECK((commit.starts_with("unknown") || (digits && commit.size() >= 40)));
}
