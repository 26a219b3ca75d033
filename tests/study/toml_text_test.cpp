// SPDX-License-Identifier: Apache-2.0
// tests/study/toml_text_test.cpp: texts on which the TOML parser fails are refused before it.
#include "sim/study/toml_text.h"

#include <string>

#include "catch.h"
#include "sim/study/study_file.h"

namespace {

/// The result for a text: the error, or the value of its key "name".
std::string answer_to(const std::string& text) {
  try {
    return sim::toml_in(text, "s.toml")["name"].value_or(std::string("no name"));
  } catch (const sim::study_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a_character_beyond_ascii_behind_a_backslash_is_refused_with_its_line") {
  for (const std::string text : {"\nname = \"\\é\"", "\nname = \"\"\"\\é\"\"\""}) {
    CAPTURE(text);
    const std::string answer = answer_to(text);
    CHECK(answer.find("s.toml:2") == 0);
    CHECK(answer.find("beyond ASCII stands behind a backslash") != std::string::npos);
  }
}

TEST_CASE("where_a_line_goes_on_what_stands_behind_the_blanks_is_looked_at") {
  const std::string answer = answer_to("name = \"\"\"a\\\n\n  \té\"\"\"");
  CHECK(answer.find("s.toml:3") == 0);
  CHECK(answer.find("beyond ASCII stands behind a backslash") != std::string::npos);
}

TEST_CASE("backslashes_take_with_them_what_they_should") {
  CHECK(answer_to("name = \"\\\\é\"") == "\\é");
  CHECK(answer_to("name = \"\"\"\\\\é\"\"\"") == "\\é");
  CHECK(answer_to("name = '\\é'") == "\\é");
  CHECK(answer_to("name = '''\\\né'''") == "\\\né");
  CHECK(answer_to("name = \"\"\"a\\\n\n  b\"\"\"") == "ab");
  CHECK(answer_to("name = \"a\\tb\"") == "a\tb");
}

TEST_CASE("lines_are_counted_on_behind_a_line_that_goes_on") {
  for (const std::string blanks : {"\n\n", "\n\n  "}) {
    CAPTURE(blanks);
    const std::string answer = answer_to("name = \"\"\"a\\" + blanks + "b\"\"\"\né = 1");
    CHECK(answer.find("s.toml:4") == 0);
    CHECK(answer.find("outside of strings and comments") != std::string::npos);
  }
}
