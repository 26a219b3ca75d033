// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_list.h: builds the table of cases, each named after its contents.
#pragma once
#include "case_table.h"
#include "mx/block/names.h"
#include "value_names.h"

namespace mx::kernels {

inline constexpr named_value<number_type> type_names[] = {
    {number_type::fp32, "fp32"}, {number_type::fp16, "fp16"}, {number_type::bf16, "bf16"}};
inline constexpr named_value<wanted> result_names[] = {
    {wanted::rows, "rows"}, {wanted::columns, "columns"}, {wanted::both, "both"}};
inline constexpr named_value<rotation_signs> sign_names[] = {{rotation_signs::none, "plus"},
                                                             {rotation_signs::fixed, "fixed"},
                                                             {rotation_signs::random, "random"}};

inline std::string name_of(const quantization& how) {
  return name_in(block_format_table, how.format) + "." + name_in(scale_rule_table, how.rule) + "." +
         name_in(rounding_table, how.rounding);
}

inline std::string name_of(const matrix_shape& shape) {
  return std::to_string(shape.rows) + "x" + std::to_string(shape.columns);
}

class case_list {
 public:
  void quantize(const quantization& how, number_type type, const matrix_shape& shape,
                scale_layout layout, wanted results, std::string_view kernels) {
    add({"quantize." + name_of(how), operation::quantize, how, type, shape, layout, results,
         kernels},
        "." + name_in(scale_layout_table, layout) + "." + name_in(result_names, results));
  }
  void dequantize(const block_format& format, number_type type, const matrix_shape& shape,
                  std::string_view kernels) {
    add({.name = "dequantize." + name_in(block_format_table, format),
         .what = operation::dequantize,
         .how = {format},
         .type = type,
         .shape = shape,
         .kernels = kernels});
  }
  void fake_quantize(const quantization& how, number_type type, const matrix_shape& shape,
                     std::string_view kernels) {
    add_of_rows("fake_quantize.", operation::fake_quantize, how, type, shape, kernels);
  }
  void rotate_quantize(const rotation& by, const quantization& how, number_type type,
                       const matrix_shape& shape, std::string_view kernels) {
    const std::string name =
        "rotate_quantize." + std::to_string(by.size) + "." + name_in(sign_names, by.signs) + ".";
    add_of_rows(name, operation::rotate_quantize, how, type, shape, kernels);
    cases_.back().by = by;
  }
  void decompose(const quantization& how, number_type type, const matrix_shape& shape,
                 std::string_view kernels) {
    add_of_rows("decompose.", operation::decompose, how, type, shape, kernels);
  }
  [[nodiscard]] const std::vector<kernel_case>& cases() const { return cases_; }

 private:
  void add_of_rows(const std::string& name, operation what, const quantization& how,
                   number_type type, const matrix_shape& shape, std::string_view kernels) {
    add({name + name_of(how), what, how, type, shape, scale_layout::linear, wanted::rows, kernels});
  }
  /// With the names of its type and shape, and the rest of the name.
  void add(kernel_case one, const std::string& rest = {}) {
    one.name += "." + name_in(type_names, one.type) + "." + name_of(one.shape) + rest;
    cases_.push_back(std::move(one));
  }

  std::vector<kernel_case> cases_;
};

}  // namespace mx::kernels
