// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/safetensors_test.cpp: safetensors files written and read; every inconsistency is
// refused.
#include <sys/resource.h>

#include <array>
#include <csignal>

#include "catch.h"
#include "damage.h"
#include "golden/io/safetensors.h"
#include "golden/io/tensor_file.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::byte_view;
using golden::io::dtype;
using golden::io::file_error;
using golden::io::tensor;
using test::has;
using test::refusal_of;

std::string little_endian(std::uint64_t value) {
  std::string bytes;
  for (int i = 0; i < 8; ++i, value /= 256) bytes += static_cast<char>(value % 256);
  return bytes;
}

std::string file_of(const std::string& header, std::size_t data_bytes) {
  return little_endian(header.size()) + header + std::string(data_bytes, '\7');
}

golden::io::tensor_list parse(byte_view bytes) { return golden::io::parse_safetensors(bytes, "f"); }

byte_view bytes_of(const std::string& text) {
  return {reinterpret_cast<const std::uint8_t*>(text.data()), text.size()};
}

const std::string good_header =
    R"({"__metadata__":{"format":"mxfp4"},"a":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},)"
    R"("b":{"dtype":"U8","shape":[3],"data_offsets":[8,11]}})";

TEST_CASE("a_safetensors_file_is_read") {
  const std::string file = file_of(good_header + "   ", 11);
  const auto list = parse(bytes_of(file));
  REQUIRE(list.tensors.size() == 2);
  CHECK(list.metadata.at("format") == "mxfp4");
  CHECK(list.tensors[0].name == "a");
  CHECK(list.tensors[0].type == dtype::f32);
  CHECK(list.tensors[0].shape == std::vector<std::uint64_t>{2, 1});
  CHECK(list.tensors[1].bytes.size() == 3);
  CHECK(list.tensors[1].bytes.data() == bytes_of(file).data() + file.size() - 3);
}

TEST_CASE("scalars_empty_tensors_and_files_without_tensors_are_valid") {
  CHECK(parse(bytes_of(file_of("{}", 0))).tensors.empty());
  const auto list =
      parse(bytes_of(file_of(R"({"s":{"dtype":"F64","shape":[],"data_offsets":[0,8]},)"
                             R"("e":{"dtype":"F32","shape":[4,0],"data_offsets":[0,0]}})",
                             8)));
  REQUIRE(list.tensors.size() == 2);
  CHECK(list.tensors[0].name == "e");
}

TEST_CASE("every_type_is_known_by_its_safetensors_name") {
  for (const char* const name :
       {"F32", "F16", "BF16", "F64", "U8", "U16", "U32", "F4", "F8_E4M3", "F8_E5M2", "F8_E8M0",
        "BOOL", "I8", "I16", "I32", "I64", "U64", "F6_E2M3", "F6_E3M2"}) {
    const auto type = golden::io::dtype_named(name);
    REQUIRE(type);
    CHECK(golden::io::name_of(*type) == name);
    const unsigned bytes = golden::io::bits_of(*type);  // 8 elements
    const std::string header = R"({"t":{"dtype":")" + std::string(name) +
                               R"(","shape":[2,4],"data_offsets":[0,)" + std::to_string(bytes) +
                               "]}}";
    CHECK(parse(bytes_of(file_of(header, bytes))).tensors[0].type == *type);
  }
}

struct broken_file {
  const char* what;
  std::string contents;
  const char* message;  // a part of it
};

std::string one_tensor(const std::string& fields) { return R"({"t":{)" + fields + "}}"; }

const std::string text_type = R"("dtype":"F32",)";
const std::string shape_2 = R"("shape":[2],)";
const std::string offsets_8 = R"("data_offsets":[0,8])";

std::string with_shape(const std::string& shape, std::size_t data_bytes) {
  return file_of(one_tensor(text_type + R"("shape":)" + shape + R"(,"data_offsets":[0,)" +
                            std::to_string(data_bytes) + "]"),
                 data_bytes);
}

