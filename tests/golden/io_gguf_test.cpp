// SPDX-License-Identifier: Apache-2.0
// tests/golden/io_gguf_test.cpp: GGUF files, put together byte by byte, and every way in which one
// can lie.
#include <array>
#include <bit>

#include "catch.h"
#include "damage.h"
#include "golden/io/gguf.h"
#include "golden/io/gguf_header.h"
#include "golden/io/tensor_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::byte_view;
using golden::io::dtype;
using golden::io::tensor;
using test::has;
using test::refusal_of;

std::string number(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i, value /= 256) bytes += static_cast<char>(value % 256);
  return bytes;
}

std::string text(const std::string& words) { return number(words.size(), 8) + words; }

std::string note(const std::string& key, std::uint32_t kind, const std::string& value) {
  return text(key) + number(kind, 4) + value;
}

/// Extents as GGUF orders them: the fastest first.
std::string entry(const std::string& name, const std::vector<std::uint64_t>& extents,
                  std::uint32_t type, std::uint64_t offset) {
  std::string bytes = text(name) + number(extents.size(), 4);
  for (const std::uint64_t extent : extents) bytes += number(extent, 8);
  return bytes + number(type, 4) + number(offset, 8);
}

struct parts {
  std::uint32_t version = 3;
  std::vector<std::string> notes, entries;
  std::size_t alignment = 32;
  std::string data;
};

std::string file_of(const parts& p) {
  std::string bytes =
      "GGUF" + number(p.version, 4) + number(p.entries.size(), 8) + number(p.notes.size(), 8);
  for (const std::string& note : p.notes) bytes += note;
  for (const std::string& entry : p.entries) bytes += entry;
  bytes.resize((bytes.size() + p.alignment - 1) / p.alignment * p.alignment);
  return bytes + p.data;
}

golden::io::tensor_list parse(byte_view bytes) { return golden::io::parse_gguf(bytes, "f"); }

byte_view bytes_of(const std::string& contents) {
  return {reinterpret_cast<const std::uint8_t*>(contents.data()), contents.size()};
}

std::string numbered(std::size_t count) {
  std::string data(count, '\0');
  for (std::size_t i = 0; i < count; ++i) data[i] = static_cast<char>(i % 251);
  return data;
}

/// MXFP4 of (2, 32), then NVFP4 of (1, 64), then F32 of (8).
parts good_parts() {
  return {3,
          {note("general.name", 8, text("small"))},
          {entry("mx", {32, 2}, 39, 0), entry("nv", {64, 1}, 40, 64), entry("x", {8}, 0, 128)},
          32,
          numbered(160)};
}

TEST_CASE("a_gguf_file_is_read_where_it_lies") {
  for (const std::uint32_t version : {2U, 3U}) {
    parts p = good_parts();
    p.version = version;
    const std::string file = file_of(p);
    const auto list = parse(bytes_of(file));
    REQUIRE(list.tensors.size() == 3);
    CHECK(list.metadata.at("general.name") == "small");
    CHECK(list.tensors[0].type == dtype::mxfp4_blocks);
    CHECK(list.tensors[0].shape == std::vector<std::uint64_t>{2, 32});
    CHECK(list.tensors[0].bytes.size() == 34);
    CHECK(list.tensors[0].bytes.data() == bytes_of(file).data() + file.size() - 160);
    CHECK(list.tensors[1].type == dtype::nvfp4_blocks);
    CHECK(list.tensors[1].bytes.size() == 36);
    CHECK(list.tensors[1].bytes[0] == 64);
    CHECK(list.tensors[2].bytes[0] == 128);
    CHECK(list.foreign.empty());
  }
}

TEST_CASE("every_type_of_gguf_that_is_understood_has_its_number_and_size") {
  struct row {
    std::uint32_t number;
    dtype type;
    std::size_t bytes;  // of 64 elements
  };
  for (const row& r : {row{0, dtype::f32, 256}, row{1, dtype::f16, 128}, row{24, dtype::i8, 64},
                       row{25, dtype::i16, 128}, row{26, dtype::i32, 256}, row{27, dtype::i64, 512},
                       row{28, dtype::f64, 512}, row{30, dtype::bf16, 128},
                       row{39, dtype::mxfp4_blocks, 34}, row{40, dtype::nvfp4_blocks, 36}}) {
    const auto list =
        parse(bytes_of(file_of({3, {}, {entry("t", {64}, r.number, 0)}, 32, numbered(r.bytes)})));
    CHECK(list.tensors[0].type == r.type);
    CHECK(list.tensors[0].bytes.size() == r.bytes);
  }
}

