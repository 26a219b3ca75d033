// SPDX-License-Identifier: Apache-2.0
// sim/policy/product_results.cpp: see product_results.h.
#include "sim/policy/product_results.h"

#include "sim/policy/row_functions.h"

namespace sim {
namespace {

/// Of the rows that a linear multiplies.
std::vector<std::uint64_t> token_numbers(const computed_sequences& of, const draw_key& key,
                                         const product_place& at) {
  std::vector<std::uint64_t> all, numbers;
  for (int i = 0; i < std::ssize(of.done.batch()); ++i) {
    const int length = of.done.first_row(i + 1) - of.done.first_row(i);
    for (int t = 0; t < length; ++t)
      all.push_back(token_number(key, of.done.first_sequence() + i, t));
  }
  for (const int row : of.done.rows_of(at)) numbers.push_back(all[static_cast<std::size_t>(row)]);
  return numbers;
}

weight_view weight_of(const computed_sequences& of, const product_place& at) {
  const parameter& p = of.table.at(at);
  return {of.weights.data() + p.offset, p.rows, p.columns, at};
}

std::vector<float> row_results(const computed_sequences& of, const pass_products& products,
                               const product_place& left, const operand_view& x,
                               const weight_factor& w) {
  const std::vector<std::uint64_t> tokens = token_numbers(of, products.key, left);
  std::vector<float> results(matrix_size(x.rows, w.n));
  multiply(products, left, {x.rows, x.data, x.stride, tokens.data()}, w, results.data());
  return results;
}

/// Adds product i as the only leaf of a tree.
void add_product(const pass_format& wgrad, const parameter& w, const token_operand& dy,
                 const token_operand& x, int i, float* out) {
  if (wgrad.multiplies_values()) {
    const mx::outer_product product{dy.k(i), dy.values(i), x.values(i)};
    bulk_products().add(
        {{&product, 1}, 0, w.rows, 0, w.rows, w.columns, dy.stride(), x.stride(), &out});
    return;
  }
  const mx::coded_outer_product product = coded_product(dy, x, i);
  mx::coded_leaves(plan_of(wgrad), w.rows, w.columns, {&product, 1}).add(0, 0, w.rows, &out);
}

std::vector<float> weight_results(const computed_sequences& of, const pass_products& wgrad,
                                  const product_place& at) {
  const int sequences = wgrad.format.sequences;
  const parameter& w = of.table.at(at);
  const std::vector<int> first_row = of.done.product_rows(sequences, at);
  const std::vector<std::uint64_t> tokens = token_numbers(of, wgrad.key, at);
  const contraction_rows rows{first_row, of.done.first_sequence() / sequences, tokens};
  const decoder_operand of_dy = of.done.output_gradient_of(at), of_x = of.done.input_of(at);
  token_operand dy, x;
  dy.take(wgrad, operand_role::data, at, of_dy, rows);
  x.take(wgrad, operand_role::other, owner_of_input(at), of_x, rows);
  std::vector<float> results(matrix_size(rows.count(), static_cast<int>(w.count())));
  for (int i = 0; i < rows.count(); ++i) {
    dy.quantize(i);
    x.quantize(i);
    add_product(wgrad.format_at(at), w, dy, x, i, results.data() + i * w.count());
  }
  return results;
}

}  // namespace

std::vector<float> product_results(const computed_sequences& of, const step_arithmetic& a, pass p,
                                   const product_place& at) {
  const pass_products products = a.of(p);
  const weight_view w = weight_of(of, at);
  switch (p) {
    case pass::rollout:
    case pass::forward:
      return row_results(of, products, owner_of_input(at), of.done.input_of(at),
                         forward_factor(products, {&w, 1}));
    case pass::dgrad:
      return row_results(of, products, at, of.done.output_gradient_of(at),
                         backward_factor(products, w));
    case pass::wgrad:
      break;
  }
  return weight_results(of, products, at);
}

}  // namespace sim
