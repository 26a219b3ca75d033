// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/npy_test.cpp: .npy files written and read; every inconsistency is refused.
#include <array>

#include "catch.h"
#include "damage.h"
#include "golden/io/npy.h"
#include "golden/io/tensor_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::byte_view;
using golden::io::dtype;
using golden::io::tensor;
using test::has;
using test::refusal_of;

golden::io::tensor_list parse(byte_view bytes) { return golden::io::parse_npy(bytes, "f"); }

byte_view bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

std::string file_of(const std::string& dictionary, std::size_t data_bytes, char major = 1) {
  std::string file = std::string("\x93NUMPY") + major + '\0';
  for (std::size_t i = 0, length = dictionary.size(); i < (major == 1 ? 2U : 4U);
       ++i, length /= 256) {
    file += static_cast<char>(length % 256);
  }
  return file + dictionary + std::string(data_bytes, '\7');
}

std::string dictionary(const std::string& descr, const std::string& order,
                       const std::string& shape) {
  return "{'descr': " + descr + ", 'fortran_order': " + order + ", 'shape': " + shape + ", }  \n";
}

std::string with_shape(const std::string& shape, std::size_t data_bytes) {
  return file_of(dictionary("'<f4'", "False", shape), data_bytes);
}

std::string with_descr(const std::string& descr, std::size_t data_bytes = 8) {
  return file_of(dictionary(descr, "False", "(2,)"), data_bytes);
}

TEST_CASE("an_npy_file_of_every_version_holds_one_tensor_called_x") {
  for (const char major : {'\1', '\2', '\3'}) {
    const std::string file = file_of(dictionary("'<f4'", "False", "(2, 3)"), 24, major);
    const auto list = parse(bytes_of(file));
    REQUIRE(list.tensors.size() == 1);
    CHECK(list.tensors[0].name == "x");
    CHECK(list.tensors[0].type == dtype::f32);
    CHECK(list.tensors[0].shape == std::vector<std::uint64_t>{2, 3});
    CHECK(list.tensors[0].bytes.size() == 24);
  }
}

TEST_CASE("the_dictionary_may_be_written_in_every_way_python_allows") {
  const auto shape_of = [](const std::string& file) {
    return parse(bytes_of(file)).tensors[0].shape;
  };
  using shape = std::vector<std::uint64_t>;
  CHECK(shape_of(with_shape("()", 4)) == shape{});
  CHECK(shape_of(with_shape("(2,)", 8)) == shape{2});
  CHECK(shape_of(with_shape("( 2 , 1 , )", 8)) == shape{2, 1});
  CHECK(shape_of(with_shape("(2L, 1L)", 8)) == shape{2, 1});
  CHECK(shape_of(with_shape("(0, 5)", 0)) == shape{0, 5});
  CHECK(shape_of(file_of(R"({"shape":(2,),"fortran_order":False,"descr":"<f4"})", 8)) == shape{2});
  CHECK(shape_of(file_of(dictionary("'<f4'", "True", "(2,)"), 8)) ==
        shape{2});  // one axis has one order
}

TEST_CASE("every_plain_little_endian_type_is_known") {
  const std::vector<std::pair<std::string, dtype>> types{
      {"'<f4'", dtype::f32}, {"'<f2'", dtype::f16},    {"'<f8'", dtype::f64},
      {"'|u1'", dtype::u8},  {"'<u2'", dtype::u16},    {"'<u4'", dtype::u32},
      {"'<i8'", dtype::i64}, {"'|b1'", dtype::boolean}};
  for (const auto& [descr, type] : types) {
    CHECK(parse(bytes_of(with_descr(descr, golden::io::bits_of(type) / 4))).tensors[0].type ==
          type);
  }
}

struct broken_file {
  const char* what;
  std::string contents;
  const char* message;  // a part of it
};