TEST_CASE("types_that_are_not_understood_are_listed_by_name_and_refused_when_asked_for") {
  const test::scratch_folder folder;
  test::put_contents(folder / "t.gguf",
                     file_of({3,
                              {},
                              {entry("a", {4}, 0, 0), entry("q", {32}, 8, 32),
                               entry("new", {64}, 77, 96), entry("b", {4}, 0, 128)},
                              32,
                              numbered(144)}));
  const auto file = golden::io::load(folder / "t.gguf");
  REQUIRE(file.tensors().size() == 2);
  CHECK(file.at("b").bytes[0] == 128);
  REQUIRE(file.foreign().size() == 2);
  CHECK(file.foreign()[0].type == "Q8_0");
  CHECK(file.foreign()[1].type == "type 77");
  CHECK(has(refusal_of([&] { (void)file.at("q"); }),
            "tensor 'q': is Q8_0, a type of llama.cpp that is not read here; expected F32"));
}

TEST_CASE("notes_of_all_thirteen_kinds_are_read") {
  const auto f32 = [](float x) { return number(std::bit_cast<std::uint32_t>(x), 4); };
  const auto f64 = [](double x) { return number(std::bit_cast<std::uint64_t>(x), 8); };
  const std::string strings = number(8, 4) + number(2, 8) + text("one") + text("");
  const std::string nested = number(9, 4) + number(2, 8) + strings + number(5, 4) + number(0, 8);
  const auto list = parse(bytes_of(file_of(
      {3,
       {note("u8", 0, number(255, 1)), note("i8", 1, number(255, 1)),
        note("u16", 2, number(65535, 2)), note("i16", 3, number(65534, 2)),
        note("u32", 4, number(4294967295, 4)), note("i32", 5, number(4294967295, 4)),
        note("f32", 6, f32(0.1F)), note("yes", 7, number(1, 1)), note("no", 7, number(0, 1)),
        note("words", 8, text("a\nb")), note("list", 9, strings), note("lists", 9, nested),
        note("u64", 10, number(~0ULL, 8)), note("i64", 11, number(~0ULL, 8)),
        note("f64", 12, f64(0.1))},
       {},
       32,
       ""})));
  const golden::io::metadata expected{{"u8", "255"},
                                      {"i8", "-1"},
                                      {"u16", "65535"},
                                      {"i16", "-2"},
                                      {"u32", "4294967295"},
                                      {"i32", "-1"},
                                      {"f32", "0.1"},
                                      {"yes", "true"},
                                      {"no", "false"},
                                      {"words", "a\nb"},
                                      {"list", "[2 of STRING]"},
                                      {"lists", "[2 of ARRAY]"},
                                      {"u64", "18446744073709551615"},
                                      {"i64", "-1"},
                                      {"f64", "0.1"}};
  CHECK(list.metadata == expected);
}

TEST_CASE("the_alignment_is_that_of_the_file") {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{8}, std::size_t{128}}) {
    const std::string key = note("general.alignment", 4, number(alignment, 4));
    const std::uint64_t second = alignment == 1 ? 4 : alignment;
    const std::string file = file_of({3,
                                      {key},
                                      {entry("a", {4}, 24, 0), entry("b", {2}, 24, second)},
                                      alignment,
                                      numbered(second + 2)});
    const auto list = parse(bytes_of(file));
    CHECK(list.tensors[1].bytes[0] == second);
  }
}

struct broken_file {
  const char* what;
  std::string contents;
  const char* message;  // a part of it
};

parts one_tensor(const std::string& bytes, std::size_t data) {
  return {3, {}, {bytes}, 32, numbered(data)};
}

parts one_note(const std::string& bytes) { return {3, {bytes}, {}, 32, ""}; }

std::string counts(std::uint64_t tensors, std::uint64_t notes) {
  return "GGUF" + number(3, 4) + number(tensors, 8) + number(notes, 8);
}

