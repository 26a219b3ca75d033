// SPDX-License-Identifier: Apache-2.0
// tests/kernels/verify/case_kernels_test.cpp: which cases a kernel's breakdowns leave out.
#include "case_kernels.h"

#include <map>
#include <set>
#include <stdexcept>
#include <tuple>

#include "case_progress.h"
#include "catch.h"
#include "gapped_cases.h"
#include "scratch_folder.h"

using namespace mx::kernels;
using mx::number_type;

namespace {

const kernel_case& case_named(const std::vector<kernel_case>& table, const std::string& name) {
  for (const kernel_case& one : table) {
    if (one.name == name) return one;
  }
  throw std::runtime_error("no case " + name);
}

}  // namespace

TEST_CASE("two_failures_of_one_kernel_leave_out_its_cases_and_no_others") {
  const test::scratch_folder folder;
  case_log log(folder / "log");
  case_watch watch(std::chrono::hours(1), [] {});
  case_progress progress("matrices:quantize", log, watch);
  const std::vector<kernel_case> table = case_table();
  const std::string broken =
      kernel_of(case_named(table, "quantize.mxfp4.floor.nearest-even.bf16.39x1024.linear.rows"));
  CHECK(broken == "quantize, rows, mxfp4, bf16");
  std::set<std::string> left_out, others;
  int failures = 0;
  for (const kernel_case& one : table) {
    if (one.what != operation::quantize) continue;
    const std::string kernel = kernel_of(one);
    if (!progress.begins(one.name, kernel)) {
      left_out.insert(kernel);
      continue;
    }
    const bool fails = kernel == broken;
    failures += fails ? 1 : 0;
    others.insert(kernel);
    progress.ends(fails ? outcome::failed : outcome::equal, "");
  }
  CHECK(failures == 2);
  CHECK(left_out == std::set<std::string>{broken});
  for (const char* other : {"quantize, rows, mxfp4, fp32", "quantize, wide rows, nvfp4, bf16",
                            "quantize, wide rows, mxfp4, bf16", "quantize, tiles, mxfp4, bf16",
                            "quantize, blocks of tiles, bf16"}) {
    CHECK(others.count(other) == 1);
  }
}

TEST_CASE("kernels_that_a_launcher_chooses_among_are_told_apart") {
  std::map<std::string, std::set<std::tuple<operation, std::string_view, number_type>>> served;
  for (const auto& table : {case_table(), gapped_case_table()}) {
    for (const kernel_case& one : table) {
      served[kernel_of(one)].insert({one.what, one.kernels, one.type});
    }
  }
  for (const auto& [kernel, chosen] : served) {
    INFO(kernel);
    CHECK(chosen.size() == 1);
  }
  CHECK(kernel_of(gemm_kernel::wgmma_e4m3) == "gemm, wgmma_e4m3");
  CHECK(kernel_of(corrected_table().front()).starts_with("gemm_corrected, "));
  CHECK(kernel_of(value_table().front()) == "multiply");
  CHECK(kernel_of(grouped_table().front()).starts_with("gemm_grouped, "));
}