std::string with_offsets(const std::string& offsets) {
  return file_of(one_tensor(text_type + shape_2 + R"("data_offsets":)" + offsets), 8);
}

std::string pair_at(const std::string& first, const std::string& second, std::size_t data_bytes) {
  return file_of(R"({"a":{"dtype":"U8","shape":[4],"data_offsets":)" + first +
                     R"(},"b":{"dtype":"U8","shape":[4],"data_offsets":)" + second + "}}",
                 data_bytes);
}

std::vector<broken_file> broken_files() {
  return {
      {"nothing", "", "begins with 8 bytes"},
      {"less than a length", "1234567", "has 7 bytes"},
      {"a length beyond the file", little_endian(1000) + "{}", "is truncated"},
      {"a header that lacks its last byte", little_endian(3) + "{}", "is truncated"},
      {"a length beyond the limit", little_endian(100'000'001) + "{}", "at most 100000000"},
      {"the largest length", little_endian(~0ULL) + "{}", "at most 100000000"},
      {"an empty header", file_of("", 0), "not valid JSON"},
      {"no JSON", file_of("hello", 0), "not valid JSON"},
      {"JSON that ends early", file_of(R"({"t":)", 0), "not valid JSON"},
      {"text after the JSON", file_of("{} {}", 0), "not valid JSON"},
      {"a name that is not UTF-8", file_of("{\"\xff\":{}}", 0), "not valid JSON"},
      {"a list at the top", file_of("[]", 0), "expected an object of tensors, found a list"},
      {"a number at the top", file_of("7", 0), "expected an object of tensors, found a number"},
      {"a string at the top", file_of("\"x\"", 0), "expected an object of tensors, found a string"},
      {"a number for a tensor", file_of(R"({"t":3})", 0),
       "tensor 't': expected an object of fields"},
      {"an object for a type", file_of(one_tensor(R"("dtype":{})"), 0), "dtype: expected a string"},
      {"a list for a type", file_of(one_tensor(R"("dtype":[1])"), 0), "dtype: expected a string"},
      {"an unknown type", file_of(one_tensor(R"("dtype":"F31",)" + shape_2 + offsets_8), 8),
       "unknown dtype 'F31'"},
      {"an unknown field",
       file_of(one_tensor(R"("strides":[1],)" + text_type + shape_2 + offsets_8), 8),
       "unknown field 'strides'"},
      {"a field twice", file_of(one_tensor(text_type + text_type + shape_2 + offsets_8), 8),
       "dtype appears twice"},
      {"no type", file_of(one_tensor(shape_2 + offsets_8), 8), "dtype is missing"},
      {"no shape", file_of(one_tensor(text_type + offsets_8), 8), "shape is missing"},
      {"no offsets", file_of(one_tensor(text_type + R"("shape":[2])"), 8),
       "data_offsets is missing"},
      {"a negative extent", with_shape("[-2]", 8), "found a negative number"},
      {"a broken extent", with_shape("[2.0]", 8), "found a number that is not an integer"},
      {"an extent beyond 2^64", with_shape("[18446744073709551616]", 8),
       "not an integer below 2^64"},
      {"a string for an extent", with_shape(R"(["2"])", 8), "found a string"},
      {"null for a shape", with_shape("null", 8), "found null"},
      {"a nested shape", with_shape("[[2]]", 8), "found a list"},
      {"an object in a shape", with_shape("[{}]", 8), "found an object"},
      {"a shape that overflows", with_shape("[4294967296,4294967296]", 8), "too many elements"},
      {"bytes that overflow", with_shape("[4611686018427387904]", 0), "too many elements"},
      {"bits that overflow", with_shape("[1152921504606846976]", 0), "too many elements"},
      {"33 axes",
       with_shape("[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", 4),
       "more than 32 numbers"},
      {"too few bytes for the shape", with_shape("[3]", 8),
       "has 8 bytes, but F32 of shape [3] takes 12"},
      {"too many bytes for the shape", with_shape("[1]", 8), "takes 4"},
      {"an odd number of F4",
       file_of(R"({"t":{"dtype":"F4","shape":[3],"data_offsets":[0,2]}})", 2),
       "ends inside a byte"},
      {"one offset", with_offsets("[0]"), "expected two numbers"},
      {"three offsets", with_offsets("[0,8,9]"), "expected two numbers"},
      {"an end before the begin", with_offsets("[8,0]"), "the begin is after the end"},
      {"an end outside the data", with_offsets("[4,12]"), "outside the data"},
      {"huge offsets", with_offsets("[18446744073709551607,18446744073709551615]"),
       "outside the data"},
      {"a gap at the start", pair_at("[1,5]", "[5,9]", 9), "expected 0"},
      {"a gap between", pair_at("[0,4]", "[5,9]", 9), "no gap, no overlap"},
      {"an overlap", pair_at("[0,4]", "[3,7]", 7), "no gap, no overlap"},
      {"the same bytes twice", pair_at("[0,4]", "[0,4]", 4), "no gap, no overlap"},
      {"bytes that belong to nobody", pair_at("[0,4]", "[4,8]", 9),
       "take 8 bytes, but the file has 9"},
      {"a name twice",
       file_of(R"({"a":{"dtype":"U8","shape":[0],"data_offsets":[0,0]},"a":)"
               R"({"dtype":"U8","shape":[0],"data_offsets":[0,0]}})",
               0),
       "the name appears twice"},
      {"a list as metadata", file_of(R"({"__metadata__":[]})", 0),
       "__metadata__: expected an object"},
      {"a number in the metadata", file_of(R"({"__metadata__":{"k":1}})", 0),
       "'k': expected a string"},
      {"a list in the metadata", file_of(R"({"__metadata__":{"k":[]}})", 0),
       "'k': expected a string"},
      {"a key of the metadata twice", file_of(R"({"__metadata__":{"k":"1","k":"2"}})", 0),
       "'k' appears twice"},
      {"a line end in a name", file_of("{\"a\\n\":1}", 0), "tensor 'a\\x0a'"},
      {"brackets without end", file_of(std::string(200'000, '['), 0),
       "expected an object of tensors"},
      {"objects without end",
       file_of(
           [] {
             std::string deep;
             for (int i = 0; i < 50'000; ++i) deep += R"({"a":)";
             return deep;
           }(),
           0),
       "unknown field 'a'"},
  };
}

TEST_CASE("a_broken_safetensors_file_is_refused_with_its_reason") {
  for (const broken_file& broken : broken_files()) {
    INFO(broken.what);
    const std::string message = test::refusal_inside(
        broken.contents.size(), [&] { (void)parse(bytes_of(broken.contents)); });
    INFO(message);
    CHECK(has(message, broken.message));
  }
}

TEST_CASE("no_damage_to_a_safetensors_file_goes_unseen_or_crashes") {
  const std::string valid = file_of(good_header, 11);
  test::parse_every_truncation_and_flip(valid, parse);
  test::parse_random_mutations(valid, 4000, parse);
}

TEST_CASE("what_is_written_is_read_again") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.safetensors";
  const std::array<std::uint8_t, 16> data{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const byte_view all(data);
  const std::vector<tensor> written{
      {"z", dtype::f32, {2, 2}, all, {}},
      {"layer \"0\"\n\xc3\xa9", dtype::f4, {3, 2}, all.subspan(3, 3), {}},
      {"empty", dtype::f16, {0, 7}, {}, {}},
      {"", dtype::f8_e8m0, {}, all.subspan(5, 1), {}},
  };
  const golden::io::metadata notes{{"rounding", "nearest-even"}, {"format", "mxfp4"}};
  golden::io::save(path, written, notes);
  const std::string contents = test::contents_of(path);

  const auto file = golden::io::load(path);
  CHECK(file.metadata() == notes);
  REQUIRE(file.tensors().size() == written.size());
  for (const tensor& expected : written) {
    const tensor& found = file.at(expected.name);
    CHECK(found.type == expected.type);
    CHECK(found.shape == expected.shape);
    CHECK(std::equal(found.bytes.begin(), found.bytes.end(), expected.bytes.begin(),
                     expected.bytes.end()));
  }
  CHECK(file.find("y") == nullptr);
  CHECK(has(refusal_of([&] { (void)file.at("y"); }), "tensor 'y': is missing; the file holds 'z'"));

  golden::io::save(path, written, notes);  // over itself, while it is mapped
  CHECK(test::contents_of(path) == contents);
  CHECK(file.at("z").bytes[15] == 15);
  CHECK(contents[0] % 8 == 0);  // the header's length, so that the data is aligned
  CHECK(folder.file_count() == 1);
}

TEST_CASE("what_cannot_be_written_leaves_the_file_alone") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.safetensors";
  test::put_contents(path, "before");
  const std::array<std::uint8_t, 4> data{};
  const tensor good{"a", dtype::f32, {1}, data, {}};
  const tensor lying{"b", dtype::f32, {2}, data, {}};
  const tensor unprintable{"\xff", dtype::f32, {1}, data, {}};
  const tensor reserved{"__metadata__", dtype::f32, {1}, data, {}};
  for (const std::vector<tensor>& list : {std::vector{good, lying}, std::vector{good, good},
                                          std::vector{unprintable}, std::vector{reserved}}) {
    CHECK_THROWS_AS(golden::io::save(path, list), file_error);
  }
  CHECK_THROWS_AS(golden::io::save(folder / "missing/t.safetensors", std::vector{good}),
                  file_error);
  std::filesystem::create_directory(folder / "d.safetensors");
  CHECK(has(refusal_of([&] { golden::io::save(folder / "d.safetensors", std::vector{good}); }),
            "is not a regular file"));
  CHECK(test::contents_of(path) == "before");
  CHECK(folder.file_count() == 2);
}

TEST_CASE("a_write_that_fails_half_way_leaves_nothing_behind") {
  const test::scratch_folder folder;
  const std::string path = folder / "t.safetensors";
  test::put_contents(path, "before");
  const std::vector<std::uint8_t> data(8192);
  const tensor large{"a", dtype::u8, {data.size()}, data, {}};
  // A limit on the size of files simulates a full disk.
  rlimit limit{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const rlimit small{4096, limit.rlim_max};
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string refusal = refusal_of([&] { golden::io::save(path, std::vector{large}); });
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, old_handler);
  CHECK(has(refusal, path + ": cannot write"));
  CHECK(test::contents_of(path) == "before");
  CHECK(folder.file_count() == 1);
}

TEST_CASE("writing_through_a_link_keeps_the_link") {
  const test::scratch_folder folder;
  test::put_contents(folder / "real.safetensors", "before");
  std::filesystem::create_symlink(folder / "real.safetensors", folder / "link.safetensors");
  golden::io::save(folder / "link.safetensors", {});
  CHECK(std::filesystem::is_symlink(folder / "link.safetensors"));
  // Also through links to a file that is not there yet.
  std::filesystem::create_directory(folder / "far");
  std::filesystem::create_symlink("far/second", folder / "first.safetensors");
  std::filesystem::create_symlink("new.safetensors", folder / "far/second");
  golden::io::save(folder / "first.safetensors", {});
  CHECK(std::filesystem::is_symlink(folder / "first.safetensors"));
  CHECK(std::filesystem::is_symlink(folder / "far/second"));
  CHECK(std::filesystem::is_regular_file(folder / "far/new.safetensors"));
  CHECK(golden::io::load(folder / "real.safetensors").tensors().empty());
}

}  // namespace