std::string deep_arrays() {
  std::string bytes;
  for (int i = 0; i < 100; ++i) bytes += number(9, 4) + number(1, 8);
  return note("k", 9, bytes + number(0, 4) + number(0, 8));
}

std::vector<broken_file> broken_headers() {
  return {
      {"nothing", "", "is no GGUF file"},
      {"three bytes", "GGU", "is no GGUF file"},
      {"another file", "GGML" + number(3, 4), "is no GGUF file"},
      {"no version", "GGUF", "the version at byte 4 takes 4 bytes"},
      {"version 1", "GGUF" + number(1, 4) + number(0, 8), "version 1; expected 2 or 3"},
      {"version 4", "GGUF" + number(4, 4) + number(0, 16), "version 4; expected 2 or 3"},
      {"a big-endian file", "GGUF" + std::string("\0\0\0\3", 4) + number(0, 16), "is big-endian"},
      {"more tensors than bytes", counts(~0ULL, 0), "the number of tensors is"},
      {"more keys than bytes", counts(0, 1ULL << 60) + std::string(100, '\0'),
       "the number of keys is"},
      {"a key beyond the file", counts(0, 1) + number(1000, 8) + std::string(20, 'k'),
       "a key at byte 32 takes 1000 bytes"},
      {"the longest key", counts(0, 1) + number(~0ULL, 8) + std::string(20, 'k'), "a key at byte"},
      {"an unknown kind", file_of(one_note(note("k", 13, number(0, 8)))), "has the type 13"},
      {"an unknown kind in an array", file_of(one_note(note("k", 9, number(99, 4) + number(0, 8)))),
       "has the type 99"},
      {"a boolean of 2", file_of(one_note(note("k", 7, number(2, 1)))), "a boolean is 2"},
      {"a string beyond the file", file_of(one_note(note("k", 8, number(1 << 20, 8)))),
       "a string at byte"},
      {"a long array", file_of(one_note(note("k", 9, number(10, 4) + number(1ULL << 61, 8)))),
       "the length of an array is"},
      {"deep arrays", file_of(one_note(deep_arrays())), "arrays lie in more than 8"},
      {"a key twice", file_of({3, {note("k", 0, "1"), note("k", 0, "1")}, {}, 32, ""}),
       "'k' appears twice"},
      {"an alignment of 0", file_of(one_note(note("general.alignment", 4, number(0, 4)))),
       "is 0; expected a power of two"},
      {"an alignment of 24", file_of(one_note(note("general.alignment", 4, number(24, 4)))),
       "is 24; expected a power of two"},
      {"an alignment in words", file_of(one_note(note("general.alignment", 8, text("32")))),
       "expected a power of two, as UINT32"},
  };
}

std::vector<broken_file> broken_tensors() {
  return {
      {"5 axes", file_of(one_tensor(entry("t", {1, 1, 1, 1, 1}, 0, 0), 4)), "has 5 axes"},
      {"a name twice", file_of({3, {}, {entry("t", {0}, 0, 0), entry("t", {0}, 0, 0)}, 32, ""}),
       "tensor 't': the name appears twice"},
      {"an offset that is not aligned", file_of(one_tensor(entry("t", {4}, 0, 4), 32)),
       "begins at 4; expected a multiple of the alignment, 32"},
      {"an offset beyond the data", file_of(one_tensor(entry("t", {4}, 0, 4096), 32)),
       "outside the data"},
      {"an offset at the end of 64 bits", file_of(one_tensor(entry("t", {4}, 0, ~31ULL), 32)),
       "outside the data"},
      {"an end beyond the data", file_of(one_tensor(entry("t", {9}, 0, 0), 32)),
       "takes 36 bytes, but the file has 32"},
      {"a gap before the first", file_of(one_tensor(entry("t", {4}, 0, 32), 64)), "expected 0"},
      {"an overlap",
       file_of({3, {}, {entry("a", {9}, 0, 0), entry("b", {8}, 0, 32)}, 32, numbered(64)}),
       "expected 64"},
      {"a gap", file_of({3, {}, {entry("a", {8}, 0, 0), entry("b", {8}, 0, 64)}, 32, numbered(96)}),
       "no gap, no overlap"},
      {"bytes behind the last", file_of(one_tensor(entry("t", {8}, 0, 0), 64)),
       "take 32 bytes, but the file has 64"},
      {"elements beyond 2^64", file_of(one_tensor(entry("t", {1ULL << 33, 1ULL << 33}, 0, 0), 32)),
       "too many elements"},
      {"bits beyond 2^64", file_of(one_tensor(entry("t", {1ULL << 60}, 0, 0), 32)),
       "too many elements"},
      {"a row that ends inside a block", file_of(one_tensor(entry("t", {48, 2}, 39, 0), 64)),
       "multiple of 32"},
      {"a row of half a block of NVFP4", file_of(one_tensor(entry("t", {32, 2}, 40, 0), 64)),
       "multiple of 64"},
      {"a scalar block", file_of(one_tensor(entry("t", {}, 39, 0), 17)), "multiple of 32"},
  };
}

