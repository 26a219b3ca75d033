// SPDX-License-Identifier: Apache-2.0
// tests/study/study_tree_test.cpp: sim/study/study_tree.h: a study has the keys of those it
// extends.
#include "sim/study/study_tree.h"

#include <string>
#include <vector>

#include "catch.h"
#include "sim/study/study_file.h"
#include "text_file.h"

namespace {

const std::string base_text = R"(
name = "base"
seed = 5
[grpo]
steps = 7
clip = 0.5
[outliers]
norm_channels = [1, 2]
[formats.narrow]
numbers = "mxfp4"
[formats.wide]
numbers = "bf16"
[[arm]]
name = "fp32"
[[arm]]
name = "wide"
format = "wide"
)";

std::string refusal_of(const std::filesystem::path& file,
                       const std::vector<std::string>& overrides = {}) {
  try {
    (void)sim::read_study(file, overrides);
  } catch (const sim::study_error& error) {
    return error.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("an_extending_study_joins_tables_and_replaces_arrays") {
  const text_folder folder;
  folder.write("base.toml", base_text);
  const sim::study s = sim::read_study(folder.write("own.toml", R"(
extends = "base.toml"
name = "own"
[grpo]
steps = 9
[outliers]
norm_channels = [3]
[formats.narrow]
scale_rule = "floor"
[[arm]]
name = "fp32"
[[arm]]
name = "narrow"
format = "narrow"
)"));
  CHECK(s.name == "own");
  CHECK(s.seed == 5);
  CHECK(s.grpo.steps == 9);
  CHECK(s.grpo.clip == 0.5F);
  CHECK(s.outliers.norm_channels == std::vector{3});
  REQUIRE(s.arms.size() == 2);
  CHECK(s.arms[1].name == "narrow");
  CHECK(s.arms[1].formats.forward.data.recipe.rules.rule == mx::scale_rule::floor);
}

TEST_CASE("files_are_found_from_the_study_that_names_them_and_extend_each_other_in_turn") {
  const text_folder folder;
  std::filesystem::create_directory(folder.path() / "inner");
  folder.write("base.toml", base_text);
  folder.write("inner/middle.toml", "extends = \"../base.toml\"\n[grpo]\nsteps = 8\nclip = 2.0\n");
  const auto last = folder.write("last.toml", "extends = \"inner/middle.toml\"\ngrpo.clip = 3.0\n");
  const sim::study s = sim::read_study(last, {"grpo.clip=4", "seed=6"});
  CHECK(s.grpo.steps == 8);
  CHECK(s.grpo.clip == 4.0F);
  CHECK(s.seed == 6);
  CHECK(s.arms.size() == 2);
}

TEST_CASE("an_extending_study_is_the_same_study_as_its_text_written_out") {
  const text_folder folder;
  folder.write("base.toml", base_text);
  const sim::study extended = sim::read_study(
      folder.write("own.toml", "extends = \"base.toml\"\nname = \"other\"\ngrpo.steps = 40\n"));
  sim::study written = sim::read_study(folder.path() / "base.toml", {"grpo.steps=40"});
  written.name = "other";
  CHECK(sim::study_hash(extended) == sim::study_hash(written));
  const std::string resolved = sim::resolved_toml(extended);
  CHECK(resolved.find("extends") == std::string::npos);
  CHECK(sim::resolved_toml(sim::read_study(folder.write("again.toml", resolved))) == resolved);
}

TEST_CASE("errors_name_the_file_and_line_of_the_key") {
  const text_folder folder;
  const std::string base = folder.write("base.toml", base_text + "[run]\nthreds = 3\n").string();
  const auto own = folder.write("own.toml", "extends = \"base.toml\"\n[grpo]\nsteps = -1\n");
  CHECK_THAT(refusal_of(own), Catch::Matchers::StartsWith(own.string() + ":3: key 'grpo.steps': "));
  CHECK_THAT(refusal_of(own, {"grpo.steps=1"}),
             Catch::Matchers::StartsWith(base + ":19: key 'run.threds': unknown key"));
  folder.write("base.toml", "seed = \n");
  CHECK_THAT(refusal_of(own), Catch::Matchers::StartsWith(base + ":1: expected TOML"));
}

TEST_CASE("a_study_that_extends_itself_is_refused_with_both_names") {
  const text_folder folder;
  const std::string own = folder.write("own.toml", "extends = \"other.toml\"\n").string();
  const std::string other = folder.write("other.toml", "\nextends = \"./own.toml\"\n").string();
  const std::string named = (folder.path() / "./own.toml").string();
  CHECK(refusal_of(own) == other + ":2: key 'extends': " + named + " itself extends " + other +
                               "; remove one of the two keys");
  folder.write("own.toml", "extends = \"own.toml\"\n");
  CHECK(refusal_of(own).starts_with(own + ":1: key 'extends': " + own + " itself extends " + own));
}

TEST_CASE("what_is_no_study_file_to_extend_is_refused") {
  const text_folder folder;
  const auto own = [&](const std::string& value) {
    return folder.write("own.toml", "extends = " + value + "\n");
  };
  const std::string place = (folder.path() / "own.toml").string() + ":1: key 'extends': ";
  CHECK(refusal_of(own("3")) == place + "expected a string, found 3");
  CHECK(refusal_of(own("\"none.toml\"")) ==
        place + "expected a study file in TOML: " + (folder.path() / "none.toml").string() +
            ": cannot open: No such file or directory");
  CHECK(refusal_of(own("\"\"")).starts_with(place + "expected a study file in TOML: "));
  folder.write("base.toml", base_text);
  CHECK(refusal_of(folder.path() / "base.toml", {"extends=base.toml"}) ==
        "override 'extends=base.toml': key 'extends': is a key of study files alone");
}
