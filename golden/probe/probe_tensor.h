// SPDX-License-Identifier: Apache-2.0
// golden/probe/probe_tensor.h: the input of a probe: selected blocks, arranged so that positions
// are distinguishable too.
#pragma once
#include <string>
#include <vector>

#include "golden/probe/known_recipes.h"
#include "golden/probe/probe_choice.h"

namespace golden::probe {

/// Request for a probe.
///   type           of the numbers
///   rows, columns  of every tensor, in elements; 0: as few as the blocks require
struct probe_request {
  mx::block_format format;
  mx::number_type type = mx::number_type::fp32;
  std::uint64_t rows = 0, columns = 0;
};

/// One tensor of a probe.
///   bytes  its numbers in the type      blocks  of the format; telling: those that distinguish
struct probe_tensor {
  std::string name;
  std::vector<std::uint64_t> shape;
  std::vector<std::uint8_t> bytes;
  std::uint64_t blocks = 0, telling = 0;
};

/// A whole probe.
///   recipes  to distinguish     groups  of recipes it does not distinguish, by index
struct probe {
  std::vector<probe_tensor> tensors;
  std::vector<known_recipe> recipes;
  std::vector<std::vector<std::size_t>> groups;

  [[nodiscard]] std::uint64_t blocks() const;
};

/// What of a probe is made: tensors alone need no comparison of recipes if they are large.
enum class probe_part : std::uint8_t { all, tensors };

/// The fewest rows and columns, in elements, for a request's tensors; those requested if given.
///   part    tensors: recipes and groups may be empty
///   errors  std::invalid_argument if the blocks do not fit in the requested shape, or the format
///           has a tensor scale for each row
[[nodiscard]] probe make_probe(const probe_request& request, probe_part part = probe_part::all);

/// A tensor as a validator subject.
[[nodiscard]] validator::subject subject_of(const probe_tensor& t, mx::number_type type);

/// Partition of recipes by their bytes for all tensors: those of a group make the same bytes.
[[nodiscard]] std::vector<std::vector<std::size_t>> groups_on(
    const std::vector<probe_tensor>& tensors, mx::number_type type,
    const std::vector<known_recipe>& recipes);

}  // namespace golden::probe