void expect_refused(const std::vector<broken_file>& files) {
  for (const broken_file& broken : files) {
    INFO(broken.what);
    const std::string message = refusal_of([&] { (void)parse(bytes_of(broken.contents)); });
    INFO(message);
    CHECK(message.starts_with("f: "));
    CHECK(has(message, broken.message));
  }
}

TEST_CASE("a_broken_gguf_file_is_refused_with_its_reason") {
  expect_refused(broken_headers());
  expect_refused(broken_tensors());
}

TEST_CASE("no_damage_to_a_gguf_file_goes_unseen_or_crashes") {
  parts p = good_parts();
  p.notes.push_back(note("list", 9, number(8, 4) + number(2, 8) + text("a") + text("bc")));
  p.notes.push_back(
      note("lists", 9, number(9, 4) + number(1, 8) + number(0, 4) + number(3, 8) + "abc"));
  const std::string valid = file_of(p);
  test::parse_every_truncation_and_flip(valid, parse);
  test::parse_random_mutations(valid, 4000, parse);
}

TEST_CASE("what_is_written_as_gguf_is_read_again_and_is_what_the_format_says") {
  const test::scratch_folder folder;
  const std::string data = numbered(160);
  const byte_view all = bytes_of(data);
  const std::vector<tensor> written{{"mx", dtype::mxfp4_blocks, {2, 32}, all.first(34), {}},
                                    {"nv", dtype::nvfp4_blocks, {1, 64}, all.subspan(64, 36), {}},
                                    {"x", dtype::f32, {8}, all.subspan(128, 32), {}}};
  golden::io::save(folder / "t.gguf", written, {{"general.name", "small"}});
  std::string expected = file_of(good_parts());
  const std::size_t begin = expected.size() - 160;
  std::fill(expected.begin() + static_cast<long>(begin) + 34,
            expected.begin() + static_cast<long>(begin) + 64, '\0');
  std::fill(expected.begin() + static_cast<long>(begin) + 100,
            expected.begin() + static_cast<long>(begin) + 128, '\0');
  CHECK(test::contents_of(folder / "t.gguf") == expected);
  const auto file = golden::io::load(folder / "t.gguf");
  REQUIRE(file.tensors().size() == 3);
  CHECK(file.at("nv").bytes[35] == 99);
}

TEST_CASE("gguf_refuses_what_it_cannot_hold") {
  const test::scratch_folder folder;
  const std::array<std::uint8_t, 4> data{};
  const auto refusal = [&](const std::vector<tensor>& tensors) {
    return refusal_of([&] { golden::io::save(folder / "t.gguf", tensors); });
  };
  CHECK(has(refusal({{"a", dtype::u8, {4}, data, {}}}), "GGUF has no type for U8"));
  CHECK(has(refusal({{"a", dtype::f32, {1, 1, 1, 1, 1}, data, {}}}), "4 axes"));
  const tensor twice{"a", dtype::f32, {1}, data, {}};
  CHECK(has(refusal({twice, twice}), "given twice"));
  CHECK(folder.file_count() == 0);
  const std::array<std::uint8_t, 17> block{};
  CHECK(has(refusal_of([&] {
              golden::io::save(folder / "t.safetensors",
                               std::vector{tensor{"a", dtype::mxfp4_blocks, {32}, block, {}}});
            }),
            "safetensors has no type for blocks of MXFP4"));
  CHECK(!golden::io::dtype_named("MXFP4"));
  CHECK(!has(golden::io::dtype_names(), "MXFP4"));
}

}  // namespace
