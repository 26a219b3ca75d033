// SPDX-License-Identifier: Apache-2.0
// sim/sweep/sum_fields.h: the fields of a product's accumulation as axes, by name.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "mx/dot/gemm.h"

namespace sim {

/// "sum_fused", "sum_fraction_bits", ...: fields of mx::accumulation; "promote", "split_k",
/// "split_order": of mx::gemm_plan.
[[nodiscard]] std::vector<std::string_view> sum_field_names();

/// Sets a field.
///   name    one of sum_field_names
///   value   an enumerator's name as in mx/dot/accumulation.h with - for _, or a number
///   errors  input_error with the accepted values
void set_sum_field(mx::gemm_plan& plan, std::string_view name, const std::string& value);

/// The word of a field's value, as set_sum_field takes it.
[[nodiscard]] std::string sum_field_word(const mx::gemm_plan& plan, std::string_view name);

}  // namespace sim
