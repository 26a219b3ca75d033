// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/plan_options.cpp: how the elements of a product are computed.
#include "sim/cli/products/plan_options.h"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cmath>
#include <cstdlib>

#include "mx/dot/plan_names.h"
#include "mx/spelling.h"
#include "sim/cli/terminal/exact_text.h"
#include "sim/cli/terminal/named_option.h"

namespace sim::cli {
namespace {

constexpr std::array matrix_order_table{
    mx::named<matrix_order>{matrix_order::row_major, "row-major", "(rows, columns)"},
    mx::named<matrix_order>{matrix_order::column_major, "column-major", "(columns, rows)"}};

std::string out_roundings() {
  return fmt::format("{}", fmt::join(mx::names_of_table(mx::output_rounding_table), " "));
}

/// --alpha as the nearest FP32 number; refuses what FP32 rounds to Inf or zero.
float typed_alpha(const std::string& text) {
  char* end = nullptr;
  errno = 0;
  const float alpha = std::strtof(text.c_str(), &end);
  if (end == text.c_str() || *end != '\0') throw usage_error("--alpha {}: expected a number", text);
  const bool beyond = errno == ERANGE && (std::isinf(alpha) || alpha == 0);
  if (!beyond) return alpha;
  throw usage_error("--alpha {}: expected a number in FP32's range; it would become {}", text,
                    alpha == 0 ? "zero" : "Inf");
}

mx::product_formats formats_of(const gemm_factor& a, const gemm_factor& b) {
  if (a.block != b.block || a.scale != b.scale) {
    throw usage_error(
        "A is in {} and B in {}; a product takes one block size and scale format for both", a.name,
        b.name);
  }
  return {a.element, b.element, a.scale, a.block};
}

void add_order_option(CLI::App& command, const std::string& name, const char* what,
                      matrix_order& order) {
  command
      .add_option_function<std::string>(
          name,
          [name, &order](const std::string& typed) {
            order = option_named(matrix_order_table, "order", name, typed);
          },
          what)
      ->type_name("NAME");
}

/// The option that a refusal is about.
const char* option_of(mx::gemm_refusal why) {
  switch (why) {
    case mx::gemm_refusal::none:
    case mx::gemm_refusal::c_format:
      return "--model";
    case mx::gemm_refusal::promote:
      return "--promote";
    case mx::gemm_refusal::split_k:
      return "--split-k";
    case mx::gemm_refusal::result:
      return "--promote, --split-k";
    case mx::gemm_refusal::output:
      return "--out";
    case mx::gemm_refusal::rounding:
      break;
  }
  return "--out-rounding";
}

void expect_plan(const mx::gemm_plan& p) {
  const mx::gemm_refusal why = mx::refusal_of(p);
  if (why == mx::gemm_refusal::none) return;
  throw usage_error("{}: {}", option_of(why), mx::sentence_of(why, p));
}

}  // namespace

void add_plan_options(CLI::App& command, plan_options& options) {
  add_value(command, "--alpha", options.alpha, "X", "Multiplies the sums, in FP32 (default 1)");
  add_value(command, "--promote", options.promote, "N",
            "Add the sum of every N of K to an FP32 sum (default 0: none)")
      ->check(CLI::Range(0, 1 << 30));
  add_value(command, "--split-k", options.split_k, "N",
            "Cut K into N parts, whose sums are added in FP32 (default 1)")
      ->check(CLI::Range(1, mx::gemm_plan::most_parts));
  add_value(command, "--split-order", options.split_order, "NAME",
            "Order of that addition: ascending (default) or pairwise");
  add_value(command, "--c-entry", options.c_entry, "NAME",
            "Where C enters: first-step (default), or epilogue, after alpha");
  add_value(command, "--out", options.out, "NAME",
            "Type of D: f32 f16 bf16 (default: the model's)");
  add_value(command, "--out-rounding", options.out_rounding, "NAME",
            "Rounding of D (default nearest-even): " + out_roundings());
  add_order_option(command, "--a-order", "Storage order of A: row-major (default) column-major",
                   options.a_order);
  add_order_option(command, "--b-order", "Storage order of B", options.b_order);
  add_order_option(command, "--d-order", "Storage order of C and D", options.d_order);
}

mx::sum_factors factors_of(const plan_options& o, const gemm_factor& a, const gemm_factor& b) {
  return {o.alpha ? typed_alpha(*o.alpha) : 1.0F, a.tensor_scale.value_or(1),
          b.tensor_scale.value_or(1)};
}

mx::gemm_plan plan_of(const mx::named_model& model, const plan_options& o, const gemm_factor& a,
                      const gemm_factor& b) {
  mx::gemm_plan plan{.model = model_of_operands(model, formats_of(a, b))};
  plan.promote = o.promote;
  plan.split_k = o.split_k;
  plan.split_order = option_named(mx::split_order_table, "order", "--split-order", o.split_order);
  plan.c_entry = option_named(mx::c_entry_table, "place of C", "--c-entry", o.c_entry);
  plan.alpha = mx::combined(factors_of(o, a, b));
  plan.output = o.out ? numbers_named("--out", *o.out) : plan.model.sum.result;
  if (o.out_rounding) {
    plan.output_rounding =
        option_named(mx::output_rounding_table, "rounding of D", "--out-rounding", *o.out_rounding);
  }
  expect_plan(plan);
  return plan;
}

std::string order_name(matrix_order order) {
  return std::string(mx::name_in(matrix_order_table, order));
}

ordered_json plan_json(const mx::gemm_plan& p) {
  return {{"promote", p.promote},
          {"split_k", p.split_k},
          {"split_order", mx::name_in(mx::split_order_table, p.split_order)},
          {"c_entry", mx::name_in(mx::c_entry_table, p.c_entry)},
          {"alpha", json_number(static_cast<double>(p.alpha))},
          {"alpha_bits", hex_text(p.alpha)},
          {"out", mx::number_format_name(p.output)},
          {"out_rounding", mx::name_in(mx::rounding_table, p.output_rounding)}};
}

}  // namespace sim::cli
