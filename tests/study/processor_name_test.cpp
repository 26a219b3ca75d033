// SPDX-License-Identifier: Apache-2.0
// tests/study/processor_name_test.cpp: sim/study/processor_name.h: a processor with and without a
// name.
#include "sim/study/processor_name.h"

#include "catch.h"
#include "scratch_folder.h"

TEST_CASE("a_processor_has_the_name_of_its_model") {
  const test::scratch_folder folder;
  test::put_contents(folder / "cpuinfo", "processor\t: 0\nmodel name\t: Fast 9000\nflags\t: x\n");
  CHECK(sim::processor_name(folder / "cpuinfo") == "Fast 9000");
}

TEST_CASE("without_the_name_of_a_model_a_processor_has_that_of_its_architecture") {
  const test::scratch_folder folder;
  test::put_contents(folder / "cpuinfo", "processor\t: 0\nCPU implementer\t: 0x41\n");
  for (const char* name : {"cpuinfo", "absent"}) {
    CHECK_THAT(sim::processor_name(folder / name), Catch::Matchers::StartsWith("processor of "));
  }
}
