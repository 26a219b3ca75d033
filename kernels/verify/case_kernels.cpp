// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_kernels.cpp: see case_kernels.h.
#include "case_kernels.h"

#include "case_list.h"
#include "kernel_names.h"

namespace mx::kernels {
namespace {

constexpr named_value<operation> operation_names[] = {
    {operation::quantize, "quantize"},
    {operation::dequantize, "dequantize"},
    {operation::fake_quantize, "fake_quantize"},
    {operation::rotate_quantize, "rotate_quantize"},
    {operation::decompose, "decompose"}};
constexpr named_value<value_operation> value_operation_names[] = {
    {value_operation::multiply, "multiply"},
    {value_operation::add_leaves, "add_leaves"},
    {value_operation::add_products, "add_products"}};
constexpr named_value<product_grouping> grouping_names[] = {
    {product_grouping::grouped, "gemm_grouped"}, {product_grouping::batched, "gemm_batched"}};

/// Whether the kernels of a case are the core's code, which serves every format.
bool is_of_core(std::string_view kernels) {
  return kernels.find("blocks") != std::string_view::npos || kernels.starts_with("core");
}

std::string product_kernel(std::string_view launcher, gemm_kernel kernel) {
  return std::string(launcher) + ", " + name_in(kernel_names, kernel);
}

}  // namespace

std::string kernel_of(const kernel_case& one) {
  std::string text = name_in(operation_names, one.what) + ", ";
  text += one.kernels.empty() ? "any" : one.kernels;
  if (!is_of_core(one.kernels)) text += ", " + name_in(block_format_table, one.how.format);
  return text + ", " + name_in(type_names, one.type);
}

std::string kernel_of(gemm_kernel kernel) { return product_kernel("gemm", kernel); }

std::string kernel_of(const product_case& one) { return kernel_of(one.kernel); }

std::string kernel_of(const corrected_case& one) {
  return product_kernel("gemm_corrected", one.kernel);
}

std::string kernel_of(const value_case& one) { return name_in(value_operation_names, one.what); }

std::string kernel_of(const grouped_case& one) {
  return product_kernel(name_in(grouping_names, one.grouping), one.products.front().kernel);
}

std::string kernel_of(const golden_blocks& one) { return kernel_of(one.one); }

std::string kernel_of(const word_product& one) { return kernel_of(one.product); }

}  // namespace mx::kernels
