// SPDX-License-Identifier: Apache-2.0
// tests/kernels/requests_test.cpp: requests refused before a launch, and their messages.
#include "requests.h"

#include <vector>

#include "catch.h"

using namespace mx;
using namespace mx::kernels;

namespace {

/// A request that is in order, and the memory it names.
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
  no_tensor.request.how = {block_formats::nvfp4, scale_rule::ideal};
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
    bad.request.how.format = f;
    CHECK(answer_to(bad.request) == "this block format has no kernel");
  }
  sound_request refused, layout;
  refused.request.how = {block_formats::mxfp4, scale_rule::floor, rounding::stochastic, {1, 25}};
  CHECK(answer_to(refused.request) == "this quantization has no kernel");
  layout.request.how = {block_formats::fp8_1x128, scale_rule::ideal};
  layout.request.layout = scale_layout::blocked_128x4;
  CHECK(answer_to(layout.request) == "a layout of scales wider than a byte has no kernel");
}

TEST_CASE("fake_quantization_may_be_in_place_but_not_half") {
  std::vector<float> x(64);
  fake_quantize_request request{{}, number_type::fp32, {1, 32}, x.data(), nullptr, x.data()};
  CHECK(checked(request).is_done());
  request.out = x.data() + 4;
  CHECK(sentence_of(checked(request)).find("out overlaps") == 0);
}

TEST_CASE("blocks_of_several_rows_have_sizes_of_their_own") {
  const coded_size size = size_of(block_formats::nvfp4_2d, scale_layout::linear, 33, 40);
  CHECK(size.blocks_a_line == 3);
  CHECK(size.lines_of_blocks == 3);
  CHECK(size.line_bytes == 24);
  CHECK(size.code_bytes == 33 * 24);
  CHECK(size.scale_bytes == 9);
  sound_request sound;  // 32 x 32: four blocks, 512 bytes of codes
  sound.request.how = {block_formats::nvfp4_2d, scale_rule::ideal};
  const float tensor = 1;
  sound.request.tensor_scale = &tensor;
  CHECK(answer_to(sound.request) == "launched");
  sound.request.columns.scales = static_cast<char*>(sound.request.rows.scales) + 3;
  CHECK(answer_to(sound.request).find("overlaps") != std::string::npos);
  sound.request.columns.scales = static_cast<char*>(sound.request.rows.scales) + 4;
  CHECK(answer_to(sound.request) == "launched");
  CHECK(shares_of(block_formats::fp8_128x128, {257, 400}) == 3);
}

TEST_CASE("results_over_the_tensor_scale_are_refused_where_the_format_has_one") {
  std::vector<float> memory(64);
  std::vector<std::uint8_t> coded(64);
  dequantize_request back{block_formats::nvfp4, {1, 32},      coded.data(),
                          &coded[32],           &memory[3],   scale_layout::linear,
                          number_type::fp32,    memory.data()};
  CHECK(sentence_of(checked(back)).find("out overlaps") == 0);
  back.tensor_scale = &memory[32];
  CHECK(checked(back).is_done());
  back.format = block_formats::mxfp4, back.tensor_scale = &memory[3];
  CHECK(checked(back).is_done());
  fake_quantize_request both{{block_formats::nvfp4, scale_rule::ideal},
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
  codes.request.how = {block_formats::nvfp4, scale_rule::ideal};
  CHECK(answer_to(codes.request).find("rows.codes overlaps") == 0);
}

TEST_CASE("nothing_is_launched_of_empty_matrices_whatever_their_pointers") {
  const auto is_done_of = [](auto request, const matrix_shape& shape) {
    request.shape = shape;
    return checked(request).is_done();
  };
  dequantize_request back;
  back.format = block_formats::mxfp4;
  for (const matrix_shape& shape : {matrix_shape{0, 32}, {32, 0}, {0, 0}}) {
    CHECK(is_done_of(quantize_request{}, shape));
    CHECK(is_done_of(back, shape));
    CHECK(is_done_of(fake_quantize_request{}, shape));
    CHECK(is_done_of(decompose_request{}, shape));
    rotate_quantize_request rotated{{16}, {}};
    rotated.to.shape = shape;
    CHECK(checked(rotated).is_done());
  }
}

TEST_CASE("matrices_of_more_than_2_to_the_31_elements_are_served") {
  const std::int64_t line = std::int64_t{1} << 32;
  CHECK(size_of(block_formats::mxfp4, scale_layout::linear, 1, line).code_bytes == line / 2);
  CHECK(shares_of(block_formats::mxfp4, {4, line}) == line * 4 / 65536);
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
  refused.how.format = {formats::e4m3, formats::e8m0, 128, 129};
  CHECK(sentence_of(checked(refused)) == "this block format has no kernel");
  odd.sum = reinterpret_cast<error_energy*>(reinterpret_cast<char*>(&space[1]) + 4);
  CHECK(sentence_of(checked(odd)).find("sum is not aligned") == 0);
  CHECK(shares_of(block_formats::mxfp4, {-1, 32}) == 0);
  CHECK(shares_of(block_formats::mxfp4, {2049, 32}) == 2);
}

TEST_CASE("rotations_take_rows_of_whole_rotations_and_blocks") {
  sound_request sound;
  sound.request.columns = {};
  const auto answer = [&sound](int size, const quantization& how, std::int64_t columns) {
    quantize_request to = sound.request;
    to.how = how;
    to.shape = {8, columns};
    return sentence_of(checked({{size}, to}));
  };
  const quantization mxfp4{};
  CHECK(answer(16, mxfp4, 32) == "launched");
  CHECK(answer(0, mxfp4, 31) == "launched");
  CHECK(answer(24, mxfp4, 32) == "this rotation has no kernel");
  CHECK(answer(64, mxfp4, 32) == "columns must be a multiple of 64");
  CHECK(answer(16, mxfp4, 16) == "columns must be a multiple of 32");
  CHECK(answer(16, {{formats::e2m1, formats::e8m0, 1, 24}}, 48) ==
        "a rotation of parts of blocks has no kernel");
  CHECK(answer(16, {{formats::e2m1, formats::e8m0, 2, 16}}, 32) ==
        "a rotation of blocks of several rows has no kernel");
  CHECK(sentence_of(checked(rotate_quantize_request{{16}, sound_request().request})) ==
        "columns of a rotated matrix has no kernel");
}

TEST_CASE("every_answer_has_a_sentence") {
  for (int error = 0; error <= static_cast<int>(launch_error::cuda); ++error) {
    const std::string sentence = sentence_of({static_cast<launch_error>(error), "subject", 16, 35});
    CHECK(!sentence.empty());
    CHECK((error == 0 || sentence.find("subject") != std::string::npos));
  }
}