std::vector<broken_file> broken_files() {
  const std::string good = with_shape("(2,)", 8);
  return {
      {"nothing", "", "is not a .npy file"},
      {"half of the magic", "\x93NUM", "is not a .npy file"},
      {"another magic", "PK\3\4" + good.substr(4), "is not a .npy file"},
      {"version 4", file_of("{}", 0, 4), "version 4.0; expected 1.0, 2.0 or 3.0"},
      {"version 0", std::string("\x93NUMPY\0\0\0\0", 10), "version 0.0"},
      {"no length", good.substr(0, 9), "is truncated"},
      {"a length beyond the file", good.substr(0, 40), "the .npy header claims"},
      {"a huge length", std::string("\x93NUMPY\2\0\xff\xff\xff\xff{}", 14),
       "the .npy header claims 4294967295"},
      {"no dictionary", file_of("hello", 0), "expected a Python dictionary"},
      {"an empty dictionary", file_of("{}", 0), "descr is missing"},
      {"no end", file_of("{'descr': '<f4', ", 0), "expected a key in quotes"},
      {"a string without end", file_of("{'descr: 3", 0), "a string in quotes does not end"},
      {"no colon", file_of("{'descr' '<f4'}", 0), "expected ':'"},
      {"no comma", file_of("{'descr': '<f4' 'shape': ()}", 0), "expected ',' or '}'"},
      {"text after the dictionary", file_of(dictionary("'<f4'", "False", "()") + "x", 4),
       "text follows"},
      {"an unknown key", file_of("{'strides': ()}", 0), "unknown key 'strides'"},
      {"a key twice", file_of("{'shape': (), 'shape': ()}", 0), "shape appears twice"},
      {"no order", file_of("{'descr': '<f4', 'shape': ()}", 4), "fortran_order is missing"},
      {"no shape", file_of("{'descr': '<f4', 'fortran_order': False}", 4), "shape is missing"},
      {"an order that is no word", file_of(dictionary("'<f4'", "0", "(2,)"), 8),
       "expected True or False"},
      {"Fortran order", file_of(dictionary("'<f4'", "True", "(2, 2)"), 16),
       "numpy.ascontiguousarray"},
      {"a list for a shape", with_shape("[2]", 8), "expected a tuple"},
      {"a negative extent", with_shape("(-2,)", 8), "expected non-negative integers"},
      {"an extent beyond 2^64", with_shape("(18446744073709551616,)", 8),
       "expected non-negative integers"},
      {"a shape that overflows", with_shape("(4294967296, 4294967296)", 8), "too many elements"},
      {"a broken extent", with_shape("(2.0,)", 8), "expected ',' or ')'"},
      {"two commas", with_shape("(2,,)", 8), "expected non-negative integers"},
      {"too few bytes", with_shape("(2,)", 7), "has 7 bytes, but F32 of shape [2] takes 8"},
      {"too many bytes", with_shape("(2,)", 9), "has 9 bytes"},
      {"objects", with_descr("'|O'"), "pickles"},
      {"big-endian numbers", with_descr("'>f4'"), "big-endian"},
      {"structures", with_descr("[('a', '<f4')]"), "structures"},
      {"bytes without a type", with_descr("'|V2'"), "BF16"},
      {"complex numbers", with_descr("'<c8'"), "unknown type '<c8'; expected one of"},
      {"strings", with_descr("'<U4'"), "unknown type"},
      {"a number for a type", with_descr("4"), "expected a type in quotes"},
  };
}

TEST_CASE("a_broken_npy_file_is_refused_with_its_reason") {
  for (const broken_file& broken : broken_files()) {
    INFO(broken.what);
    const std::string message = test::refusal_inside(
        broken.contents.size(), [&] { (void)parse(bytes_of(broken.contents)); });
    INFO(message);
    CHECK(has(message, broken.message));
  }
}

TEST_CASE("no_damage_to_an_npy_file_goes_unseen_or_crashes") {
  const std::string valid = file_of(dictionary("'<f4'", "False", "(2, 3)"), 24);
  test::parse_every_truncation_and_flip(valid, parse);
  test::parse_random_mutations(valid, 4000, parse);
}

TEST_CASE("what_is_written_as_npy_is_read_again") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.npy";
  const std::array<std::uint8_t, 24> data{1, 2, 3};
  using shape = std::vector<std::uint64_t>;
  for (const auto& [extents, bytes] : {std::pair{shape{2, 3}, 24U}, std::pair{shape{6}, 24U},
                                       std::pair{shape{}, 4U}, std::pair{shape{0, 9}, 0U}}) {
    golden::io::save(
        path, std::vector{tensor{"any", dtype::f32, extents, byte_view(data).first(bytes), {}}});
    const auto file = golden::io::load(path);
    CHECK(file.at("x").shape == extents);
    CHECK(file.at("x").bytes.size() == bytes);
    CHECK((test::contents_of(path).size() - bytes) % 64 == 0);
  }
  CHECK(test::contents_of(path).substr(10, 60) ==
        "{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9), } ");
}

TEST_CASE("npy_refuses_what_it_cannot_hold") {
  const test::scratch_folder folder;
  const std::array<std::uint8_t, 4> data{};
  const tensor bf16{"a", dtype::bf16, {2}, data, {}};
  const tensor f32{"a", dtype::f32, {1}, data, {}};
  CHECK(has(refusal_of([&] { golden::io::save(folder / "t.npy", std::vector{bf16}); }),
            "write .safetensors"));
  CHECK(has(refusal_of([&] {
              golden::io::save(folder / "t.npy", std::vector{f32, f32});
            }),
            "exactly one tensor"));
  CHECK(has(refusal_of([&] { golden::io::save(folder / "t.npy", {}); }), "not 0"));
  CHECK(folder.file_count() == 0);
}

}  // namespace
