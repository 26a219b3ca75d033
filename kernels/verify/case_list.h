// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_list.h: builds the table of cases, each named after its contents.
#pragma once
#include "case_table.h"
#include "mx/block/names.h"

namespace mx::kernels {

inline constexpr std::string_view type_names[] = {"fp32", "fp16", "bf16"};

inline std::string name_of(number_type type) {
  return std::string(type_names[static_cast<std::size_t>(type)]);
}

template <class Table, class Value>
[[nodiscard]] std::string name_in(const Table& table, const Value& value) {
  for (const auto& entry : table) {
    if (entry.value == value) return std::string(entry.name);
  }
  return "own";
}

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
    constexpr std::string_view lines[] = {"rows", "columns", "both"};
    const std::string name = "quantize." + name_of(how) + "." + name_of(type) + "." +
                             name_of(shape) + "." + name_in(scale_layout_table, layout) + "." +
                             std::string(lines[static_cast<std::size_t>(results)]);
    cases_.push_back({name, operation::quantize, how, type, shape, layout, results, kernels});
  }
  void dequantize(const block_format& format, number_type type, const matrix_shape& shape,
                  std::string_view kernels) {
    cases_.push_back({"dequantize." + name_in(block_format_table, format) + "." + name_of(type) +
                          "." + name_of(shape),
                      operation::dequantize,
                      {format},
                      type,
                      shape,
                      scale_layout::linear,
                      wanted::rows,
                      kernels});
  }
  void fake_quantize(const quantization& how, number_type type, const matrix_shape& shape,
                     std::string_view kernels) {
    cases_.push_back({"fake_quantize." + name_of(how) + "." + name_of(type) + "." + name_of(shape),
                      operation::fake_quantize, how, type, shape, scale_layout::linear,
                      wanted::rows, kernels});
  }
  void rotate_quantize(const rotation& by, const quantization& how, number_type type,
                       const matrix_shape& shape, std::string_view kernels) {
    constexpr std::string_view signs[] = {"plus", "fixed", "random"};
    const std::string name = "rotate_quantize." + std::to_string(by.size) + "." +
                             std::string(signs[static_cast<std::size_t>(by.signs)]) + "." +
                             name_of(how) + "." + name_of(type) + "." + name_of(shape);
    cases_.push_back({name, operation::rotate_quantize, how, type, shape, scale_layout::linear,
                      wanted::rows, kernels, by});
  }
  void decompose(const quantization& how, number_type type, const matrix_shape& shape,
                 std::string_view kernels) {
    cases_.push_back({"decompose." + name_of(how) + "." + name_of(type) + "." + name_of(shape),
                      operation::decompose, how, type, shape, scale_layout::linear, wanted::rows,
                      kernels});
  }
  [[nodiscard]] const std::vector<kernel_case>& cases() const { return cases_; }

 private:
  std::vector<kernel_case> cases_;
};

}  // namespace mx::kernels
