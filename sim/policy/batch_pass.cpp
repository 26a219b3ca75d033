// SPDX-License-Identifier: Apache-2.0
// sim/policy/batch_pass.cpp: see batch_pass.h.
#include "sim/policy/batch_pass.h"

#include <tbb/task_arena.h>

#include <algorithm>

#include "sim/policy/whole_loop.h"

namespace sim {
namespace {

/// Rows of the embedding whose gradients one task adds: enough for a vector of products, few enough
/// that their levels stay small.
constexpr int embedding_rows_a_task = 16;

/// The same of a micro-batch, whose first sequence has this index.
logit_gradient shifted(const logit_gradient& logits, int index) {
  if (!logits) return {};
  return [&logits, index](int s, int position, const token_distribution& of, float* dlogits) {
    logits(index + s, position, of, dlogits);
  };
}

}  // namespace

batch_pass::batch_pass(const parameter_table& table, const rope_table& rope, int micro_batch,
                       kept_rows kept)
    : table_(table), rope_(rope), micro_batch_(micro_batch), kept_(kept) {}

void batch_pass::take(std::span<const sequence> batch, int first) {
  sequences_ = static_cast<int>(batch.size());
  const auto count = static_cast<std::size_t>((sequences_ + micro_batch_ - 1) / micro_batch_);
  while (parts_.size() > count) parts_.pop_back();
  while (parts_.size() < count) parts_.emplace_back(table_, rope_, kept_, shared_);
  const auto step = static_cast<std::size_t>(micro_batch_);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = i * step;
    parts_[i].take(batch.subspan(at, std::min(step, batch.size() - at)),
                   first + static_cast<int>(at));
  }
}

void batch_pass::forward(const forward_weights& weights, const pass_products& products) {
  for (decoder& d : parts_) d.start_forward(weights, products);
  for (int layer = 0; layer < table_.shape().layers; ++layer) {
    const forward_layer w = weights.layer(layer);
    for (decoder& d : parts_) d.forward_through(w, layer);
  }
  const auto head = weights.head();
  for (decoder& d : parts_) d.forward_head(weights, *head);
}

std::vector<float> batch_pass::take_log_distributions() {
  std::size_t count = 0;
  for (const decoder& d : parts_) count += d.outcomes().size();
  std::vector<float> result;
  result.reserve(count * static_cast<std::size_t>(table_.shape().vocabulary));
  for (decoder& d : parts_) {
    const std::vector<float> part = d.take_log_distributions();
    result.insert(result.end(), part.begin(), part.end());
  }
  return result;
}

std::vector<token_outcome> batch_pass::outcomes() const {
  std::vector<token_outcome> result;
  for (const decoder& d : parts_) {
    result.insert(result.end(), d.outcomes().begin(), d.outcomes().end());
  }
  return result;
}

std::vector<float> batch_pass::gradient(const forward_weights& weights,
                                        const backward_weights& transposed,
                                        const step_arithmetic& formats, const token_weight& weight,
                                        const logit_gradient& logits) {
  std::vector<float> result(static_cast<std::size_t>(table_.count()));
  write_parts(weights, transposed, formats, weight, logits,
              {[&](std::ptrdiff_t offset, std::ptrdiff_t) { return result.data() + offset; },
               [](std::ptrdiff_t, std::ptrdiff_t) {}});
  return result;
}

void batch_pass::gradient_in_parts(const forward_weights& weights,
                                   const backward_weights& transposed,
                                   const step_arithmetic& formats, const token_weight& weight,
                                   const gradient_part& take) {
  std::vector<float> part;
  const auto memory = [&](std::ptrdiff_t, std::ptrdiff_t count) {
    part.resize(static_cast<std::size_t>(count));
    return part.data();
  };
  write_parts(weights, transposed, formats, weight, {},
              {memory, [&](std::ptrdiff_t offset, std::ptrdiff_t) { take(offset, part); }});
}

void batch_pass::write_parts(const forward_weights& weights, const backward_weights& transposed,
                             const step_arithmetic& formats, const token_weight& weight,
                             const logit_gradient& logits, const part_destination& to) {
  gradient_tree tree(std::max(table_.count_of_layer(), table_.final_norm().count()), sequences_);
  const auto write = [&](std::ptrdiff_t offset, std::ptrdiff_t count) {
    tree.total(offset, count, to.memory(offset, count));
    to.complete(offset, count);
  };
  add_head(weights, transposed, weight, logits, tree);
  write(table_.final_norm().offset, table_.final_norm().count());
  for (int layer = table_.shape().layers - 1; layer >= 0; --layer) {
    tree.start(table_.first_of_layer(layer));
    add_layer(layer, weights, transposed, formats, tree);
    write(table_.first_of_layer(layer), table_.count_of_layer());
  }
  const auto write_matrix = [&](const parameter& e, vocabulary_gradient of) {
    write_gradient(e, of, *formats.by, to.memory(e.offset, e.count()));
    to.complete(e.offset, e.count());
  };
  write_matrix(table_.embedding(), &decoder::embedding_gradient);
  if (table_.has_own_head()) write_matrix(table_.head(), &decoder::head_gradient);
}

void batch_pass::add_head(const forward_weights& weights, const backward_weights& transposed,
                          const token_weight& weight, const logit_gradient& logits,
                          gradient_tree& tree) {
  const auto head = transposed.head();
  tree.start(table_.final_norm().offset);
  for (decoder& d : parts_) {
    d.backward_head(
        weights, *head,
        [&](int s, int position, const token_outcome& outcome) {
          return weight(d.first_sequence() + s, position, outcome);
        },
        shifted(logits, d.first_sequence()));
    observe(d, table_.shape().layers);
    d.add_final_norm_gradients(tree);
  }
}

void batch_pass::add_layer(int layer, const forward_weights& weights,
                           const backward_weights& transposed, const step_arithmetic& formats,
                           gradient_tree& tree) {
  const forward_layer w = weights.layer(layer);
  const backward_layer t = transposed.layer(layer);
  const pass_products dgrad = formats.of(pass::dgrad), wgrad = formats.of(pass::wgrad);
  for (decoder& d : parts_) {
    d.backward_through(w, t, dgrad, layer);
    observe(d, layer);
    d.add_layer_gradients(wgrad, layer, tree);
  }
}

void batch_pass::write_gradient(const parameter& e, vocabulary_gradient of,
                                const value_products& by, float* gradient) const {
  const int tasks = (e.rows + embedding_rows_a_task - 1) / embedding_rows_a_task;
  tbb::this_task_arena::isolate([&] {
    whole_loop(tasks, [&](std::ptrdiff_t task) {
      const int first = static_cast<int>(task) * embedding_rows_a_task;
      const int last = std::min(e.rows, first + embedding_rows_a_task);
      const std::ptrdiff_t offset = e.offset + std::ptrdiff_t{first} * e.columns;
      std::vector<float> leaf(static_cast<std::size_t>(last - first) *
                              static_cast<std::size_t>(e.columns));
      gradient_tree tree(std::ssize(leaf), sequences_);
      tree.start(offset);
      for (const decoder& d : parts_) {
        for (int i = 0; i < std::ssize(d.batch()); ++i) {
          (d.*of)(by, i, first, last, leaf.data());
          tree.add_leaf(tree.added(), offset, std::ssize(leaf), leaf.data());
          tree.complete(1);
        }
      }
      tree.total(offset, std::ssize(leaf), gradient + (offset - e.offset));
    });
  });
}

}  // namespace sim
