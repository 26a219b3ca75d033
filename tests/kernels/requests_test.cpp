// SPDX-License-Identifier: Apache-2.0
// tests/kernels/requests_test.cpp: requests refused before a launch, and their messages.
#include "requests.h"

#include <cmath>
#include <set>
#include <vector>

#include "catch.h"
#include "mx/kernels/recipe_words.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// A valid request and its memory.
struct sound_request {
  std::vector<std::uint32_t> memory = std::vector<std::uint32_t>(4096);
  quantize_request request;

  sound_request() {
    std::uint32_t* first = memory.data();
    request.shape = {32, 32};
    request.x = first;                            // 4096 bytes
    request.rows = {first + 1024, first + 1200};  // 512 and 32
    request.columns = {first + 1300, first + 1500};
  }
};

std::string answer_to(const quantize_request& request) { return sentence_of(checked(request)); }

}  // namespace

TEST_CASE("a_sound_request_is_launched") {
  CHECK(answer_to(sound_request().request) == "launched");
  sound_request rows;
  rows.request.columns = {};
  CHECK(answer_to(rows.request) == "launched");
}

TEST_CASE("missing_and_odd_pointers_are_named") {
  sound_request no_x, no_result, no_scales, odd, no_tensor;
  no_x.request.x = nullptr;
  CHECK(answer_to(no_x.request) == "x is a null pointer; give it memory of the device");
  no_result.request.rows = no_result.request.columns = {};
  CHECK(answer_to(no_result.request).find("rows.codes is a null pointer") == 0);
  no_scales.request.columns.scales = nullptr;
  CHECK(answer_to(no_scales.request).find("columns.scales is a null pointer") == 0);
  odd.request.x = reinterpret_cast<const char*>(odd.request.x) + 2;
  CHECK(answer_to(odd.request) == "x is not aligned; its address must be a multiple of 4 bytes");
  no_tensor.request.how.rules = {block_formats::nvfp4, scale_rule::ideal};
  CHECK(answer_to(no_tensor.request).find("tensor_scale is a null pointer") == 0);
}

TEST_CASE("results_that_share_a_byte_are_refused") {
  sound_request over_x, over_scales, beside;
  over_x.request.rows.codes = over_x.memory.data() + 1023;
  CHECK(answer_to(over_x.request).find("rows.codes overlaps") == 0);
  over_scales.request.columns.scales = static_cast<char*>(over_scales.request.rows.scales) + 31;
  CHECK(answer_to(over_scales.request).find("overlaps") != std::string::npos);
  beside.request.columns.scales = static_cast<char*>(beside.request.rows.scales) + 32;
  CHECK(answer_to(beside.request) == "launched");
}

TEST_CASE("sizes_are_checked_before_pointers_are") {
  quantize_request empty, negative, huge;
  CHECK(answer_to(empty) == "launched");
  negative.shape = {-1, 32};
  CHECK(answer_to(negative) == "rows is negative");
  huge.shape = {std::int64_t{1} << 30, std::int64_t{1} << 30};
  CHECK(answer_to(huge) == "rows * columns is too large; at most 1099511627775");
}

TEST_CASE("what_has_no_kernel_is_refused") {
  for (const block_format& f : {block_format{formats::e4m3, formats::e8m0, 128, 129},
                                block_format{formats::e2m1, formats::e8m0, 2, 5},
                                block_format{formats::e2m1, formats::e8m0, 1, 5},
                                block_format{formats::e2m1, formats::e8m0, 1, 512},
                                block_format{formats::e4m3, formats::e8m0, -1, -32}}) {
    sound_request bad;
    bad.request.how.rules.format = f;
    CHECK(checked(bad.request).part == recipe_part::block);
  }
  sound_request refused, layout;
  refused.request.how.rules = {
      block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {1, 25}};
  CHECK(checked(refused.request).part == recipe_part::rules);
  layout.request.how.rules = {block_formats::fp8_1x128, scale_rule::ideal};
  layout.request.how.layout = scale_layout::blocked_128x4;
  CHECK(checked(layout.request).part == recipe_part::layout);
}

TEST_CASE("fake_quantization_may_be_in_place_but_not_half") {
  std::vector<float> x(64);
  fake_quantize_request request{{}, number_type::fp32, {1, 32}, x.data(), nullptr, x.data()};
  CHECK(checked(request).is_done());
  request.out = x.data() + 4;
  CHECK(sentence_of(checked(request)).find("out overlaps") == 0);
}

