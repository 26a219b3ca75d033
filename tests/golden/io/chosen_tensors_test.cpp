// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/chosen_tensors_test.cpp: the tensors of a file whose names match patterns.
#include "golden/io/chosen_tensors.h"

#include "catch.h"
#include "refusal.h"

namespace test {
namespace {

using golden::io::chosen_tensors;
using golden::io::matches;

golden::io::tensor_file four_tensors() {
  golden::io::tensor_list list;
  for (const char* name : {"layers.0.up", "layers.0.norm", "head"}) {
    list.tensors.push_back({});
    list.tensors.back().name = name;
  }
  list.foreign.push_back({"layers.1.up", "Q6_K"});
  list.metadata["kept"] = "yes";
  return {"f", nullptr, std::move(list)};
}

TEST_CASE("patterns_match_whole_names") {
  CHECK(matches({}, "any"));
  CHECK(matches({"*.q_proj.*", "lm_head"}, "layers.0.q_proj.weight"));
  CHECK_FALSE(matches({"*.q_proj"}, "layers.0.q_proj.weight"));
  CHECK(matches({"a*c"}, "abbc"));
  CHECK_FALSE(matches({"a*c"}, "abbcd"));
}

TEST_CASE("chosen_tensors_are_in_the_order_of_the_file") {
  const auto some = chosen_tensors(four_tensors(), {"head", "*.up"});
  REQUIRE(some.tensors().size() == 2);
  CHECK(some.tensors()[0].name == "layers.0.up");
  CHECK(some.tensors()[1].name == "head");
  CHECK(some.find("layers.0.norm") == nullptr);
  REQUIRE(some.foreign().size() == 1);
  CHECK(some.foreign()[0].name == "layers.1.up");
  CHECK(some.metadata().at("kept") == "yes");
  CHECK(some.path() == "f");
  CHECK(chosen_tensors(four_tensors(), {"head"}).foreign().empty());
  CHECK(chosen_tensors(four_tensors(), {}).tensors().size() == 3);
}

TEST_CASE("a_pattern_that_matches_nothing_is_refused") {
  const auto choose = [](const golden::io::name_patterns& patterns) {
    return refusal_of([&] { (void)chosen_tensors(four_tensors(), patterns); });
  };
  CHECK(choose({"head", "tail"}) ==
        "f: has no tensor whose name matches 'tail'; the file holds 'layers.0.up' "
        "'layers.0.norm' 'head'");
  CHECK(choose({"layers.1.up"}) == "accepted");  // foreign: known by its name alone
}

}  // namespace
}  // namespace test
