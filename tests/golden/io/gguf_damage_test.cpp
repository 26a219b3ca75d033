// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/gguf_damage_test.cpp: every inconsistency of a GGUF file is refused.
#include "catch.h"
#include "damage.h"
#include "gguf_parts.h"
#include "refusal.h"

namespace test {
namespace {

struct broken_file {
  const char* what;
  std::string contents;
  const char* message;  // a part of it
};

gguf_parts one_tensor(const std::string& bytes, std::size_t data) {
  return {3, {}, {bytes}, 32, numbered(data)};
}

gguf_parts one_note(const std::string& bytes) { return {3, {bytes}, {}, 32, ""}; }

std::string counts(std::uint64_t tensors, std::uint64_t notes) {
  return "GGUF" + little_endian(3, 4) + little_endian(tensors, 8) + little_endian(notes, 8);
}

std::string deep_arrays() {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += little_endian(9, 4) + little_endian(1, 8);
  return gguf_note_of("k", 9, bytes + little_endian(0, 4) + little_endian(0, 8));
}

std::vector<broken_file> broken_headers() {
  return {
      {"nothing", "", "is not a GGUF file"},
      {"three bytes", "GGU", "is not a GGUF file"},
      {"another file", "GGML" + little_endian(3, 4), "is not a GGUF file"},
      {"no version", "GGUF", "byte 4: is truncated or damaged: the version takes 4 bytes"},
      {"version 1", "GGUF" + little_endian(1, 4) + little_endian(0, 8),
       "version 1; expected 2 or 3"},
      {"version 4", "GGUF" + little_endian(4, 4) + little_endian(0, 16),
       "version 4; expected 2 or 3"},
      {"a big-endian file", "GGUF" + std::string("\0\0\0\3", 4) + little_endian(0, 16),
       "is big-endian"},
      {"more tensors than bytes", counts(~0ULL, 0), "the number of tensors is"},
      {"more keys than bytes", counts(0, 1ULL << 60) + std::string(100, '\0'),
       "the number of keys is"},
      {"a key beyond the file", counts(0, 1) + little_endian(1000, 8) + std::string(20, 'k'),
       "byte 32: is truncated or damaged: a key takes 1000 bytes"},
      {"the longest key", counts(0, 1) + little_endian(~0ULL, 8) + std::string(20, 'k'),
       "a key takes 18446744073709551615 bytes"},
      {"an unknown kind", gguf_file_of(one_note(gguf_note_of("k", 13, little_endian(0, 8)))),
       "has the type 13"},
      {"an unknown kind in an array",
       gguf_file_of(one_note(gguf_note_of("k", 9, little_endian(99, 4) + little_endian(0, 8)))),
       "has the type 99"},
      {"a boolean of 2", gguf_file_of(one_note(gguf_note_of("k", 7, little_endian(2, 1)))),
       "a boolean is 2"},
      {"a string beyond the file",
       gguf_file_of(one_note(gguf_note_of("k", 8, little_endian(1 << 20, 8)))),
       "a string takes 1048576 bytes"},
      {"a long array",
       gguf_file_of(
           one_note(gguf_note_of("k", 9, little_endian(10, 4) + little_endian(1ULL << 61, 8)))),
       "the length of an array is"},
      {"deep arrays", gguf_file_of(one_note(deep_arrays())), "nested more than 8 deep"},
      {"a key twice",
       gguf_file_of({3, {gguf_note_of("k", 0, "1"), gguf_note_of("k", 0, "1")}, {}, 32, ""}),
       "'k' appears twice"},
      {"an alignment of 0",
       gguf_file_of(one_note(gguf_note_of("general.alignment", 4, little_endian(0, 4)))),
       "is 0; expected a power of two"},
      {"an alignment of 24",
       gguf_file_of(one_note(gguf_note_of("general.alignment", 4, little_endian(24, 4)))),
       "is 24; expected a power of two"},
      {"an alignment in words",
       gguf_file_of(one_note(gguf_note_of("general.alignment", 8, gguf_text("32")))),
       "expected a power of two, as UINT32"},
  };
}

std::vector<broken_file> broken_tensors() {
  return {
      {"5 axes", gguf_file_of(one_tensor(gguf_entry_of("t", {1, 1, 1, 1, 1}, 0, 0), 4)),
       "has 5 axes"},
      {"a name twice",
       gguf_file_of(
           {3, {}, {gguf_entry_of("t", {0}, 0, 0), gguf_entry_of("t", {0}, 0, 0)}, 32, ""}),
       "tensor 't': the name appears twice"},
      {"an offset that is not aligned", gguf_file_of(one_tensor(gguf_entry_of("t", {4}, 0, 4), 32)),
       "begins at 4; expected a multiple of the alignment, 32"},
      {"an offset beyond the data", gguf_file_of(one_tensor(gguf_entry_of("t", {4}, 0, 4096), 32)),
       "outside the data"},
      {"an offset at the end of 64 bits",
       gguf_file_of(one_tensor(gguf_entry_of("t", {4}, 0, ~31ULL), 32)), "outside the data"},
      {"an end beyond the data", gguf_file_of(one_tensor(gguf_entry_of("t", {9}, 0, 0), 32)),
       "takes 36 bytes, but the file has 32"},
      {"an end beyond the data behind another",
       gguf_file_of({3,
                     {},
                     {gguf_entry_of("a", {8}, 0, 0), gguf_entry_of("b", {9}, 0, 32)},
                     32,
                     numbered(64)}),
       "tensor 'b': its data begins at 32 and takes 36 bytes, but the file has 64"},
      {"a gap before the first", gguf_file_of(one_tensor(gguf_entry_of("t", {4}, 0, 32), 64)),
       "expected 0"},
      {"an overlap",
       gguf_file_of({3,
                     {},
                     {gguf_entry_of("a", {9}, 0, 0), gguf_entry_of("b", {8}, 0, 32)},
                     32,
                     numbered(64)}),
       "expected 64"},
      {"a gap",
       gguf_file_of({3,
                     {},
                     {gguf_entry_of("a", {8}, 0, 0), gguf_entry_of("b", {8}, 0, 64)},
                     32,
                     numbered(96)}),
       "no gap, no overlap"},
      {"bytes behind the last", gguf_file_of(one_tensor(gguf_entry_of("t", {8}, 0, 0), 64)),
       "take 32 bytes, but the file has 64"},
      {"elements beyond 2^64",
       gguf_file_of(one_tensor(gguf_entry_of("t", {1ULL << 33, 1ULL << 33}, 0, 0), 32)),
       "too many elements"},
      {"bits beyond 2^64", gguf_file_of(one_tensor(gguf_entry_of("t", {1ULL << 60}, 0, 0), 32)),
       "too many elements"},
      {"a row that ends inside a block",
       gguf_file_of(one_tensor(gguf_entry_of("t", {48, 2}, 39, 0), 64)), "multiple of 32"},
      {"a row of half a block of NVFP4",
       gguf_file_of(one_tensor(gguf_entry_of("t", {32, 2}, 40, 0), 64)), "multiple of 64"},
      {"a scalar block", gguf_file_of(one_tensor(gguf_entry_of("t", {}, 39, 0), 17)),
       "multiple of 32"},
  };
}

void expect_refused(const std::vector<broken_file>& files) {
  for (const broken_file& broken : files) {
    INFO(broken.what);
    const std::string message = test::refusal_inside(
        broken.contents.size(), [&] { (void)parse_gguf(bytes_of(broken.contents)); });
    INFO(message);
    CHECK(has(message, broken.message));
  }
}

TEST_CASE("a_broken_gguf_file_is_refused_with_its_reason") {
  expect_refused(broken_headers());
  expect_refused(broken_tensors());
}

TEST_CASE("no_damage_to_a_gguf_file_goes_unseen_or_crashes") {
  gguf_parts p = good_gguf();
  p.notes.push_back(gguf_note_of(
      "list", 9, little_endian(8, 4) + little_endian(2, 8) + gguf_text("a") + gguf_text("bc")));
  p.notes.push_back(gguf_note_of("lists", 9,
                                 little_endian(9, 4) + little_endian(1, 8) + little_endian(0, 4) +
                                     little_endian(3, 8) + "abc"));
  const std::string valid = gguf_file_of(p);
  test::parse_every_truncation_and_flip(valid, test::parse_gguf);
  test::parse_random_mutations(valid, 4000, test::parse_gguf);
}

}  // namespace
}  // namespace test