TEST_CASE("strides_of_matrices_below_a_row_or_beyond_all_memory_are_refused") {
  sound_request sound;
  const auto answer = [&](std::int64_t stride) {
    sound.request.x_stride = stride;
    return answer_to(sound.request);
  };
  sound.request.shape = {16, 32};
  CHECK(answer(0) == "launched");
  CHECK(answer(32) == "launched");
  CHECK(answer(31) == "x_stride is too small; it must be at least 32");
  CHECK(answer(-64) == "x_stride is too small; it must be at least 32");
  CHECK(answer((std::int64_t{1} << 56) + 1) ==
        "x_stride is too large; at most " + std::to_string(std::int64_t{1} << 56));
  // The last of 16 rows ends with element 15 * 66 + 32, before the codes at 1024.
  CHECK(answer(66) == "launched");
  CHECK(answer(67).find("rows.codes overlaps") == 0);
  std::vector<float> out(64), x(64);
  std::vector<std::uint8_t> coded(64);
  dequantize_request back{
      .how = {}, .shape = {2, 32}, .codes = coded.data(), .scales = &coded[32], .out = out.data()};
  back.out_stride = 31;
  CHECK(sentence_of(checked(back)) == "out_stride is too small; it must be at least 32");
  fake_quantize_request both{.how = {}, .shape = {2, 8}, .x = x.data(), .out = x.data()};
  both.x_stride = 7;
  CHECK(sentence_of(checked(both)) == "x_stride is too small; it must be at least 8");
  both.x_stride = 8, both.out_stride = 1;
  CHECK(sentence_of(checked(both)) == "out_stride is too small; it must be at least 8");
  decompose_request parts{.how = {}, .shape = {2, 8}, .x = x.data()};
  parts.x_stride = 7;
  CHECK(sentence_of(checked(parts)) == "x_stride is too small; it must be at least 8");
}

TEST_CASE("fake_quantization_in_place_requires_equal_strides") {
  std::vector<float> x(64);
  fake_quantize_request request{.how = {}, .shape = {2, 8}, .x = x.data(), .out = x.data()};
  request.x_stride = 8;
  CHECK(checked(request).is_done());
  request.x_stride = request.out_stride = 20;
  CHECK(checked(request).is_done());
  request.out_stride = 21;
  CHECK(sentence_of(checked(request)).find("out overlaps") == 0);
  request.out = x.data() + 28;  // x ends with element 20 + 7
  CHECK(checked(request).is_done());
}

TEST_CASE("blocks_of_several_rows_have_sizes_of_their_own") {
  const coded_size size = size_of(block_formats::nvfp4_2d, scale_layout::linear, 33, 40);
  CHECK(size.blocks_a_line == 3);
  CHECK(size.lines_of_blocks == 3);
  CHECK(size.line_bytes == 24);
  CHECK(size.code_bytes == 33 * 24);
  CHECK(size.scale_bytes == 9);
  sound_request sound;  // 32 x 32: four blocks, 512 bytes of codes
  sound.request.how.rules = {block_formats::nvfp4_2d, scale_rule::ideal};
  const float tensor = 1;
  sound.request.tensor_scale = &tensor;
  CHECK(answer_to(sound.request) == "launched");
  sound.request.columns.scales = static_cast<char*>(sound.request.rows.scales) + 3;
  CHECK(answer_to(sound.request).find("overlaps") != std::string::npos);
  sound.request.columns.scales = static_cast<char*>(sound.request.rows.scales) + 4;
  CHECK(answer_to(sound.request) == "launched");
  CHECK(shares_of(block_formats::fp8_128x128, {257, 400}) == 12);
}

