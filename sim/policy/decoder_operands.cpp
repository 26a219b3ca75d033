// SPDX-License-Identifier: Apache-2.0
// sim/policy/decoder_operands.cpp: the unquantized operands of a decoder's linears.
#include <algorithm>
#include <numeric>
#include <stdexcept>

#include "sim/policy/decoder.h"

namespace sim {
namespace {

decoder_operand whole(const std::vector<float>& rows, int first_column, int columns, int stride) {
  const auto count = static_cast<int>(std::ssize(rows) / stride);
  return {{count == 0 ? nullptr : rows.data() + first_column, count, columns, stride}, {}};
}

/// Columns of a copy of rows.
decoder_operand columns_of(std::vector<float> rows, int first_column, int columns, int stride) {
  auto copy = std::make_shared<const std::vector<float>>(std::move(rows));
  decoder_operand result = whole(*copy, first_column, columns, stride);
  result.copy = std::move(copy);
  return result;
}

}  // namespace

std::vector<int> decoder::slots_of_expert(const product_place& at) const {
  const layer_storage& s = state_of(at.layer);
  const int slots = first_row_.back() * table_.shape().experts.chosen;
  return slots_of(at.expert, {s.expert.data(), static_cast<std::size_t>(slots)});
}

std::vector<int> decoder::rows_of(const product_place& at) const {
  if (is_mixture_linear(at)) {
    std::vector<int> rows = slots_of_expert(at);
    for (int& row : rows) row /= table_.shape().experts.chosen;
    return rows;
  }
  std::vector<int> rows(static_cast<std::size_t>(first_row_.back()));
  std::iota(rows.begin(), rows.end(), 0);
  return rows;
}

decoder_operand decoder::input_of(const product_place& at) const {
  const layer_storage& s = state_of(at.layer);
  const int d = table_.shape().width, ff = table_.shape().hidden, queries = table_.query_width();
  if (is_mixture_linear(at)) {
    const std::vector<int> slots = slots_of_expert(at);
    if (at.which == linear::down) {
      return columns_of(gathered(slots, 1, ff, s.hidden.data()), 0, ff, ff);
    }
    const int chosen = table_.shape().experts.chosen;
    return columns_of(gathered(slots, chosen, d, s.normed_middle.data()), 0, d, d);
  }
  switch (at.which) {
    case linear::q:
    case linear::k:
    case linear::v:
      return whole(s.normed, 0, d, d);
    case linear::o:
      return whole(s.attention, 0, queries, queries);
    case linear::gate:
    case linear::up:
      return whole(s.normed_middle, 0, d, d);
    case linear::down:
      break;
  }
  return whole(s.hidden, 0, ff, ff);
}

decoder_operand decoder::output_gradient_of(const product_place& at) const {
  const layer_workspace& s = *back_;
  const int d = table_.shape().width, ff = table_.shape().hidden;
  const int queries = table_.query_width(), keys = table_.key_width(), width = queries + 2 * keys;
  if (is_mixture_linear(at)) {
    const std::vector<int> slots = slots_of_expert(at);
    if (at.which == linear::down) {
      return columns_of(gathered(slots, 1, d, s.ddown.data()), 0, d, d);
    }
    return columns_of(gathered(slots, 1, 2 * ff, s.dgate_up.data()),
                      at.which == linear::up ? ff : 0, ff, 2 * ff);
  }
  switch (at.which) {
    case linear::q:
      return whole(s.dqkv, 0, queries, width);
    case linear::k:
      return whole(s.dqkv, queries, keys, width);
    case linear::v:
      return whole(s.dqkv, queries + keys, keys, width);
    case linear::o:
      return whole(s.doutput, 0, d, d);
    case linear::gate:
      return whole(s.dgate_up, 0, ff, 2 * ff);
    case linear::up:
      return whole(s.dgate_up, ff, ff, 2 * ff);
    case linear::down:
      break;
  }
  return whole(s.ddown, 0, d, d);
}

std::vector<int> decoder::product_rows(int sequences) const {
  const int count = static_cast<int>(batch_.size());
  if (count % sequences != 0) {
    throw std::invalid_argument(
        "a micro-batch or a batch splits the sequences of wgrad's products");
  }
  std::vector<int> result;
  for (int i = 0; i <= count; i += sequences) result.push_back(first_row(i));
  return result;
}

std::vector<int> decoder::product_rows(int sequences, const product_place& at) const {
  std::vector<int> result = product_rows(sequences);
  if (!is_mixture_linear(at)) return result;
  const std::vector<int> rows = rows_of(at);
  for (int& first : result) {
    first = static_cast<int>(std::ranges::lower_bound(rows, first) - rows.begin());
  }
  return result;
}

}  // namespace sim
