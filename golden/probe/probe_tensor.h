// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_tensor.h: the input of a probe: chosen blocks, laid out so that places tell
// themselves apart too.
#pragma once
#include <string>
#include <vector>

#include "golden/probe/known_recipes.h"
#include "golden/probe/probe_choice.h"

namespace golden::probe {

/// What a probe is for.
///   type           of the numbers
///   rows, columns  of every tensor, in elements; 0: as few as the blocks take
struct probe_request {
  mx::block_format format;
  mx::number_type type = mx::number_type::fp32;
  std::uint64_t rows = 0, columns = 0;
};

/// One tensor of a probe.
///   bytes  its numbers in the type      blocks  of the format, and how many are there to tell
struct probe_tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint8_t> bytes;
  std::uint64_t blocks = 0, telling = 0;
};

/// A whole probe.
///   recipes  that it is to tell apart     groups  of those that it does not, by index
struct probe {
  std::vector<probe_tensor> tensors;
  std::vector<known_recipe> recipes;
  std::vector<std::vector<std::size_t>> groups;

  [[nodiscard]] std::uint64_t blocks() const;
};

/// The fewest rows and columns, in elements, of a request's tensors; of what is asked for where it is.
///   errors  std::invalid_argument where the blocks do not fit in what is asked for, or the format has
///           a tensor scale for each row
[[nodiscard]] probe make_probe(const probe_request& request);

/// A tensor as the validator takes it.
[[nodiscard]] validator::subject subject_of(const probe_tensor& t, mx::number_type type);

/// Recipes by what they make of all tensors: those of a group make the same bytes.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_on(
    const std::vector<probe_tensor>& tensors, mx::number_type type,
    const std::vector<known_recipe>& recipes);

}  // namespace golden::probe