TEST_CASE("results_over_the_tensor_scale_are_refused_where_the_format_has_one") {
  std::vector<float> memory(64);
  std::vector<std::uint8_t> coded(64);
  dequantize_request back{
      {{block_formats::nvfp4}}, {1, 32},      coded.data(), &coded[32], &memory[3],
      number_type::fp32,        memory.data()};
  CHECK(sentence_of(checked(back)).find("out overlaps") == 0);
  back.tensor_scale = &memory[32];
  CHECK(checked(back).is_done());
  back.how = {}, back.tensor_scale = &memory[3];
  CHECK(checked(back).is_done());
  fake_quantize_request both{{{block_formats::nvfp4, scale_rule::ideal}},
                             number_type::fp32,
                             {1, 32},
                             memory.data(),
                             &memory[31],
                             memory.data()};
  CHECK(sentence_of(checked(both)).find("out overlaps") == 0);
  both.tensor_scale = &memory[32];
  CHECK(checked(both).is_done());
  sound_request codes;
  codes.request.tensor_scale = static_cast<const float*>(codes.request.rows.codes);
  CHECK(answer_to(codes.request) == "launched");
  codes.request.how.rules = {block_formats::nvfp4, scale_rule::ideal};
  CHECK(answer_to(codes.request).find("rows.codes overlaps") == 0);
}

TEST_CASE("nothing_is_launched_of_empty_matrices_whatever_their_pointers") {
  const auto is_done_of = [](auto request, const matrix_shape& shape) {
    request.shape = shape;
    return checked(request).is_done();
  };
  dequantize_request back;
  for (const matrix_shape& shape : {matrix_shape{0, 32}, {32, 0}, {0, 0}}) {
    CHECK(is_done_of(quantize_request{}, shape));
    CHECK(is_done_of(back, shape));
    CHECK(is_done_of(fake_quantize_request{}, shape));
    CHECK(is_done_of(decompose_request{}, shape));
    rotate_quantize_request rotated;
    rotated.to.how.corrections.rotation = {16};
    rotated.to.shape = shape;
    CHECK(checked(rotated).is_done());
  }
}

TEST_CASE("matrices_of_more_than_2_to_the_31_elements_are_served") {
  const std::int64_t line = std::int64_t{1} << 32;
  CHECK(size_of(block_formats::mxfp4, scale_layout::linear, 1, line).code_bytes == line / 2);
  CHECK(shares_of(block_formats::mxfp4, {4, line}) == line * 4 / 2048);
  // 2^23 shares, 2^16 sums of 128, 2^9 of 128 of those, 4.
  CHECK(share_entries_of(block_formats::mxfp4, {4, line}) == (1 << 23) + (1 << 16) + (1 << 9) + 4);
  sound_request wide;
  wide.request.shape = {1, line}, wide.request.columns = {};
  wide.request.x = reinterpret_cast<const float*>(std::uintptr_t{1} << 40);
  wide.request.rows = {reinterpret_cast<void*>(std::uintptr_t{1} << 36),
                       reinterpret_cast<void*>(std::uintptr_t{1} << 37)};
  CHECK(answer_to(wide.request) == "launched");
}

TEST_CASE("requests_to_decompose_name_what_is_wrong") {
  std::vector<float> x(64);
  std::vector<error_energy> space(3);
  const decompose_request sound{{},      number_type::fp32, {2, 32},  x.data(),
                                nullptr, space.data(),      &space[1]};
  CHECK(checked(sound).is_done());
  decompose_request no_shares = sound, no_sum = sound, over_sum = sound, over_x = sound,
                    refused = sound, odd = sound;
  no_shares.shares = nullptr;
  CHECK(sentence_of(checked(no_shares)).find("shares is a null pointer") == 0);
  no_sum.sum = nullptr;
  CHECK(checked(no_sum).is_done());
  over_sum.sum = space.data();
  CHECK(sentence_of(checked(over_sum)).find("overlaps") != std::string::npos);
  over_x.x = &space[0].blocks;
  CHECK(sentence_of(checked(over_x)).find("shares overlaps") == 0);
  refused.how.rules.format = {formats::e4m3, formats::e8m0, 128, 129};
  CHECK(checked(refused).part == recipe_part::block);
  odd.sum = reinterpret_cast<error_energy*>(reinterpret_cast<char*>(&space[1]) + 4);
  CHECK(sentence_of(checked(odd)).find("sum is not aligned") == 0);
  CHECK(shares_of(block_formats::mxfp4, {-1, 32}) == 0);
  CHECK(shares_of(block_formats::mxfp4, {2049, 32}) == 33);
  CHECK(share_entries_of(block_formats::mxfp4, {-1, 32}) == 0);
  CHECK(share_entries_of(block_formats::mxfp4, {2049, 32}) == 33);
  CHECK(share_entries_of(block_formats::mxfp4, {129, 2048}) == 131);
}

