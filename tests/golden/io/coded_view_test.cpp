// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/coded_view_test.cpp: codes and scales by the names of four kinds of checkpoints.
#include <array>

#include "checkpoint_file.h"
#include "golden/io/own_convention.h"
#include "refusal.h"

namespace test {
namespace {

TEST_CASE("gpt_oss_keeps_the_bytes_of_a_block_in_an_axis_of_their_own") {
  for (const auto& [codes, scales] :
       {std::pair{"m.up_blocks", "m.up_scales"}, std::pair{"m.up.blocks", "m.up.scales"}}) {
    const tensor_file file = file_of({tensor_of(codes, dtype::u8, {3, 2, 4, 16}),
                                      tensor_of(scales, dtype::u8, {3, 2, 4}),
                                      tensor_of("m.up_bias", dtype::bf16, {3, 2})});
    const coded_view view = only_view(file);
    CHECK(view.name == "m.up");
    CHECK(view.convention == convention::gpt_oss);
    CHECK(view.format == "mxfp4");
    CHECK(view.shape == shape{3, 2, 128});
    CHECK(view.axis == 2);
    CHECK(view.block == 32);
    CHECK(view.order == code_order::low_first);
    CHECK(view.use == tensor_scale_use::none);
    CHECK(view.codes.view().data() == file.at(codes).bytes.data());
    CHECK(view.codes.size == 384);
    CHECK(view.scales.view().data() == file.at(scales).bytes.data());
    CHECK(view.scales.size == 24);
    CHECK(view.arrays == std::vector<std::string>{codes, scales});
  }
}

TEST_CASE("modelopt_multiplies_by_the_second_scale") {
  const float above = 0.25F;
  const tensor_file file =
      file_of({tensor_of("l.weight", dtype::u8, {4, 32}),
               tensor_of("l.weight_scale", dtype::f8_e4m3, {4, 4}),
               number_of("l.weight_scale_2", above), number_of("l.input_scale", above)});
  const coded_view view = only_view(file);
  CHECK(view.name == "l.weight");
  CHECK(view.convention == convention::modelopt);
  CHECK(view.format == "nvfp4");
  CHECK(view.shape == shape{4, 64});
  CHECK(view.block == 16);
  CHECK(view.use == tensor_scale_use::multiplies);
  CHECK(view.tensor_scales.data() == file.at("l.weight_scale_2").bytes.data());
  CHECK(view.arrays.size() == 3);
}

TEST_CASE("compressed_tensors_divide_by_the_global_scale") {
  const float above = 4;
  const tensor_file file = file_of({tensor_of("l.weight_packed", dtype::u8, {4, 32}),
                                    tensor_of("l.weight_scale", dtype::f8_e4m3, {4, 4}),
                                    number_of("l.weight_global_scale", above, {1})});
  const coded_view view = only_view(file);
  CHECK(view.name == "l.weight");
  CHECK(view.convention == convention::compressed_tensors);
  CHECK(view.format == "nvfp4");
  CHECK(view.use == tensor_scale_use::divides);
  const auto own = golden::io::in_own_convention(file);
  float scale = 0;
  std::copy_n(own.file.at("l.weight.tensor_scale").bytes.data(), 4,
              reinterpret_cast<std::uint8_t*>(&scale));
  CHECK(scale == 0.25F);
}

TEST_CASE("types_tell_formats_apart_under_the_same_names") {
  struct row {
    dtype codes, scales;
    std::uint64_t columns;  // of the codes, under two scales
    const char* format;
    code_order order;
  };
  for (const row& r :
       {row{dtype::u8, dtype::u8, 32, "mxfp4", code_order::low_first},
        row{dtype::u8, dtype::f8_e8m0, 32, "mxfp4", code_order::low_first},
        row{dtype::f4, dtype::f8_e8m0, 64, "mxfp4", code_order::low_first},
        row{dtype::f4, dtype::u8, 64, "mxfp4", code_order::low_first},
        row{dtype::f8_e4m3, dtype::u8, 64, "mxfp8-e4m3", code_order::one_a_byte},
        row{dtype::f8_e5m2, dtype::f8_e8m0, 64, "mxfp8-e5m2", code_order::one_a_byte}}) {
    for (const auto& [codes, scales] :
         {std::pair{"weight", "weight_scale"}, std::pair{"a.weight_packed", "a.weight_scale"},
          std::pair{"a.codes", "a.scales"}}) {
      const tensor_file file =
          file_of({tensor_of(codes, r.codes, {3, r.columns}), tensor_of(scales, r.scales, {3, 2})});
      if (r.codes == dtype::u8 && codes == std::string_view("a.codes")) {
        CHECK(golden::io::coded_views(file).empty());  // the command reads its own codes
        continue;
      }
      const coded_view view = only_view(file);
      CHECK(view.format == r.format);
      CHECK(view.order == r.order);
      CHECK(view.shape == shape{3, 64});
      CHECK(view.codes.size == (r.codes == dtype::f8_e4m3 || r.codes == dtype::f8_e5m2 ? 192 : 96));
    }
  }
}

TEST_CASE("names_with_other_types_or_without_scales_are_no_codes") {
  CHECK(
      golden::io::coded_views(
          file_of(
              {tensor_of("a.weight", dtype::bf16, {4, 32}),
               tensor_of("b.weight", dtype::f8_e4m3, {4, 32}), number_of("b.weight_scale", 1.0F),
               tensor_of("c.weight_packed", dtype::i32, {4, 8}),
               tensor_of("c.weight_scale", dtype::bf16, {4, 2}),
               tensor_of("d.weight", dtype::u8, {4, 16}), tensor_of("e_blocks", dtype::u8, {1, 16}),
               tensor_of("_blocks", dtype::u8, {1, 1, 16}), tensor_of("_scales", dtype::u8, {1, 1}),
               tensor_of("myweight", dtype::u8, {4, 16}),
               tensor_of("myweight_scale", dtype::u8, {4, 1})}))
          .empty());
}

struct wrong_file {
  const char* what;
  std::vector<tensor> tensors;
  const char* message;
};

TEST_CASE("arrays_that_do_not_go_together_are_refused_by_name") {
  const float one = 1;
  const std::vector<wrong_file> files{
      {"too few bytes a block",
       {tensor_of("a_blocks", dtype::u8, {2, 8}), tensor_of("a_scales", dtype::u8, {2})},
       "'a_scales' of shape [2] needs [2, 16]"},
      {"other rows",
       {tensor_of("weight", dtype::u8, {3, 16}), tensor_of("weight_scale", dtype::u8, {2, 1})},
       "needs [2, 16]"},
      {"scales in another layout",
       {tensor_of("weight", dtype::u8, {4, 32}), tensor_of("weight_scale", dtype::f8_e4m3, {512}),
        number_of("weight_scale_2", one)},
       "needs [4096]"},
      {"no tensor scale",
       {tensor_of("weight", dtype::u8, {4, 32}), tensor_of("weight_scale", dtype::f8_e4m3, {4, 4})},
       "tensor 'weight_scale_2': is missing"},
      {"a tensor scale of F16",
       {tensor_of("weight", dtype::u8, {4, 32}), tensor_of("weight_scale", dtype::f8_e4m3, {4, 4}),
        tensor_of("weight_scale_2", dtype::f16, {1})},
       "is F16 of shape [1]; expected one number of F32"},
      {"two tensor scales",
       {tensor_of("weight", dtype::u8, {4, 32}), tensor_of("weight_scale", dtype::f8_e4m3, {4, 4}),
        tensor_of("weight_scale_2", dtype::f32, {2})},
       "is F32 of shape [2]; expected one number of F32"},
      {"a tensor scale above E8M0",
       {tensor_of("weight", dtype::u8, {4, 32}), tensor_of("weight_scale", dtype::u8, {4, 2}),
        number_of("weight_scale_2", one)},
       "mxfp4 has no tensor scale"},
      {"a scalar scale",
       {tensor_of("weight", dtype::u8, {16}), tensor_of("weight_scale", dtype::u8, {})},
       "expected one scale a block"},
      {"extents beyond 2^64",
       {tensor_of("weight", dtype::u8, {0, 16}),
        tensor_of("weight_scale", dtype::u8, {0, 1ULL << 60})},
       "expected one scale a block"},
  };
  for (const wrong_file& wrong : files) {
    INFO(wrong.what);
    const std::string message =
        refusal_of([&] { (void)golden::io::coded_views(file_of(wrong.tensors)); });
    INFO(message);
    CHECK(has(message, wrong.message));
  }
}

}  // namespace
}  // namespace test
