// SPDX-License-Identifier: Apache-2.0
// tests/unit/tensor/bulk_instruction_set_test.cpp: mx/tensor/bulk.h. The instruction set that bulk
// code uses.
#include <stdexcept>
#include <string>
#include <vector>

#include "catch.h"
#include "instruction_sets.h"
#include "mx/tensor/bulk.h"

namespace {

using test::instruction_set_of_scope;

TEST_CASE("an_instruction_set_is_used_until_the_restriction_is_lifted") {
  const std::vector<std::string> sets = mx::instruction_sets();
  REQUIRE_FALSE(sets.empty());
  for (const std::string& set : sets) {
    const instruction_set_of_scope scope(set);
    CHECK(mx::instruction_set() == set);
  }
  CHECK(mx::instruction_set() == sets.front());
  CHECK(mx::instruction_sets() == sets);
}

TEST_CASE("an_instruction_set_that_the_machine_lacks_is_refused_by_name") {
  std::string message;
  try {
    mx::use_instruction_set("ABACUS");
  } catch (const std::invalid_argument& e) {
    message = e.what();
  }
  CHECK(message.find("ABACUS") != std::string::npos);
  mx::use_instruction_set("");
}

}  // namespace
