// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/gguf_test.cpp: GGUF files, assembled byte by byte and read; written; and tensors
// that they cannot hold.
#include <array>
#include <bit>

#include "catch.h"
#include "gguf_parts.h"
#include "golden/io/tensor_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace test {
namespace {

TEST_CASE("a_gguf_file_is_read_where_it_lies") {
  for (const std::uint32_t version : {2U, 3U}) {
    gguf_parts p = good_gguf();
    p.version = version;
    const std::string file = gguf_file_of(p);
    const auto list = parse_gguf(bytes_of(file));
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
  for (const row& r :
       {row{0, dtype::f32, 256}, row{1, dtype::f16, 128}, row{24, dtype::i8, 64},
        row{25, dtype::i16, 128}, row{26, dtype::i32, 256}, row{27, dtype::i64, 512},
        row{28, dtype::f64, 512}, row{30, dtype::bf16, 128}, row{39, dtype::mxfp4_blocks, 34},
        row{40, dtype::nvfp4_blocks, 36}, row{2, dtype::q4_0_blocks, 36},
        row{3, dtype::q4_1_blocks, 40}, row{8, dtype::q8_0_blocks, 68}}) {
    const auto list = parse_gguf(bytes_of(
        gguf_file_of({3, {}, {gguf_entry_of("t", {64}, r.number, 0)}, 32, numbered(r.bytes)})));
    CHECK(list.tensors[0].type == r.type);
    CHECK(list.tensors[0].bytes.size() == r.bytes);
  }
}

TEST_CASE("types_that_are_not_understood_are_listed_by_name_and_refused_when_asked_for") {
  const test::scratch_folder folder;
  test::put_contents(
      folder / "t.gguf",
      gguf_file_of({3,
                    {},
                    {gguf_entry_of("a", {4}, 0, 0), gguf_entry_of("q", {32}, 14, 32),
                     gguf_entry_of("new", {64}, 77, 96), gguf_entry_of("b", {4}, 0, 128)},
                    32,
                    numbered(144)}));
  const auto file = golden::io::load(folder / "t.gguf");
  REQUIRE(file.tensors().size() == 2);
  CHECK(file.at("b").bytes[0] == 128);
  REQUIRE(file.foreign().size() == 2);
  CHECK(file.foreign()[0].type == "Q6_K");
  CHECK(file.foreign()[1].type == "type 77");
  CHECK(has(refusal_of([&] { (void)file.at("q"); }),
            "tensor 'q': is Q6_K, an unsupported type of llama.cpp; expected F32"));
}

TEST_CASE("notes_of_all_thirteen_kinds_are_read") {
  const auto f32 = [](float x) { return little_endian(std::bit_cast<std::uint32_t>(x), 4); };
  const auto f64 = [](double x) { return little_endian(std::bit_cast<std::uint64_t>(x), 8); };
  const std::string strings =
      little_endian(8, 4) + little_endian(2, 8) + gguf_text("one") + gguf_text("");
  const std::string nested = little_endian(9, 4) + little_endian(2, 8) + strings +
                             little_endian(5, 4) + little_endian(0, 8);
  const auto list = parse_gguf(bytes_of(gguf_file_of(
      {3,
       {gguf_note_of("u8", 0, little_endian(255, 1)), gguf_note_of("i8", 1, little_endian(255, 1)),
        gguf_note_of("u16", 2, little_endian(65535, 2)),
        gguf_note_of("i16", 3, little_endian(65534, 2)),
        gguf_note_of("u32", 4, little_endian(4294967295, 4)),
        gguf_note_of("i32", 5, little_endian(4294967295, 4)), gguf_note_of("f32", 6, f32(0.1F)),
        gguf_note_of("yes", 7, little_endian(1, 1)), gguf_note_of("no", 7, little_endian(0, 1)),
        gguf_note_of("words", 8, gguf_text("a\nb")), gguf_note_of("list", 9, strings),
        gguf_note_of("lists", 9, nested), gguf_note_of("u64", 10, little_endian(~0ULL, 8)),
        gguf_note_of("i64", 11, little_endian(~0ULL, 8)), gguf_note_of("f64", 12, f64(0.1))},
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

TEST_CASE("a_written_file_has_the_usual_alignment_whatever_its_notes_say") {
  const test::scratch_folder folder;
  const std::vector<std::uint8_t> data{1, 2, 3};
  golden::io::save(folder / "t.gguf", std::vector<tensor>{{"x", dtype::i8, {3}, data, {}}},
                   {{"general.alignment", "64"}, {"general.name", "small"}});
  const auto file = golden::io::load(folder / "t.gguf");
  CHECK(file.at("x").bytes[2] == 3);
  CHECK(file.metadata() == golden::io::metadata{{"general.name", "small"}});
}

TEST_CASE("the_alignment_is_that_of_the_file") {
  for (const std::size_t alignment : {std::size_t{1}, std::size_t{8}, std::size_t{128}}) {
    const std::string key = gguf_note_of("general.alignment", 4, little_endian(alignment, 4));
    const std::uint64_t second = alignment == 1 ? 4 : alignment;
    const std::string file =
        gguf_file_of({3,
                      {key},
                      {gguf_entry_of("a", {4}, 24, 0), gguf_entry_of("b", {2}, 24, second)},
                      alignment,
                      numbered(second + 2)});
    const auto list = parse_gguf(bytes_of(file));
    CHECK(list.tensors[1].bytes[0] == second);
  }
}

TEST_CASE("what_is_written_as_gguf_is_read_again_and_is_what_the_format_says") {
  const test::scratch_folder folder;
  const std::string data = numbered(160);
  const byte_view all = bytes_of(data);
  const std::vector<tensor> written{{"mx", dtype::mxfp4_blocks, {2, 32}, all.first(34), {}},
                                    {"nv", dtype::nvfp4_blocks, {1, 64}, all.subspan(64, 36), {}},
                                    {"x", dtype::f32, {8}, all.subspan(128, 32), {}}};
  golden::io::save(folder / "t.gguf", written, {{"general.name", "small"}});
  std::string expected = gguf_file_of(good_gguf());
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
}  // namespace test
