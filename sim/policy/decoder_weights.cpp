// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_weights.cpp: the weight gradients of the decoder. A tensor scale of an operand
// belongs to one product of one linear (D-046).
#include <tbb/task_arena.h>

#include <algorithm>
#include <memory>

#include "sim/policy/decoder.h"
#include "sim/policy/element_functions.h"
#include "sim/policy/row_functions.h"
#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

/// Rows of one weight for one task.
///   which  product_place::index
struct row_share {
  std::size_t which;
  int begin, end;
};

std::vector<row_share> shares_of(const layer_parameters& layer) {
  constexpr int rows_a_share = 48;
  std::vector<row_share> shares;
  for (std::size_t i = 0; i < layer.linears.size(); ++i) {
    const int rows = layer.linears[i].rows;
    for (int begin = 0; begin < rows; begin += rows_a_share) {
      shares.push_back({i, begin, std::min(rows, begin + rows_a_share)});
    }
  }
  return shares;
}

/// The products of one weight; each is the sum of so many sequences' gradients.
struct weight_products {
  const parameter& weight;
  const token_operand &dy, &x;
  int count, sequences;
};

void add_values(const value_products& by, const weight_products& w, const row_share& share,
                gradient_tree& tree) {
  std::vector<mx::outer_product> leaves;
  for (int i = 0; i < w.count; ++i) leaves.push_back({w.dy.k(i), w.dy.values(i), w.x.values(i)});
  by.add({leaves, tree.added() / w.sequences, w.weight.rows, share.begin, share.end,
          w.weight.columns, w.dy.stride(), w.x.stride(),
          tree.levels_at(w.weight.offset, w.sequences).data()});
}

std::unique_ptr<const leaves_of_codes> leaves_of(const products_of_codes& by,
                                                 const mx::gemm_plan& plan,
                                                 const weight_products& w) {
  std::vector<mx::coded_outer_product> leaves;
  for (int i = 0; i < w.count; ++i) leaves.push_back(coded_product(w.dy, w.x, i));
  return by.leaves(plan, w.weight.rows, w.weight.columns, leaves);
}

/// Adds each sequence's gradient of a norm's weight, or of biases; there may be none.
void add_rows(const std::vector<float>& rows, const parameter& p, gradient_tree& tree) {
  if (rows.empty()) return;
  const int count = static_cast<int>(rows.size()) / p.columns;
  for (int i = 0; i < count; ++i) {
    tree.add_leaf(tree.added() + i, p.offset, p.columns,
                  rows.data() + std::ptrdiff_t{i} * p.columns);
  }
}

}  // namespace

void decoder::take_gradient_operands(const pass_products& wgrad, int layer) {
  const int sequences = wgrad.format.sequences, first = first_sequence_ / sequences;
  const std::vector<product_place> linears = table_.linears_of(layer);
  back_->of_linears.resize(linears.size());
  std::vector<std::uint64_t> numbers;
  if (wgrad.format.source == operand_source::forward) {
    numbers = tokens_of({0, static_cast<int>(batch_.size())}, wgrad.key).numbers;
  }
  for (const product_place& at : linears) {
    wgrad_operands& o = back_->of_linears[at.index()];
    o.first_row = product_rows(sequences, at);
    o.tokens = numbers;
    if (!numbers.empty() && is_mixture_linear(at)) {
      o.tokens.clear();
      for (const int row : rows_of(at)) o.tokens.push_back(numbers.data()[row]);
    }
    const contraction_rows rows{o.first_row, first, o.tokens};
    o.of_data = output_gradient_of(at);
    o.data.take(wgrad, operand_role::data, at, o.of_data, rows);
    if (owner_of_input(at.which) != at.which) continue;
    o.of_other = input_of(at);
    o.other.take(wgrad, operand_role::other, at, o.of_other, rows);
  }
  constexpr int sequences_a_task = 8;
  const int products_a_task = std::max(1, sequences_a_task / sequences);
  const int count = static_cast<int>(batch_.size()) / sequences;
  const int shares = (count + products_a_task - 1) / products_a_task;
  tbb::this_task_arena::isolate([&] {
    whole_loop(shares * std::ssize(linears), [&](std::ptrdiff_t task) {
      const product_place& at = linears[static_cast<std::size_t>(task % std::ssize(linears))];
      wgrad_operands& o = back_->of_linears[at.index()];
      const int begin = static_cast<int>(task / std::ssize(linears)) * products_a_task;
      for (int i = begin; i < std::min(count, begin + products_a_task); ++i) {
        o.data.quantize(i);
        if (owner_of_input(at.which) == at.which) o.other.quantize(i);
      }
    });
  });
}

