// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_groups.h: all cases of mx_verify by groups: a table, and within it an
// operation or an arithmetic, with all of its kernels.
#pragma once
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "cross_check.h"

namespace mx::kernels {

enum class case_size : std::uint8_t { small, large };

/// Whose kernels compute the cases: ours, or those of a user's library (user_cases.h).
enum class case_owner : std::uint8_t { ours, library };

/// Cases of one type, made when they are needed.
///   names  of all
///   run    those of a group
struct table_of_cases {
  std::string name;
  case_size size = case_size::small;
  std::function<std::vector<std::string>()> names;
  std::function<tally(const std::string& group, const backend& by, const check_options& how)> run;
};

///   golden  folder of golden's words and blocks; left out if it has none
[[nodiscard]] std::vector<table_of_cases> tables_of_cases(const std::filesystem::path& golden,
                                                          case_owner owner);

/// "TABLE:OPERATION", such as "matrices:quantize" or "products:gemm.fp32.sequential.mxfp4".
[[nodiscard]] std::string group_of(const std::string& table, const std::string& case_name);

/// Names of a table's groups, in the order of their first cases.
[[nodiscard]] std::vector<std::string> groups_of(const table_of_cases& table);

}  // namespace mx::kernels
