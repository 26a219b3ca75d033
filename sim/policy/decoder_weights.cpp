// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_weights.cpp: the weight gradients of the decoder. A tensor scale of an operand
// belongs to one sequence of one linear (D-046).
#include <tbb/task_arena.h>

#include <algorithm>

#include "sim/policy/decoder.h"
#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

/// Rows of one weight for one task.
struct row_share {
  linear which;
  int begin, end;
};

std::vector<row_share> shares_of(const layer_parameters& layer) {
  constexpr int rows_a_share = 48;
  std::vector<row_share> shares;
  for (const linear l : all_linears) {
    const int rows = layer.of(l).rows;
    for (int begin = 0; begin < rows; begin += rows_a_share) {
      shares.push_back({l, begin, std::min(rows, begin + rows_a_share)});
    }
  }
  return shares;
}

/// The first linear with the same X.
linear owner_of_input(linear l) {
  if (l == linear::k || l == linear::v) return linear::q;
  return l == linear::up ? linear::gate : l;
}

}  // namespace

void decoder::take_gradient_operands(const pass_products& wgrad, int layer) {
  const sequence_rows rows{first_row_, first_sequence_};
  for (const linear l : all_linears) {
    const auto at = static_cast<std::size_t>(l);
    gradient_operands_[at].take(wgrad, operand_role::data, {layer, l}, output_gradient_of(layer, l),
                                rows);
    if (owner_of_input(l) != l) continue;
    input_operands_[at].take(wgrad, operand_role::other, {layer, l}, input_of(layer, l), rows);
  }
  for_each_group([&](const group& g) {
    for (int i = g.first; i < g.last; ++i) {
      for (const linear l : all_linears) {
        gradient_operands_[static_cast<std::size_t>(l)].quantize(i);
        if (owner_of_input(l) == l) input_operands_[static_cast<std::size_t>(l)].quantize(i);
      }
    }
  });
}

void decoder::add_layer_gradients(int layer, gradient_tree& tree) {
  const int count = static_cast<int>(batch_.size());
  const std::vector<row_share> shares = shares_of(table_.layer(layer));
  const auto add_share = [&](const row_share& share) {
    const parameter& p = table_.layer(layer).of(share.which);
    const token_operand& dy = gradient_operands_[static_cast<std::size_t>(share.which)];
    const token_operand& x = input_operands_[static_cast<std::size_t>(owner_of_input(share.which))];
    std::vector<mx::outer_product> products;
    for (int i = 0; i < count; ++i) products.push_back({dy.k(i), dy.values(i), x.values(i)});
    const std::vector<float*> levels = tree.levels_at(p.offset);
    mx::add_leaves(products.data(), count, tree.added(), p.rows, share.begin, share.end, p.columns,
                   dy.stride(), x.stride(), levels.data());
  };
  tbb::this_task_arena::isolate([&] {
    whole_loop(std::ssize(shares),
               [&](std::ptrdiff_t i) { add_share(shares[static_cast<std::size_t>(i)]); });
  });
}

void decoder::add_weight_gradients(const pass_products& wgrad, gradient_tree& tree) {
  for (int layer = 0; layer < table_.shape().layers; ++layer) {
    take_gradient_operands(wgrad, layer);
    add_layer_gradients(layer, tree);
  }
  const int first = tree.added(), count = static_cast<int>(batch_.size());
  for (int i = 0; i < count; ++i) {
    for (const parameter& p : small_) tree.add_leaf(first + i, p.offset, p.count(), leaf(p, i));
  }
  tree.complete(count);
}

}  // namespace sim
