// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/own_notes_test.cpp: codes and scales of the project itself, by their metadata.
#include "checkpoint_file.h"
#include "refusal.h"

namespace test {
namespace {

TEST_CASE("own_codes_are_as_their_metadata_say") {
  const golden::io::metadata notes{{"format", "mxfp4"},  {"packing", "high-first"},
                                   {"layout", "linear"}, {"block", "32"},
                                   {"shape", "[40, 3]"}, {"axis", "0"}};
  const coded_view view = only_view(file_of(
      {tensor_of("codes", dtype::u8, {32, 3}), tensor_of("scales", dtype::u8, {2, 3})}, notes));
  CHECK(view.name == "x");
  CHECK(view.convention == convention::own);
  CHECK(view.shape == shape{40, 3});
  CHECK(view.axis == 0);
  CHECK(view.order == code_order::high_first);
  const coded_view bare = only_view(
      file_of({tensor_of("codes", dtype::u8, {2, 16}), tensor_of("scales", dtype::u8, {2, 1})}));
  CHECK(bare.format == "mxfp4");
  CHECK(bare.shape == shape{2, 32});
  CHECK(bare.order == code_order::low_first);
  const float one = 1;
  const coded_view wide = only_view(file_of(
      {tensor_of("w.codes", dtype::u8, {2, 32}), tensor_of("w.scales", dtype::u8, {2, 2}),
       number_of("w.tensor_scale", one, {1})},
      {{"format", "nvfp4"}, {"packing", "unpacked"}, {"w.shape", "[2, 17]"}, {"w.axis", "1"}}));
  CHECK(wide.name == "w");
  CHECK(wide.shape == shape{2, 17});
  CHECK(wide.order == code_order::one_a_byte);
  CHECK(wide.use == tensor_scale_use::multiplies);
}

TEST_CASE("metadata_that_do_not_fit_own_codes_are_refused") {
  const std::vector<tensor> arrays{tensor_of("codes", dtype::u8, {2, 16}),
                                   tensor_of("scales", dtype::u8, {2, 1})};
  const std::vector<std::pair<golden::io::metadata, const char*>> wrong{
      {{{"format", "e2m1:e8m0:32"}}, "`format` is 'e2m1:e8m0:32'; expected one of mxfp4"},
      {{{"packing", "odd"}}, "`packing` is 'odd'"},
      {{{"layout", "128x4"}}, "`layout` is '128x4'; expected linear"},
      {{{"block", "32x32"}}, "`block` is '32x32'; expected 32"},
      {{{"axis", "2"}}, "`axis` is '2'; expected one of 2 axes"},
      {{{"axis", "-1"}}, "`axis` is '-1'"},
      {{{"shape", "[2]"}}, "`shape` is '[2]'"},
      {{{"shape", "2, 32"}}, "`shape` is '2, 32'"},
      {{{"shape", "[2, 33]"}}, "tensor 'scales': has the shape [2, 1]; its metadata need [2, 2]"},
      {{{"shape", "[3, 32]"}}, "its metadata need [3, 1]"},
      {{{"packing", "unpacked"}}, "tensor 'codes': has the shape [2, 16]; its metadata need"},
      {{{"format", "nvfp4"}}, "tensor 'codes': has the shape [2, 16]; its metadata need [2, 8]"},
  };
  for (const auto& [notes, message] : wrong) {
    const std::string found =
        refusal_of([&] { (void)golden::io::coded_views(file_of(arrays, notes)); });
    INFO(found);
    CHECK(has(found, message));
  }
}

}  // namespace
}  // namespace test
