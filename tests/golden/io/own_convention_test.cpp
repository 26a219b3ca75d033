// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/own_convention_test.cpp: codes under other names, rewritten to the command's own
// convention.
#include <cstring>
#include <limits>

#include "catch.h"
#include "damage.h"
#include "golden/io/own_convention.h"
#include "golden/io/safetensors.h"
#include "refusal.h"

namespace {

using golden::io::dtype;
using golden::io::tensor;
using golden::io::tensor_file;
using test::has;
using test::refusal_of;

const std::vector<std::uint8_t> bytes = [] {
  std::vector<std::uint8_t> all(4096);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint8_t>(i * 37 % 251);
  return all;
}();

tensor tensor_of(const std::string& name, dtype type, const std::vector<std::uint64_t>& extents) {
  tensor t{name, type, extents, {}, "f"};
  t.bytes = golden::io::byte_view(bytes).first(golden::io::byte_count(t));
  return t;
}

tensor_file file_of(std::vector<tensor> tensors, golden::io::metadata notes = {}) {
  return {"f", nullptr, {std::move(tensors), std::move(notes), {{"q", "Q8_0"}}}};
}

std::vector<tensor> compressed(const float& global) {
  return {tensor_of("weight_packed", dtype::u8, {2, 16}),
          tensor_of("weight_scale", dtype::f8_e4m3, {2, 2}),
          {"weight_global_scale",
           dtype::f32,
           {1},
           {reinterpret_cast<const std::uint8_t*>(&global), 4},
           "f"}};
}

TEST_CASE("arrays_are_shown_where_they_lie_and_what_is_no_codes_is_left_out") {
  const tensor_file file =
      file_of({tensor_of("up_blocks", dtype::u8, {3, 2, 16}),
               tensor_of("up_scales", dtype::u8, {3, 2}), tensor_of("norm", dtype::bf16, {8})},
              {{"format", "pt"}});
  const auto own = golden::io::in_own_convention(file);
  CHECK(own.file.metadata() == golden::io::metadata{{"format", "mxfp4"},
                                                    {"packing", "packed"},
                                                    {"layout", "linear"},
                                                    {"block", "32"},
                                                    {"up.shape", "[3, 64]"},
                                                    {"up.axis", "1"}});
  REQUIRE(own.file.tensors().size() == 2);
  CHECK(own.file.at("up.codes").shape == std::vector<std::uint64_t>{3, 32});
  CHECK(own.file.at("up.codes").bytes.data() == bytes.data());
  CHECK(own.file.at("up.scales").shape == std::vector<std::uint64_t>{3, 2});
  CHECK(own.file.at("up.scales").bytes.data() == bytes.data());
  CHECK(own.left_out == std::vector<std::string>{"norm", "q"});
}

TEST_CASE("fields_of_blocks_outlive_the_file_they_come_from") {
  const auto own = [] {
    return golden::io::in_own_convention(file_of({tensor_of("b", dtype::mxfp4_blocks, {2, 64})}));
  }();
  CHECK(own.file.metadata().at("packing") == "split-half");
  const tensor& codes = own.file.at("b.codes");
  const tensor& scales = own.file.at("b.scales");
  CHECK(codes.type == dtype::u8);
  for (std::size_t i = 0; i < 4; ++i) {
    CHECK(scales.bytes[i] == bytes[17 * i]);
    CHECK(std::memcmp(codes.bytes.data() + 16 * i, bytes.data() + 17 * i + 1, 16) == 0);
  }
}

TEST_CASE("a_missing_tensor_scale_of_gguf_is_1") {
  const auto own =
      golden::io::in_own_convention(file_of({tensor_of("b.weight", dtype::nvfp4_blocks, {1, 64})}));
  float scale = 0;
  std::memcpy(&scale, own.file.at("b.weight.tensor_scale").bytes.data(), 4);
  CHECK(scale == 1);
  CHECK(own.file.at("b.weight.tensor_scale").shape == std::vector<std::uint64_t>{1});
}

TEST_CASE("own_codes_and_files_without_codes_stay_as_they_are") {
  for (const tensor_file& file :
       {file_of({tensor_of("w.codes", dtype::u8, {2, 3}), tensor_of("y", dtype::u8, {1})}),
        file_of({tensor_of("x", dtype::f32, {4})})}) {
    const auto own = golden::io::in_own_convention(file);
    CHECK(own.file.tensors().data() == file.tensors().data());
    CHECK(own.left_out.empty());
  }
}

TEST_CASE("what_one_format_cannot_tell_is_refused") {
  const auto refusal = [](std::vector<tensor> tensors) {
    return refusal_of([&] { (void)golden::io::in_own_convention(file_of(std::move(tensors))); });
  };
  const float two = 2;
  std::vector<tensor> mixed = compressed(two);
  mixed.push_back(tensor_of("z_blocks", dtype::u8, {1, 1, 16}));
  mixed.push_back(tensor_of("z_scales", dtype::u8, {1, 1}));
  CHECK(has(refusal(mixed), "tensor 'z': is mxfp4, packed, and 'weight' is nvfp4, packed"));
  CHECK(has(refusal({tensor_of("b", dtype::mxfp4_blocks, {1, 32}),
                     tensor_of("z_blocks", dtype::u8, {1, 1, 16}),
                     tensor_of("z_scales", dtype::u8, {1, 1})}),
            "is mxfp4, packed, and 'b' is mxfp4, split-half"));
  for (const float global : {0.0F, -1.0F, std::numeric_limits<float>::infinity(),
                             std::numeric_limits<float>::quiet_NaN()}) {
    CHECK(has(refusal(compressed(global)), "tensor 'weight_global_scale': is "));
  }
  CHECK(has(refusal({tensor_of("e.weight", dtype::u8, {5, 4, 32}),
                     tensor_of("e.weight_scale", dtype::f8_e4m3, {5, 4, 4}),
                     tensor_of("e.weight_scale_2", dtype::f32, {5})}),
            "has 5 tensor scales, one for each matrix"));
}

TEST_CASE("no_damage_to_a_checkpoint_crashes") {
  const std::vector<golden::io::tensor_plan> plans{{"a_blocks", dtype::u8, {1, 1, 16}},
                                                   {"a_scales", dtype::u8, {1, 1}},
                                                   {"weight_packed", dtype::u8, {2, 8}},
                                                   {"weight_scale", dtype::f8_e4m3, {2, 1}},
                                                   {"weight_global_scale", dtype::f32, {1}}};
  const auto frame = golden::io::safetensors_frame(plans, {{"format", "mxfp4"}}, "f");
  std::string valid(frame.prefix.begin(), frame.prefix.end());
  valid.append(reinterpret_cast<const char*>(bytes.data()), 16 + 1 + 16 + 2 + 4);
  const auto parse = [](golden::io::byte_view file) {
    return golden::io::parse_safetensors(file, "f");
  };
  test::parse_every_truncation_and_flip(valid, parse);
  test::parse_random_mutations(valid, 4000, parse);
}

}  // namespace
