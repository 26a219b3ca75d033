// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/text_file_test.cpp: golden/io/file.h: reads regular text files completely and
// refuses others.
#include "golden/io/file.h"

#include <sys/stat.h>

#include "catch.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::read_text;
using test::has;
using test::refusal_of;

std::string refusal(const std::string& path, std::uint64_t longest = golden::io::longest_text) {
  return refusal_of([&] { (void)read_text(path, longest); });
}

TEST_CASE("a_text_is_read_whole") {
  const test::scratch_folder folder;
  for (const std::size_t size : {0, 1, 65535, 65536, 65537, 200'000}) {
    std::string text(size, 'x');
    if (size > 0) text.back() = '\0';
    test::put_contents(folder / "text", text);
    const bool same = read_text(folder / "text") == text;
    CHECK(same);
  }
}

TEST_CASE("a_file_that_has_no_size_is_read_to_its_end") {
  CHECK(has(read_text("/proc/self/status"), "Pid:"));
}

TEST_CASE("what_is_no_regular_file_is_refused_without_waiting") {
  const test::scratch_folder folder;
  CHECK(has(refusal(folder / "missing"), folder / "missing: cannot open: No such file"));
  std::filesystem::create_directory(folder / "folder");
  CHECK(has(refusal(folder / "folder"), "is a folder; expected a file"));
  REQUIRE(::mkfifo((folder / "pipe").c_str(), 0600) == 0);
  CHECK(has(refusal(folder / "pipe"), "is not a regular file"));
  CHECK(has(refusal("/dev/zero"), "/dev/zero: is not a regular file"));
}

TEST_CASE("a_text_that_is_too_long_is_refused_with_the_limit") {
  const test::scratch_folder folder;
  test::put_contents(folder / "text", std::string(1001, 'x'));
  CHECK(read_text(folder / "text", 1001).size() == 1001);
  CHECK(has(refusal(folder / "text", 1000), "expected at most 1000 bytes"));
  // A file that reports size 0.
  CHECK(has(refusal("/proc/self/status", 10), "expected at most 10 bytes"));
  std::filesystem::resize_file(folder / "text", std::uintmax_t{1} << 40);  // a sparse file
  CHECK(has(refusal(folder / "text"), "expected at most 16777216 bytes"));
}

}  // namespace