void decoder::add_linear_gradients(const pass_products& wgrad, int layer, gradient_tree& tree) {
  const int sequences = wgrad.format.sequences;
  const std::vector<product_place> linears = table_.linears_of(layer);
  const auto products_of = [&](const product_place& at) {
    return weight_products{table_.at(at), back_->of_linears[at.index()].data,
                           back_->of_linears[owner_of_input(at).index()].other,
                           static_cast<int>(batch_.size()) / sequences, sequences};
  };
  const std::vector<row_share> shares = shares_of(table_.layer(layer));
  std::vector<std::unique_ptr<const leaves_of_codes>> leaves(linears.size());
  tbb::this_task_arena::isolate([&] {
    whole_loop(std::ssize(linears), [&](std::ptrdiff_t i) {
      const product_place& at = linears[static_cast<std::size_t>(i)];
      const pass_format here = wgrad.format_at(at);
      if (here.multiplies_values()) return;
      leaves[at.index()] = leaves_of(wgrad.by->of_codes(), plan_of(here), products_of(at));
    });
    whole_loop(std::ssize(shares), [&](std::ptrdiff_t i) {
      const row_share& share = shares[static_cast<std::size_t>(i)];
      const weight_products products = products_of(linears[share.which]);
      const auto& coded = leaves[share.which];
      if (!coded) return add_values(*wgrad.by, products, share, tree);
      coded->add(tree.added() / sequences, share.begin, share.end,
                 tree.levels_at(products.weight.offset, sequences).data());
    });
  });
}

void decoder::add_layer_gradients(const pass_products& wgrad, int layer, gradient_tree& tree) {
  take_gradient_operands(wgrad, layer);
  add_linear_gradients(wgrad, layer, tree);
  add_router_gradient(*wgrad.by, layer, tree);
  const layer_parameters& p = table_.layer(layer);
  add_rows(back_->input_norm, p.input_norm, tree);
  add_rows(back_->qkv_bias, p.qkv_bias(), tree);
  add_rows(back_->q_norm, p.q_norm, tree);
  add_rows(back_->k_norm, p.k_norm, tree);
  add_rows(back_->post_norm, p.post_norm, tree);
  tree.complete(static_cast<int>(batch_.size()));
}

void decoder::add_final_norm_gradients(gradient_tree& tree) const {
  add_rows(final_norm_gradients_, table_.final_norm(), tree);
  tree.complete(static_cast<int>(batch_.size()));
}

void decoder::head_gradient(const value_products& by, int sequence, int first, int last,
                            float* gradient) const {
  const int d = table_.shape().width, width = last - first;
  const response_part part{first_outcome_.data()[sequence], first_outcome_.data()[sequence + 1]};
  std::vector<float> dlogits(matrix_size(part.count(), width));
  loss_gradient(part, first, last, dlogits.data());
  const mx::outer_product product{part.count(), dlogits.data(),
                                  final_normed_.data() + std::ptrdiff_t{part.first} * d};
  by.add({{&product, 1}, 0, width, 0, width, d, width, d, &gradient});
}

void decoder::embedding_gradient(const value_products& by, int sequence, int first, int last,
                                 float* gradient) const {
  if (table_.has_own_head()) {
    std::fill_n(gradient, std::ptrdiff_t{last - first} * table_.shape().width, 0.0F);
  } else {
    head_gradient(by, sequence, first, last, gradient);
  }
  add_gathered_gradient(sequence, first, last, gradient);
}

void decoder::add_gathered_gradient(int sequence, int first, int last, float* gradient) const {
  const int d = table_.shape().width;
  const sim::sequence& s = batch_[static_cast<std::size_t>(sequence)];
  const std::ptrdiff_t row = first_row(sequence);
  for (int t = 0; t < s.length(); ++t) {
    const int token = s.tokens.data()[t];
    if (token < first || token >= last) continue;
    add(d, dx_.data() + (row + t) * d, gradient + static_cast<std::ptrdiff_t>(token - first) * d);
  }
}

}  // namespace sim
