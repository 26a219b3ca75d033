// SPDX-License-Identifier: Apache-2.0
// tests/cross/twins.h: formats, rules, roundings and quantizations, each in the types of both
// sides.
#pragma once
#include <string>
#include <vector>

#include "golden/reference/block_quantizer.h"
#include "mx/block/block_quantizer.h"

namespace cross {

struct format_twins {
  std::string name;
  mx::format core;
  const golden::number_format* reference;
};

struct rule_twins {
  std::string name;
  mx::scale_rule core;
  golden::scale_rule reference;
};

struct rounding_twins {
  std::string name;
  mx::rounding core;
  golden::rounding reference;
};

[[nodiscard]] const std::vector<format_twins>& element_formats();
/// Elements that have no name, drawn from all that can be spelled.
[[nodiscard]] const std::vector<format_twins>& drawn_elements();
/// E8M0, E8M1 to E8M16, UE4M3, UE5M3 and FP32.
[[nodiscard]] const std::vector<format_twins>& scale_formats();
[[nodiscard]] const std::vector<rule_twins>& rules();
/// The stochastic one is the last.
[[nodiscard]] const std::vector<rounding_twins>& roundings();

/// Everything that decides the codes of a block, in the types of either side.
struct quantization_twins {
  format_twins element, scale;
  rule_twins rule;
  rounding_twins rounding = roundings().front();
  mx::scale_precision precision = mx::scale_precision::stored;
  mx::random_source random = {};

  [[nodiscard]] bool is_exact() const { return precision == mx::scale_precision::exact; }
  [[nodiscard]] mx::quantization core(mx::tensor_scaling tensor, int rows, int columns) const;
  [[nodiscard]] golden::quantization reference() const;
  [[nodiscard]] std::string text() const;
};

/// The exact value of a number of the core that is neither NaN nor Inf.
[[nodiscard]] golden::rational magnitude_of(const mx::unpacked& value);

}  // namespace cross