TEST_CASE("rotations_take_rows_of_whole_rotations_and_blocks") {
  sound_request sound;
  sound.request.columns = {};
  const auto answer = [&sound](const rotation& by, const quantization& how, std::int64_t columns) {
    quantize_request to = sound.request;
    to.how = {.rules = how, .corrections = {.rotation = by}};
    to.shape = {8, columns};
    return checked(rotate_quantize_request{to});
  };
  const quantization mxfp4{};
  CHECK(answer({16}, mxfp4, 32).is_done());
  CHECK(answer({0, rotation_signs::random, 3}, mxfp4, 31).is_done());
  CHECK(sentence_of(answer({64}, mxfp4, 32)) == "columns must be a multiple of 64");
  CHECK(sentence_of(answer({16}, mxfp4, 16)) == "columns must be a multiple of 32");
  CHECK(answer({24}, mxfp4, 32).part == recipe_part::rotation);
  CHECK(answer({16}, {{formats::e2m1, formats::e8m0, 1, 24}}, 48).part == recipe_part::rotation);
  CHECK(answer({16}, {{formats::e2m1, formats::e8m0, 2, 16}}, 32).part == recipe_part::rotation);
  CHECK(answer({16}, {{formats::e2m1, formats::e8m0, 1, 512}}, 512).part == recipe_part::block);
  rotate_quantize_request both{sound_request().request};
  both.to.how.corrections.rotation = {16};
  CHECK(sentence_of(checked(both)) == "columns of a rotated matrix has no kernel");
  CHECK(checked(both.to).part == recipe_part::corrections);
  both.to.how.corrections.gain = pre_gain::three_quarters;
  CHECK(checked(both).part == recipe_part::corrections);
}

namespace {

constexpr code_order high_first{code_packing::packed, nibble_order::high_first};
constexpr block_format per_row{formats::e2m1,           formats::ue4m3,         1, 16,
                               scale_precision::stored, tensor_scaling::per_row};
constexpr block_format exact{formats::e2m1,          formats::e8m0,       1, 32,
                             scale_precision::exact, tensor_scaling::none};

/// A recipe with one part that no kernel supports.
struct refused_recipe {
  recipe how;
  recipe_part part;
};
const refused_recipe refused_recipes[] = {
    {{.preset = 0}, recipe_part::preset},
    {{.corrections = {.gain = pre_gain::three_quarters}}, recipe_part::corrections},
    {{.corrections = {.macro_block = 128}}, recipe_part::corrections},
    {{.corrections = {.fallback = fallback_mode::all}}, recipe_part::corrections},
    {{.passes = passes::twice}, recipe_part::passes},
    {{.rules = {exact, scale_rule::ideal}}, recipe_part::exact_scale},
    {{.rules = {per_row, scale_rule::ideal}}, recipe_part::row_scales},
    {{.rules = {{formats::e2m1, formats::e8m0, 1, 512}}}, recipe_part::block},
    {{.rules = {block_formats::mxfp8_e4m3, scale_rule::static_four}}, recipe_part::rules}};

/// The same for stored codes and scales.
const refused_recipe unstored_recipes[] = {
    {{.codes = high_first}, recipe_part::code_order},
    {{.codes = {code_packing::unpacked}}, recipe_part::code_order},
    {{.codes = {code_packing::packed, nibble_order::split_half}}, recipe_part::code_order},
    {{.rules = {block_formats::fp8_1x128, scale_rule::ideal},
      .layout = scale_layout::blocked_128x4},
     recipe_part::layout},
    {{.rules = {block_formats::mxfp6_e2m3}, .codes = {.sixes = six_bit_order::dense}},
     recipe_part::code_order}};

template <class Request>
status answer_to(const recipe& how) {
  Request request;
  request.how = how;
  return checked(request);
}

status rotated_answer_to(const recipe& how) {
  rotate_quantize_request request;
  request.to.how = how;
  return checked(request);
}

}  // namespace

TEST_CASE("statuses_of_equal_words_are_equal_wherever_the_words_lie") {
  const char here[] = "rows.codes", there[] = "rows.codes";
  const status answer{launch_error::null_pointer, here};
  CHECK(answer == status{launch_error::null_pointer, there});
  CHECK_FALSE(answer == status{launch_error::null_pointer, "columns.codes"});
}

