// SPDX-License-Identifier: Apache-2.0
// kernels/verify/case_groups.cpp: the tables, and the division of each.
#include "case_groups.h"

#include <algorithm>
#include <cctype>

#include "gapped_cases.h"
#include "large_cases.h"
#include "user_cases.h"

namespace mx::kernels {
namespace {

template <class Case>
table_of_cases table_of(const std::string& name, case_size size, case_owner owner,
                        const std::function<std::vector<Case>()>& of_ours) {
  const auto cases = [of_ours, owner] {
    return owner == case_owner::ours ? of_ours() : user_cases(of_ours());
  };
  const auto names = [cases] {
    std::vector<std::string> all;
    for (const Case& one : cases()) all.push_back(name_of(one));
    return all;
  };
  const auto run = [cases, name](const std::string& group, const backend& by,
                                 const check_options& how) {
    std::vector<Case> chosen = cases();
    std::erase_if(chosen, [&](const Case& one) { return group_of(name, name_of(one)) != group; });
    return check(chosen, by, how);
  };
  return {name, size, names, run};
}

bool is_shape(const std::string& word) {
  return !word.empty() && std::isdigit(static_cast<unsigned char>(word.front())) != 0 &&
         word.find('x') != std::string::npos;
}

/// The first word; of products all words before the shape.
std::string subject_of(const std::string& name) {
  std::size_t end = name.find('.');
  if (name.compare(0, end, "gemm") != 0) return name.substr(0, end);
  while (end != std::string::npos) {
    const std::size_t next = name.find('.', end + 1);
    if (is_shape(name.substr(end + 1, next - end - 1))) break;
    end = next;
  }
  return name.substr(0, end);
}

}  // namespace

std::string group_of(const std::string& table, const std::string& case_name) {
  return table + ":" + subject_of(case_name);
}

std::vector<std::string> groups_of(const table_of_cases& table) {
  std::vector<std::string> groups;
  for (const std::string& name : table.names()) {
    std::string group = group_of(table.name, name);
    if (std::find(groups.begin(), groups.end(), group) == groups.end()) {
      groups.push_back(std::move(group));
    }
  }
  return groups;
}

std::vector<table_of_cases> tables_of_cases(const std::filesystem::path& golden, case_owner owner) {
  constexpr case_size small = case_size::small, large = case_size::large;
  std::vector<table_of_cases> all = {
      table_of<kernel_case>("matrices", small, owner, case_table),
      table_of<kernel_case>("gapped-matrices", small, owner, gapped_case_table),
      table_of<product_case>("products", small, owner, product_table),
      table_of<product_case>("gapped-products", small, owner, gapped_product_table),
      table_of<corrected_case>("corrected", small, owner, corrected_table),
      table_of<grouped_case>("grouped-products", small, owner, grouped_table),
      table_of<value_case>("values", small, owner, value_table)};
  if (std::filesystem::is_directory(golden / "dot")) {
    all.push_back(table_of<word_product>("golden-words", small, owner, [golden] {
      return word_products_of(golden::words::words_in(golden / "dot")).products;
    }));
    all.push_back(table_of<golden_blocks>("golden-blocks", small, owner, [golden] {
      return golden_blocks_of(golden::words::blocks_in(golden / "blocks"));
    }));
  }
  all.push_back(table_of<product_case>("deep-products", large, owner, deep_product_table));
  all.push_back(table_of<kernel_case>("large-matrices", large, owner, large_case_table));
  all.push_back(table_of<product_case>("large-products", large, owner, large_product_table));
  all.push_back(table_of<corrected_case>("large-corrected", large, owner, large_corrected_table));
  all.push_back(table_of<value_case>("large-values", large, owner, large_value_table));
  return all;
}

}  // namespace mx::kernels
