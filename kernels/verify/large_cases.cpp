// SPDX-License-Identifier: Apache-2.0
// kernels/verify/large_cases.cpp: the large cases.
#include "large_cases.h"

#include "case_list.h"

namespace mx::kernels {
namespace {

constexpr matrix_shape large{4096, 4096};
constexpr scale_layout linear = scale_layout::linear, blocked = scale_layout::blocked_128x4;

void add_quantizers(case_list& list, number_type type) {
  const quantization nearest{block_formats::mxfp4, scale_rule::rceil};
  const quantization nvfp4{block_formats::nvfp4, scale_rule::ideal};
  list.quantize(nearest, type, large, blocked, wanted::rows, "rows");
  list.quantize(nearest, type, large, linear, wanted::both, "tiles");
  list.quantize({block_formats::mxfp4, scale_rule::even, rounding::stochastic, {7, 8}}, type, large,
                linear, wanted::rows, "wide rows");
  list.quantize(nvfp4, type, large, blocked, wanted::rows, "wide rows");
  list.quantize({block_formats::mxfp8_e4m3}, type, large, linear, wanted::rows, "blocks");
  list.rotate_quantize({64, rotation_signs::random, 5}, nearest, type, large, "rotated rows");
}

void add_others(case_list& list, number_type type) {
  const quantization nearest{block_formats::mxfp4, scale_rule::rceil};
  list.dequantize(block_formats::mxfp4, type, large, "rows");
  list.dequantize(block_formats::nvfp4, type, large, "blocks");
  list.fake_quantize(nearest, type, large, "rows");
  list.decompose(nearest, type, large, "plain, sum");
}

/// A name with its sizes replaced.
std::string renamed(std::string name, const std::string& from, const std::string& to) {
  return name.replace(name.find(from), from.size(), to);
}

}  // namespace

std::vector<kernel_case> large_case_table() {
  case_list list;
  for (const number_type type : {number_type::fp32, number_type::fp16, number_type::bf16}) {
    add_quantizers(list, type);
    add_others(list, type);
  }
  return list.cases();
}

std::vector<product_case> large_product_table() {
  std::vector<product_case> table;
  for (product_case one : product_table()) {
    const bool is_smallest = one.name.find(".1x1x32.") != std::string::npos;
    if (!is_smallest || (one.kind != scales::near && one.kind != scales::far)) continue;
    one.shape = {512, 512, 512};
    one.name = renamed(one.name, "1x1x32", "512x512x512");
    table.push_back(one);
  }
  return table;
}

std::vector<corrected_case> large_corrected_table() {
  std::vector<corrected_case> table;
  for (corrected_case one : corrected_table()) {
    if (one.shape.m != 1 || one.span != 128 || one.kind != scales::near) continue;
    one.shape = {256, 256, 512};
    one.name = renamed(one.name, "1x1x32", "256x256x512");
    table.push_back(one);
  }
  return table;
}

}  // namespace mx::kernels
