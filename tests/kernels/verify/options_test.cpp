// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/options_test.cpp: the options of mx_verify, and the file that it writes.
#include <cstring>

#include "catch.h"
#include "options.h"
#include "scratch_folder.h"
#include "whole_file.h"

using namespace mx::kernels;

namespace {

std::string refusal_of(const std::vector<std::string>& words) {
  try {
    static_cast<void>(options_of(words));
  } catch (const usage_error& wrong) {
    return wrong.what();
  }
  return {};
}

}  // namespace

TEST_CASE("options_are_read_in_any_order_and_have_defaults") {
  const options none = options_of({});
  CHECK(none.only.empty());
  CHECK(none.golden == "golden/vectors");
  CHECK(none.repro == "mx_verify.repro");
  CHECK(none.size == sizes::all);
  CHECK(none.json.empty());
  CHECK(none.speed == times::measured);
  CHECK(none.usage == help::not_wanted);
  const options all = options_of({"--json", "a.json", "--no-times", "--small", "--golden", "words",
                                  "--repro", "out", "--only", "--help"});
  CHECK(all.json == "a.json");
  CHECK(all.speed == times::left_out);
  CHECK(all.golden == "words");
  CHECK(all.repro == "out");
  CHECK(all.size == sizes::small);
  CHECK(all.only == "--help");
  CHECK(all.usage == help::not_wanted);
}

TEST_CASE("help_is_asked_for_by_two_names_and_tells_every_option") {
  CHECK(options_of({"--help"}).usage == help::wanted);
  CHECK(options_of({"--only", "x", "-h"}).usage == help::wanted);
  for (const char* word :
       {"--only TEXT", "--golden FOLDER", "--repro FOLDER", "--json FILE", "--small", "--no-times",
        "--group NAME", "--continue", "--case-timeout SECONDS", "--log FILE", "--junit FILE",
        "--list", "--library FILE", "--mxprism FILE", "example:"}) {
    CHECK(std::strstr(usage_text(), word) != nullptr);
  }
}

TEST_CASE("words_that_are_no_options_are_named") {
  CHECK(refusal_of({"--no-times", "--quick"}) == "there is no option --quick");
  CHECK(refusal_of({"stray"}) == "there is no option stray");
  CHECK(refusal_of({""}) == "there is no option ");
  CHECK(refusal_of({"--no-times", "--only"}) == "option --only needs a value");
  CHECK(refusal_of({"--golden"}) == "option --golden needs a value");
  CHECK(refusal_of({"--repro"}) == "option --repro needs a value");
  CHECK(refusal_of({"--json"}) == "option --json needs a value");
}

TEST_CASE("a_time_limit_is_a_number_of_seconds") {
  CHECK(options_of({"--case-timeout", "2.5"}).case_seconds == 2.5);
  for (const char* word : {"0", "-1", "nan", "inf", "1s", "", "86401"}) {
    CHECK(refusal_of({"--case-timeout", word}).find("number of seconds") != std::string::npos);
  }
}

TEST_CASE("a_number_of_cases_to_store_is_whole") {
  CHECK(options_of({"--most-repros", "0"}).most_repros == 0);
  CHECK(options_of({}).most_repros > 1000000);
  for (const char* word : {"-1", "1e3", "", "99999999999"}) {
    CHECK(refusal_of({"--most-repros", word}).find("a whole number") != std::string::npos);
  }
}

TEST_CASE("a_file_is_written_whole_or_not_at_all") {
  const test::scratch_folder folder;
  write_file(folder / "found.json", "{}");
  CHECK(test::contents_of(folder / "found.json") == "{}");
  CHECK(folder.file_count() == 1);
  std::string message;
  try {
    write_file(folder / "none" / "found.json", "{}");
  } catch (const std::runtime_error& error) {
    message = error.what();
  }
  CHECK(message.find("found.json.partial: cannot be written") != std::string::npos);
}
