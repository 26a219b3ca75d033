// SPDX-License-Identifier: Apache-2.0
// tests/golden/validator/compare_test.cpp: exact output is exact, and one wrong bit is found, in
// every format, layout, packing, order and axis.
#include "catch.h"
#include "golden/validator/places/places_words.h"
#include "golden/validator/tensor/diagnosis_words.h"
#include "mx/block/names.h"
#include "validator_case.h"

namespace golden::validator {
namespace {

std::vector<probe_input> all_kinds(const mx::block_format& f) { return probe_candidates(f); }

TEST_CASE("golden output of every named format is exact, as blocks and as whole tensors") {
  for (const auto& entry : mx::block_format_table) {
    INFO(entry.name);
    validator_case kernel(all_kinds(entry.value));
    hypothesis r = plain(entry.value);
    kernel.run_kernel(r);
    CHECK(kernel.judge(r).verdict == verdict::exact);
    // The same rules, built block by block: an empty tail that is not plain.
    r.shift.end = shift_end::clamped;
    REQUIRE_FALSE(is_plain(r));
    const validator_case& again = kernel;
    CHECK(again.judge(r, 0).verdict == verdict::exact);
  }
}

TEST_CASE("golden output is exact in every layout, packing, axis and order") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel({probe_candidates(f).front()});
  for (const auto& layout : mx::scale_layout_table) {
    for (const mx::code_packing packing : {mx::code_packing::packed, mx::code_packing::unpacked}) {
      for (const auto& nibbles : mx::nibble_order_table) {
        INFO(layout.name << " " << nibbles.name);
        hypothesis r = plain(f);
        r.recipe.layout = layout.value;
        r.recipe.codes.packing = packing;
        r.recipe.codes.nibbles = nibbles.value;
        kernel.run_kernel(r);
        CHECK(kernel.judge(r, 0).verdict == verdict::exact);
      }
    }
  }
  for (const std::size_t axis : {0U, 1U}) {
    for (const stored_order order :
         {stored_order::as_input, stored_order::axis_last, stored_order::axis_first}) {
      hypothesis r = plain(f);
      r.axis = axis;
      r.order = order;
      kernel.run_kernel(r);
      CHECK(kernel.judge(r, 0).verdict == verdict::exact);
    }
  }
}

TEST_CASE("rows in another order are exact where codes and scales are read in it") {
  for (const mx::block_format& f : {mx::block_formats::mxfp4, mx::block_formats::nvfp4}) {
    validator_case kernel({rows_of(f, 64)});
    const auto stored = [&](const row_order& rows) {
      hypothesis r = plain(f);
      r.rows = rows;
      kernel.run_kernel(r);
      CHECK(kernel.judge(r, 0).verdict == verdict::exact);
      return kernel.output(0);
    };
    const rendered own = stored({});
    const std::size_t codes = own.codes.size() / 64, scales = own.scales.size() / 64;
    const auto expect_rows = [&](const rendered& found, const std::vector<std::size_t>& from) {
      for (std::size_t at = 0; at < from.size(); ++at) {
        for (std::size_t i = 0; i < codes; ++i)
          CHECK(found.codes[at * codes + i] == own.codes[from[at] * codes + i]);
        for (std::size_t i = 0; i < scales; ++i)
          CHECK(found.scales[at * scales + i] == own.scales[from[at] * scales + i]);
      }
    };
    // Row r of 16 goes to 8 (r mod 2) + r / 2, of 32 to 8 (r mod 4) + r / 4.
    expect_rows(stored({.shuffled = 16}),
                {0, 2, 4, 6, 8, 10, 12, 14, 1, 3, 5, 7, 9, 11, 13, 15, 16});
    expect_rows(stored({.shuffled = 32}),
                {0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29, 2});
    expect_rows(stored({row_halves::interleaved}), {0, 32, 1, 33, 2, 34});
    expect_rows(stored({row_halves::separated}), {0, 2, 4, 6, 8, 10});
    expect_rows(stored({row_halves::interleaved, 16}), {0, 1, 2, 3, 4, 5, 6, 7, 32, 33, 34});
  }
}

TEST_CASE("codes of six bits without gaps are exact along every axis and in every order") {
  for (const mx::block_format& f : {mx::block_formats::mxfp6_e2m3,
                                    mx::block_format{mx::formats::e3m2, mx::formats::e8m0, 1, 5}}) {
    validator_case kernel({probe_candidates(f).front()});
    for (const std::size_t axis : {0U, 1U}) {
      for (const stored_order order :
           {stored_order::as_input, stored_order::axis_last, stored_order::axis_first}) {
        INFO(f.columns << " along " << axis << ", order " << static_cast<int>(order));
        hypothesis r = plain(f);
        r.axis = axis;
        r.order = order;
        kernel.run_kernel(r);
        const std::size_t apart = kernel.output(0).codes.size();
        r.recipe.codes.sixes = mx::six_bit_order::dense;
        kernel.run_kernel(r);
        CHECK(kernel.output(0).codes.size() < apart);
        CHECK(kernel.judge(r, 0).verdict == verdict::exact);
        kernel.output(0).codes[1] ^= 4;  // of a code that crosses bytes, and of no other
        CHECK(kernel.judge(r, 0).tensors[0].found.mismatches == 1);
      }
    }
  }
}

TEST_CASE("codes without gaps are told apart from those one a byte") {
  const mx::block_format f = mx::block_formats::mxfp6_e3m2;
  validator_case kernel({probe_candidates(f).front()});
  hypothesis dense = plain(f);
  dense.recipe.codes.sixes = mx::six_bit_order::dense;
  const std::string name(name_of(dimension::nibble_order));
  kernel.run_kernel(dense);
  diagnosis d = kernel.judge(plain(f));
  REQUIRE(d.explanation);
  CHECK(d.explanation->changes[0] == change{name, "unpacked", "dense"});
  CHECK(order_of_codes(plain(f), kernel.subjects()[0]) == dense.recipe.codes);
  kernel.run_kernel(plain(f));
  d = kernel.judge(dense);
  REQUIRE(d.explanation);
  CHECK(d.explanation->changes[0] == change{name, "dense", "unpacked"});
  CHECK(order_of_codes(plain(f), kernel.subjects()[0]) == mx::code_order{});
  CHECK(order_of_codes(plain(mx::block_formats::mxfp4), kernel.subjects()[0]).packing ==
        mx::code_packing::unpacked);
}

TEST_CASE("each single wrong bit of codes and scales is found where it is") {
  for (const auto& f : {mx::block_formats::mxfp4, mx::block_formats::mxfp8_e4m3}) {
    validator_case kernel({probe_candidates(f).front()});
    const hypothesis r = plain(f);
    kernel.run_kernel(r);
    const std::uint64_t a_byte = f.element.width() == 4 ? 2 : 1;
    for (std::size_t byte = 0; byte < kernel.output(0).codes.size(); byte += 97) {
      kernel.output(0).codes[byte] ^= 1;
      const diagnosis d = kernel.judge(r, 0);
      kernel.output(0).codes[byte] ^= 1;
      REQUIRE(d.verdict == verdict::unexplained);
      const comparison& found = d.tensors[0].found;
      CHECK(found.mismatches == 1);
      CHECK(found.codes == 1);
      CHECK(found.scales == 0);
      REQUIRE(found.first);
      CHECK(found.first->element == byte * a_byte);
      CHECK((found.first->expected_code ^ found.first->found_code) == 1);
    }
    for (std::size_t byte = 0; byte < kernel.output(0).scales.size(); byte += 7) {
      kernel.output(0).scales[byte] ^= 0x40;
      const comparison found = kernel.judge(r, 0).tensors[0].found;
      kernel.output(0).scales[byte] ^= 0x40;
      CHECK(found.mismatches == 32);
      CHECK(found.codes == 0);
      CHECK(found.scales == 1);
      REQUIRE(found.first);
      CHECK(found.first->block == byte);
      CHECK(found.first->of_scale);
    }
  }
}

TEST_CASE("codes of a byte each have no halves to be split, in blocks of any size") {
  hypothesis r = plain({mx::formats::e4m3, mx::formats::e8m0, 1, 33});
  r.recipe.codes.nibbles = mx::nibble_order::split_half;
  validator_case kernel({{"ones", {1, 66}, std::vector<float>(66, 1.0F)}});
  kernel.run_kernel(r);
  CHECK(kernel.judge(r, 0).verdict == verdict::exact);
}

TEST_CASE("padding counts beside the elements, one for each of its codes that differs") {
  validator_case kernel({{"threes", {2, 35}, std::vector<float>(70, 3.0F)}});
  const hypothesis r = plain(mx::block_formats::mxfp8_e4m3);
  kernel.run_kernel(r);
  std::vector<std::uint8_t>& codes = kernel.output(0).codes;
  const auto found = [&] { return kernel.judge(r, 0).tensors[0].found; };
  codes[128 - 29] ^= 1, codes[127] ^= 1;  // the last row's padding
  CHECK(found().padding == 2);
  CHECK(found().mismatches == 2);
  codes[64 + 32] ^= 1;  // an element of the same block
  CHECK(found().padding == 2);
  CHECK(found().mismatches == 3);
  kernel.output(0).scales[3] ^= 1;  // of three elements
  CHECK(found().padding == 2);
  CHECK(found().mismatches == 5);
  kernel.output(0).scales[1] ^= 1;
  CHECK(found().padding == 2);
  CHECK(found().mismatches == 8);
}

TEST_CASE("a tensor scale that differs makes mismatches of its row, and of no other") {
  mx::block_format f = mx::block_formats::nvfp4;
  f.tensor = mx::tensor_scaling::per_row;
  for (const std::size_t axis : {0U, 1U}) {
    hypothesis r = plain(f);
    r.axis = axis;
    validator_case kernel({{"rows", {32, 128}, rows_of(f, 32).values}});
    kernel.run_kernel(r);
    const auto judged = [&] { return kernel.judge(r, 0).tensors.front(); };
    float& scale = kernel.tensor_scales(0)[5];
    scale = mx::float_of(mx::bits_of(scale) + 4);
    tensor_result found = judged();
    const std::string row = axis == 0 ? "row 5" : "column 5";
    CHECK(found.found.mismatches == (axis == 0 ? 128 : 32));
    CHECK(pattern_text(found.found.where) == row);
    CHECK(where_text(found) == "tensor scale in " + (axis == 0 ? row : "all 32 rows, " + row));
    // Two codes of the row or column 5, and one of another.
    kernel.output(0).codes[axis == 0 ? 5 * 64 + 2 : 2 * 128 + 5] ^= 0x11;
    kernel.output(0).codes[axis == 0 ? 9 * 64 + 3 : 4 * 128 + 67] ^= 1;
    found = judged();
    CHECK(found.found.codes == 3);
    CHECK(found.found.mismatches == (axis == 0 ? 129 : 33));
    CHECK(pattern_text(found.found.where) == "scattered");
    for (float& other : kernel.tensor_scales(0)) other *= 2;
    found = judged();
    CHECK(found.found.mismatches == found.elements);
    CHECK(pattern_text(found.found.where) == "all");
  }
}

TEST_CASE("the tensor scale of a tensor makes mismatches of all of it, beside codes that differ") {
  validator_case kernel({{"rows", {4, 35}, std::vector<float>(140, 3.0F)}});
  const hypothesis r = plain(mx::block_formats::nvfp4);
  kernel.run_kernel(r);
  kernel.tensor_scales(0)[0] *= 2;
  const auto judged = [&] { return kernel.judge(r, 0).tensors.front(); };
  CHECK(judged().found.mismatches == 140);
  CHECK(judged().found.where.empty());
  kernel.output(0).codes[0] ^= 1;
  kernel.output(0).codes[23] ^= 1;  // of padding
  CHECK(judged().found.mismatches == 141);
  CHECK(judged().found.padding == 1);
  CHECK(pattern_text(judged().found.where) == "all");
  CHECK(where_text(judged()) == "codes in row 0, column 0; codes of padding");
}

TEST_CASE("signs of zeros differ, though values do not") {
  const mx::block_format f = mx::block_formats::mxfp4;
  validator_case kernel({{"zeros", {1, 32}, std::vector<float>(32, 0.0F)}});
  const hypothesis r = plain(f);
  kernel.run_kernel(r);
  kernel.output(0).codes[3] = 0x08;
  CHECK(kernel.judge(r, 0).tensors[0].found.mismatches == 1);
}

TEST_CASE("a tensor scale one ULP off is a difference of every element") {
  const mx::block_format f = mx::block_formats::nvfp4;
  validator_case kernel({probe_candidates(f).front()});
  const hypothesis r = plain(f);
  kernel.run_kernel(r);
  float& scale = kernel.tensor_scales(0).front();
  scale = mx::float_of(mx::bits_of(scale) + 1);
  const comparison found = kernel.judge(r, 0).tensors[0].found;
  CHECK_FALSE(found.tensor_scales_agree);
  CHECK(found.mismatches == found.elements);
}

TEST_CASE("a tensor scale beside a format without one must be 1") {
  validator_case kernel({{"ones", {1, 32}, std::vector<float>(32, 1.0F)}});
  const hypothesis r = plain(mx::block_formats::mxfp4);
  kernel.run_kernel(r);
  kernel.tensor_scales(0) = {1.0F};
  CHECK(kernel.judge(r, 0).verdict == verdict::exact);
  kernel.tensor_scales(0) = {7.0F};
  const diagnosis found = kernel.judge(r, 0);
  CHECK(found.verdict != verdict::exact);
  CHECK(report_text(found).find("the tensor scale 0x40e00000 (7), expected 0x3f800000 (1)") !=
        std::string::npos);
}

TEST_CASE("a tensor scale that was not written is told as not compared") {
  const mx::block_format f = mx::block_formats::nvfp4;
  validator_case kernel({probe_candidates(f).front()});
  kernel.run_kernel(plain(f));
  CHECK(report_text(kernel.judge(plain(f), 0)).find("to compare") == std::string::npos);
  kernel.writes_tensor_scales = false;
  const diagnosis found = kernel.judge(plain(f), 0);
  CHECK(found.verdict == verdict::exact);
  CHECK(report_text(found).find(" equal; no tensor scale to compare\n") != std::string::npos);
}

TEST_CASE("another number of tensor scales is told") {
  const mx::block_format f = mx::block_formats::nvfp4;
  validator_case kernel({probe_candidates(f).front()});
  const hypothesis r = plain(f);
  kernel.run_kernel(r);
  kernel.tensor_scales(0).push_back(1.0F);
  CHECK(report_text(kernel.judge(r, 0)).find("2 tensor scales, expected 1") != std::string::npos);
}

TEST_CASE("a tensor cut into many parts is compared as a whole one") {
  const mx::block_format f = mx::block_formats::mxfp4;
  probe_input big{"big", {4, 1 << 21}, {}};
  for (std::uint64_t k = 0; k < 4 * (1U << 21); ++k) {
    big.values.push_back(static_cast<float>(k % 977) - 400.0F);
  }
  validator_case kernel({std::move(big)});
  for (const std::size_t axis : {1U, 0U}) {
    hypothesis r = plain(f);
    r.axis = axis;
    kernel.run_kernel(r);
    CHECK(kernel.judge(r, 0).verdict == verdict::exact);
    const std::size_t last = kernel.output(0).codes.size() - 1;
    kernel.output(0).codes[last] ^= 0x10;
    const comparison found = kernel.judge(r, 0).tensors[0].found;
    CHECK(found.mismatches == 1);
  }
}

}  // namespace
}  // namespace golden::validator
