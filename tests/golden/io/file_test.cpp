// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/file_test.cpp: refusal of paths that are not files, extensions, and numbers
// widened to FP32.
#include <sys/stat.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

#include "catch.h"
#include "golden/io/tensor_file.h"
#include "golden/io/widen.h"
#include "refusal.h"
#include "scratch_folder.h"

namespace {

using golden::io::dtype;
using golden::io::narrowing;
using golden::io::tensor;
using test::has;
using test::refusal_of;

template <class Number>
tensor tensor_of(dtype type, const std::vector<Number>& numbers) {
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(numbers.data());
  return {"t", type, {numbers.size()}, {bytes, numbers.size() * sizeof(Number)}, "f"};
}

std::uint32_t bits_of(float x) { return std::bit_cast<std::uint32_t>(x); }

TEST_CASE("what_is_no_file_is_refused_by_name") {
  const test::scratch_folder folder;
  const auto refusal = [&](const std::string& name) {
    return refusal_of([&] { (void)golden::io::load(folder / name); });
  };
  CHECK(has(refusal("missing.npy"), folder / "missing.npy: cannot open: No such file"));
  test::put_contents(folder / "empty.safetensors", "");
  CHECK(has(refusal("empty.safetensors"), "is empty"));
  std::filesystem::create_directory(folder / "folder.npy");
  CHECK(has(refusal("folder.npy"), "is a folder"));
  REQUIRE(::mkfifo((folder / "pipe.npy").c_str(), 0600) == 0);
  CHECK(has(refusal("pipe.npy"), "is not a regular file"));
  std::filesystem::create_symlink("nowhere", folder / "link.npy");
  CHECK(has(refusal("link.npy"), "cannot open"));
  test::put_contents(folder / "short.safetensors", "abc");
  CHECK(has(refusal("short.safetensors"), "has 3 bytes"));
}

TEST_CASE("an_unknown_extension_is_refused_with_those_that_work") {
  for (const char* const name : {"t.onnx", "t.bin", "t", ".npy", "t.npy.gz"}) {
    const char* const expected = "expected .safetensors, .npy or .gguf";
    CHECK(has(refusal_of([&] { (void)golden::io::load(name); }), expected));
    CHECK(has(refusal_of([&] { golden::io::save(name, {}); }), expected));
  }
}

TEST_CASE("pickles_are_refused_by_name_and_by_contents_with_what_to_do") {
  const test::scratch_folder folder;
  const auto refusal = [&](const std::string& name) {
    return refusal_of([&] { (void)golden::io::load(folder / name); });
  };
  for (const char* const name : {"m.pt", "m.pth", "m.ckpt", "m.pkl", "m.pickle"}) {
    CHECK(has(refusal(name), "is a Python pickle, which runs code"));
    CHECK(has(refusal(name), "save the tensors as .safetensors"));
  }
  const std::string name = "archive/data.pkl";
  const std::string zip = std::string("PK\3\4") + std::string(22, '\0') +
                          static_cast<char>(name.size()) + std::string(3, '\0') + name;
  for (const char* const ending : {"m.safetensors", "m.npy", "m.gguf"}) {
    test::put_contents(folder / ending, zip);
    CHECK(has(refusal(ending), "is a Python pickle"));
    test::put_contents(folder / ending, zip.substr(0, 30));
    CHECK(has(refusal(ending), "is a Python pickle"));
    for (const char protocol : {2, 3, 4, 5}) {
      test::put_contents(folder / ending, std::string("\x80") + protocol + "}q\1.");
      CHECK(has(refusal(ending), "is a Python pickle"));
    }
  }
  std::string arrays = zip;
  arrays.replace(arrays.size() - 4, 4, ".npy");
  test::put_contents(folder / "m.npy", arrays);
  CHECK(has(refusal("m.npy"), "is an archive of arrays (.npz)"));
}

TEST_CASE("a_header_whose_length_begins_like_a_pickle_is_read") {
  const test::scratch_folder folder;
  for (const std::size_t protocol : {2U, 3U, 4U, 5U}) {
    const std::size_t length = protocol * 256 + 0x80;
    std::string contents(8, '\0');
    contents[0] = '\x80';
    contents[1] = static_cast<char>(protocol);
    contents += "{}" + std::string(length - 2, ' ');
    test::put_contents(folder / "t.safetensors", contents);
    CHECK(golden::io::load(folder / "t.safetensors").tensors().empty());
  }
}

TEST_CASE("a_file_survives_being_moved_and_copied") {
  const test::scratch_folder folder;
  const std::vector<float> numbers{1, 2};
  golden::io::save(folder / "t.npy", std::vector{tensor_of(dtype::f32, numbers)});
  golden::io::tensor_file first = golden::io::load(folder / "t.npy");
  const golden::io::tensor_file second = first;
  first = golden::io::load(folder / "t.npy");
  std::filesystem::remove(folder / "t.npy");
  CHECK(golden::io::to_float32(second.at("x")) == numbers);
  CHECK(golden::io::to_float32(first.at("x")) == numbers);
}

TEST_CASE("a_mapped_file_moves") {
  const test::scratch_folder folder;
  test::put_contents(folder / "a", "12");
  golden::io::mapped_file a(folder / "a");
  golden::io::mapped_file b(std::move(a));
  CHECK(b.bytes().size() == 2);
  a = std::move(b);
  CHECK(a.bytes()[1] == '2');
}

TEST_CASE("fp32_numbers_are_kept_bit_for_bit_wherever_they_lie") {
  const std::vector<std::uint32_t> bits{0, 0x80000000, 1, 0x7f800000, 0xff812345, 0x7fc00001};
  std::vector<std::uint8_t> unaligned(1 + bits.size() * 4);
  std::memcpy(unaligned.data() + 1, bits.data(), bits.size() * 4);
  const tensor numbers{"t", dtype::f32, {6}, golden::io::byte_view(unaligned).subspan(1), "f"};
  const std::vector<float> found = golden::io::to_float32(numbers);
  for (std::size_t i = 0; i < bits.size(); ++i) CHECK(bits_of(found[i]) == bits[i]);
}

TEST_CASE("all_half_precision_numbers_are_widened_exactly") {
  std::vector<std::uint16_t> codes(65536);
  for (std::size_t i = 0; i < codes.size(); ++i) codes[i] = static_cast<std::uint16_t>(i);
  const std::vector<float> f16 = golden::io::to_float32(tensor_of(dtype::f16, codes));
  const std::vector<float> bf16 = golden::io::to_float32(tensor_of(dtype::bf16, codes));
  for (std::uint32_t i = 0; i < 65536; ++i) {
    REQUIRE(bits_of(bf16[i]) == i << 16);
    const int field = static_cast<int>(i / 1024 % 32);
    const int fraction = static_cast<int>(i % 1024);
    REQUIRE(std::signbit(f16[i]) == (i >= 0x8000));
    if (field == 31) {
      REQUIRE((fraction == 0 ? std::isinf(f16[i]) : std::isnan(f16[i])));
    } else {
      const int significand = field == 0 ? fraction : fraction + 1024;
      REQUIRE(std::fabs(f16[i]) ==
              std::ldexp(static_cast<float>(significand), std::max(field, 1) - 25));
    }
  }
}

TEST_CASE("fp64_is_rounded_only_on_request") {
  const std::vector<double> numbers{1.0, 1.0 + 0x1p-24, 1.0 + 0x1.8p-23, 1e300, -0.0, 0x1p-150};
  const tensor held = tensor_of(dtype::f64, numbers);
  CHECK(has(refusal_of([&] { (void)golden::io::to_float32(held); }), "f: tensor 't': is F64"));
  const std::vector<float> found = golden::io::to_float32(held, narrowing::round_to_nearest_even);
  const std::vector<std::uint32_t> expected{0x3f800000, 0x3f800000, 0x3f800002,
                                            0x7f800000, 0x80000000, 0};
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(bits_of(found[i]) == expected[i]);
}

TEST_CASE("codes_and_integers_are_not_taken_for_numbers") {
  const std::vector<std::uint8_t> bytes(8);
  for (const dtype type : {dtype::u8, dtype::f8_e4m3, dtype::boolean}) {
    CHECK(has(refusal_of([&] { (void)golden::io::to_float32(tensor_of(type, bytes)); }),
              "expected numbers of"));
  }
}

}  // namespace
