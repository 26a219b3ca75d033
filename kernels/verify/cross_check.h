// SPDX-License-Identifier: Apache-2.0
// kernels/verify/cross_check.h: one driver for all cases: a backend's results against the core's,
// every byte; differences are reported and stored.
#pragma once
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <ostream>

#include "case_progress.h"
#include "case_table.h"
#include "corrected_cases.h"
#include "golden_blocks.h"
#include "grouped_cases.h"
#include "product_cases.h"
#include "value_cases.h"
#include "word_products.h"

namespace mx::kernels {

/// A backend: a device, the bodies on the CPU, golden. A result is empty if the backend does not
/// support the case.
///   products   bits of D, a code of the plan's output each
///   corrected  bits of D
///   values     bits of all results (value_cases.h); may be null: supports none
///   groups     bits of every D (grouped_cases.h); may be null
struct backend {
  template <class Case, class Input, class Result>
  using answer = std::function<std::optional<std::vector<Result>>(const Case&, const Input&)>;

  answer<kernel_case, case_input, named_bytes> matrices;
  answer<product_case, product_input, std::uint32_t> products;
  answer<corrected_case, corrected_input, std::uint32_t> corrected;
  answer<value_case, value_input, std::uint32_t> values = {};
  answer<grouped_case, grouped_input, std::uint32_t> groups = {};
};

inline const std::string& name_of(const kernel_case& one) { return one.name; }
inline const std::string& name_of(const product_case& one) { return one.name; }
inline const std::string& name_of(const corrected_case& one) { return one.name; }
inline const std::string& name_of(const value_case& one) { return one.name; }
inline const std::string& name_of(const grouped_case& one) { return one.name; }
inline const std::string& name_of(const golden_blocks& one) { return one.one.name; }
inline const std::string& name_of(const word_product& one) { return one.product.name; }

/// A case's result, and its first difference.
struct case_result {
  outcome result = outcome::equal;
  std::string difference;
};

/// The cases to compare, and the destinations of reports.
///   only      cases whose name contains this
///   repro     a folder for write_bundle, unless it has `most_repros` entries
///   out       a line for each case that differs
///   progress  chooses among these, and keeps a record of each; may be null
struct check_options {
  std::string only;
  std::filesystem::path repro;
  std::ostream* out = nullptr;
  case_progress* progress = nullptr;
  int most_repros = std::numeric_limits<int>::max();
};

struct tally {
  int cases = 0, different = 0, unanswered = 0;

  tally& operator+=(const tally& other);
};

// All of them rethrow what the backend throws, with the case's name prefixed.
tally check(const std::vector<kernel_case>& cases, const backend& by, const check_options& options);
tally check(const std::vector<product_case>& cases, const backend& by,
            const check_options& options);
tally check(const std::vector<corrected_case>& cases, const backend& by,
            const check_options& options);
tally check(const std::vector<value_case>& cases, const backend& by, const check_options& options);
tally check(const std::vector<grouped_case>& cases, const backend& by,
            const check_options& options);
tally check(const std::vector<golden_blocks>& cases, const backend& by,
            const check_options& options);
tally check(const std::vector<word_product>& cases, const backend& by,
            const check_options& options);

}  // namespace mx::kernels
