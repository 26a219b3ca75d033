// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/place_test.cpp: the byte offset of an error in a file, and names that are not
// text.
#include "catch.h"
#include "gguf_parts.h"
#include "golden/io/npy.h"
#include "golden/io/safetensors.h"
#include "golden/io/utf8.h"
#include "refusal.h"

namespace test {
namespace {

/// The error in contents: its byte is that of the last occurrence of `word`.
struct misplaced {
  const char* what;
  std::string contents, word;
};

template <class Parse>
void expect_bytes(const std::vector<misplaced>& files, Parse parse) {
  for (const misplaced& row : files) {
    INFO(row.what);
    const std::size_t byte = row.contents.rfind(row.word);
    REQUIRE(byte != std::string::npos);
    const std::string message =
        refusal_inside(row.contents.size(), [&] { (void)parse(bytes_of(row.contents), "f"); });
    INFO(message);
    CHECK(message.starts_with("f: byte " + std::to_string(byte) + ": "));
  }
}

std::string safetensors_of(const std::string& header, std::size_t data) {
  return little_endian(header.size(), 8) + header + std::string(data, '\7');
}

std::string one_f32(const std::string& shape, const std::string& offsets) {
  return R"({"good":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"t" : {"dtype":"F32","shape": )" +
         shape + R"(,"data_offsets": )" + offsets + "}}";
}

TEST_CASE("a_safetensors_file_is_wrong_at_the_word_of_its_header") {
  const std::string entry = R"("t")";
  expect_bytes(
      {{"a negative extent", safetensors_of(one_f32("[1, -2]", "[1,9]"), 9), "-2"},
       {"a fraction", safetensors_of(one_f32("[1,2.5,7]", "[1,9]"), 9), "2.5"},
       {"a nested list", safetensors_of(one_f32("[1,[ 2]]", "[1,9]"), 9), "[ 2"},
       {"a list of a list", safetensors_of(one_f32("[[2]]", "[1,9]"), 9), "[2]"},
       {"null behind a number", safetensors_of(one_f32("[12,null]", "[1,9]"), 9), "null"},
       {"a string behind escapes", safetensors_of(one_f32(R"(["\u0041\\\"",2])", "[1,9]"), 9),
        R"("\u0041)"},
       {"three offsets", safetensors_of(one_f32("[2]", "[1,9 ,7]"), 9), R"(]}})"},
       {"an offset outside", safetensors_of(one_f32("[2]", "[1,10]"), 9), entry},
       {"an overlap", safetensors_of(one_f32("[2]", "[0,8]"), 8), entry},
       {"too few bytes", safetensors_of(one_f32("[2]", "[1,8]"), 8), entry},
       {"an unknown type", safetensors_of(R"({"t":{"dtype": "F31"}})", 0), R"("F31")"},
       {"an unknown field", safetensors_of(R"({"t":{"strides":[1]}})", 0), R"("strides")"},
       {"a missing field", safetensors_of(R"({"t":{ }})", 0), "}}"},
       {"text behind", safetensors_of("{} x", 0), "x"},
       {"a wrong bracket", safetensors_of(R"({"t":{"dtype":"F32",]})", 0), "]}"},
       {"a name that is no text", safetensors_of("{\"t\xff\":{}}", 0), "\xff"},
       {"a number as a note", safetensors_of(R"({"__metadata__":{"a":"b","c": 12}})", 0), "12"},
       {"bytes of nobody",
        safetensors_of(R"({"t":{"dtype":"U8","shape":[1],"data_offsets":[0,1]}})", 1) + "?!",
        "?!"}},
      golden::io::parse_safetensors);
}

std::string npy_of(const std::string& dictionary, std::size_t data) {
  return std::string("\x93NUMPY\1\0", 8) + little_endian(dictionary.size(), 2) + dictionary +
         std::string(data, '\7');
}

TEST_CASE("an_npy_file_is_wrong_at_the_value_of_its_dictionary") {
  const std::string tail = ", 'fortran_order': False, 'shape': (2, -7)}";
  const std::string head = "{'descr': '<f4', 'fortran_order': ";
  expect_bytes({{"a negative extent", npy_of("{'descr': '<f4'" + tail, 8), "-7"},
                {"big-endian numbers",
                 npy_of("{'shape': (2,), 'fortran_order': False, 'descr' :  '>f4'}", 8), "'>f4'"},
                {"Fortran order", npy_of(head + " True, 'shape': (2, 2)}", 16), "True"},
                {"too few bytes", npy_of(head + "False, 'shape': (2, 2)}", 15), "(2, 2)"},
                {"a shape that overflows",
                 npy_of(head + "False, 'shape': (4294967296, 4294967296)}", 8), "(4294967296, "},
                {"an order that is no word", npy_of(head + "0}", 8), "0}"},
                {"text behind", npy_of(head + "False, 'shape': ()} !", 4), "!"},
                {"version 9", std::string("\x93NUMPY\x9\0abc", 11), "\x9"},
                {"a long header", std::string("\x93NUMPY\1\0\x7f\x7f", 10), "\x7f\x7f"}},
               golden::io::parse_npy);
}

TEST_CASE("a_gguf_file_is_wrong_at_the_field_or_at_the_entry") {
  const std::string axes = little_endian(5, 4), entry = gguf_entry_of("far", {8}, 0, 64);
  expect_bytes(
      {{"five axes", gguf_file_of({3, {}, {gguf_entry_of("t", {1, 1, 1, 1, 1}, 0, 0)}, 32, ""}),
        axes},
       {"a far offset",
        gguf_file_of({3, {}, {gguf_entry_of("t", {8}, 0, 0), entry}, 32, numbered(32)}), entry},
       {"a boolean of 2", gguf_file_of({3, {gguf_note_of("k", 7, "\x2")}, {}, 32, ""}), "\x2"},
       {"an alignment of 24",
        gguf_file_of({3,
                      {gguf_note_of("a", 0, "1"),
                       gguf_note_of("general.alignment", 4, little_endian(24, 4))},
                      {},
                      32,
                      ""}),
        gguf_text("general.alignment")},
       {"a name that is no text",
        gguf_file_of({3, {}, {gguf_entry_of("t\xc3(", {1}, 0, 0)}, 32, numbered(4)}), "\xc3("},
       {"a key that is no text",
        gguf_file_of({3, {gguf_note_of("k\xed\xa0\x80", 0, "1")}, {}, 32, ""}), "\xed\xa0\x80"},
       {"bytes of nobody",
        gguf_file_of({3,
                      {},
                      {gguf_entry_of("t", {8}, 0, 0)},
                      32,
                      numbered(32) + "!" + std::string(31, '.')}),
        "!"}},
      golden::io::parse_gguf);
}

TEST_CASE("characters_are_those_of_utf_8") {
  using golden::io::character_length;
  using golden::io::first_byte_that_is_not_utf8;
  for (const char* const one : {"a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf",
                                "\xee\x80\x80", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf"}) {
    const std::string_view text(one);
    CHECK(character_length(text) == text.size());
    CHECK(character_length(text.substr(0, text.size() - 1)) == 0);
  }
  for (const char* const none :
       {"\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xe0\x9f\xbf", "\xed\xa0\x80", "\xf0\x8f\xbf\xbf",
        "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff", "\xc3(", "\xe1\x80(", "\xf1\x80\x80("}) {
    CHECK(character_length(none) == 0);
  }
  CHECK(!first_byte_that_is_not_utf8("caf\xc3\xa9"));
  CHECK(first_byte_that_is_not_utf8("caf\xc3\xa9\xc3") == 5U);
}

TEST_CASE("names_in_messages_are_text_whatever_they_were") {
  CHECK(golden::io::printable("a\xc2\x9b"
                              "2J\xc2\xa0") == "'a\\xc2\\x9b2J\xc2\xa0'");
  CHECK(golden::io::printable("caf\xc3\xa9\x1b[\xff\x7f") == "'caf\xc3\xa9\\x1b[\\xff\\x7f'");
  CHECK(golden::io::printable(std::string(80, 'a')) == "'" + std::string(80, 'a') + "'");
  CHECK(golden::io::printable(std::string(79, 'a') + "\xc3\xa9") ==
        "'" + std::string(79, 'a') + "\xc3\xa9'");
  CHECK(golden::io::printable(std::string(81, 'a')) == "'" + std::string(80, 'a') + "...'");
}

TEST_CASE("a_tensor_remembers_the_byte_where_it_is_described") {
  const std::string file = safetensors_of(one_f32("[2]", "[1,9]"), 9);
  const auto list = golden::io::parse_safetensors(bytes_of(file), "f");
  CHECK(list.tensors.at(1).source.byte == file.find(R"("t")"));
  const golden::io::file_error error(list.tensors[1].source, "t", "is wrong");
  CHECK(std::string(error.what()) ==
        "f: byte " + std::to_string(file.find(R"("t")")) + ": tensor 't': is wrong");
}

}  // namespace
}  // namespace test