TEST_CASE("a_recipe_is_refused_by_the_part_that_has_no_kernel") {
  for (const auto& [how, part] : refused_recipes) {
    const status expected{launch_error::format, "how", 0, 0, part};
    CAPTURE(sentence_of(expected));
    CHECK(answer_to<quantize_request>(how) == expected);
    CHECK(answer_to<fake_quantize_request>(how) == expected);
    CHECK(answer_to<decompose_request>(how) == expected);
    CHECK(rotated_answer_to(how) == expected);
    const bool is_read = part != recipe_part::rules;
    CHECK(answer_to<dequantize_request>(how) == (is_read ? expected : status{}));
  }
}

TEST_CASE("orders_of_codes_and_scales_are_refused_where_they_are_stored") {
  for (const auto& [how, part] : unstored_recipes) {
    const status expected{launch_error::format, "how", 0, 0, part};
    CAPTURE(sentence_of(expected));
    CHECK(answer_to<quantize_request>(how) == expected);
    CHECK(answer_to<dequantize_request>(how) == expected);
    CHECK(rotated_answer_to(how) == expected);
    CHECK(answer_to<fake_quantize_request>(how).is_done());
    CHECK(answer_to<decompose_request>(how).is_done());
  }
  const recipe wide{.rules = {block_formats::mxfp8_e4m3}, .codes = {code_packing::unpacked}};
  CHECK(answer_to<quantize_request>(wide).is_done());  // they are one a byte in every order
}

TEST_CASE("what_the_core_refuses_has_no_kernel") {
  const block_format row_of_tile{formats::e2m1,           formats::ue4m3,         16, 16,
                                 scale_precision::stored, tensor_scaling::per_row};
  const recipe refused[] = {
      {.rules = {block_formats::nvfp4_2d, scale_rule::ideal}, .passes = passes::twice},
      {.rules = {block_formats::mxfp4, scale_rule::ceil}, .preset = 0},
      {.rules = {{formats::e2m1, formats::e8m0, 1, 5}},
       .codes = {code_packing::packed, nibble_order::split_half}},
      {.rules = {row_of_tile, scale_rule::ideal}},
      {.corrections = {.alpha = INFINITY}}};
  for (const recipe& how : refused) {
    CHECK((mx::refusal_of(how) != mx::recipe_refusal::none ||
           storage_refusal_of(how) != mx::recipe_refusal::none));
    CHECK(answer_to<quantize_request>(how).part != recipe_part::none);
    CHECK(rotated_answer_to(how).part != recipe_part::none);
  }
}

TEST_CASE("the_first_part_of_several_is_named") {
  recipe how{.preset = 0};
  how.passes = passes::twice;
  CHECK(answer_to<quantize_request>(how).part == recipe_part::preset);
  how.preset = no_preset;
  how.codes = high_first;
  CHECK(answer_to<quantize_request>(how).part == recipe_part::passes);
}

TEST_CASE("a_refused_part_is_said_in_the_words_of_the_recipe") {
  const auto sentence = [](const recipe& how) {
    return sentence_of(how, answer_to<quantize_request>(how));
  };
  CHECK(sentence({}) == "launched");
  CHECK(sentence({.passes = passes::twice}) ==
        "mxfp4+double: how has two passes, which are on the host only; quantize once");
  CHECK(sentence({.rules = {block_formats::mxfp8_e4m3, scale_rule::static_four}}) ==
        "mxfp8-e4m3: " + sentence_of(refusal::needs_e2m1));
  const recipe wide = unstored_recipes[3].how;
  CHECK(sentence(wide) ==
        format_word(wide) + ": " + sentence_of(wide, mx::recipe_refusal::wide_layout));
}

TEST_CASE("every_answer_has_a_sentence") {
  for (int error = 0; error <= static_cast<int>(launch_error::cuda); ++error) {
    const std::string sentence = sentence_of({static_cast<launch_error>(error), "subject", 16, 35});
    CHECK(!sentence.empty());
    CHECK((error == 0 || sentence.find("subject") != std::string::npos));
  }
}

TEST_CASE("every_part_of_a_recipe_has_a_sentence_of_its_own") {
  std::set<std::string> sentences;
  for (int part = 1; part <= static_cast<int>(recipe_part::rules); ++part) {
    sentences.insert(
        sentence_of({launch_error::format, "how", 0, 0, static_cast<recipe_part>(part)}));
  }
  CHECK(sentences.size() == static_cast<std::size_t>(recipe_part::rules));
  CHECK(sentences.count("how has ") == 0);
}
