// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_inputs.h: the files of a product: a kernel's input and its output.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "golden/validator/product/model.h"
#include "golden/validator/product/verdict.h"
#include "sim/cli/products/gemm_matrices.h"
#include "sim/cli/verify/product_command.h"

namespace sim::cli {

class candidate_maker;

/// A and B with their codes, for as long as this lives.
struct loaded_operands {
  std::shared_ptr<const gemm_factor> a, b;

  [[nodiscard]] golden::validator::product_operands view() const;
};

/// A model that may have computed D, with A and B as it reads them.
///   a, b     without codes, of which one reading at a time is in memory
///   same_as  the first candidate with the same arithmetic on the same codes, often itself
struct product_candidate {
  const mx::named_model* entry = nullptr;
  std::shared_ptr<const gemm_factor> a, b;
  mx::gemm_plan plan;
  std::size_t same_as = 0;
  std::shared_ptr<candidate_maker> maker = nullptr;

  [[nodiscard]] loaded_operands operands() const;
};

/// Input of a verdict.
///   output    the type of D         c_of  C in bits of results, if any
///   declared  of --model, an index of candidates; no value: none declared
struct product_inputs {
  std::string kernel_out;
  mx::format output = mx::formats::binary32;
  matrix_place place;
  std::vector<std::uint32_t> d;
  std::optional<std::vector<std::uint32_t>> c32, c16;
  std::vector<product_candidate> candidates;
  std::optional<std::size_t> declared;

  /// The validator's view of the same; this outlives it.
  [[nodiscard]] golden::validator::product_inputs judged() const;
  [[nodiscard]] bool has_c() const { return c32 || c16; }
};

/// Reads the files, and A and B in every reading of the models. The options outlive it.
///   errors  usage_error, file_error: of the declared model; without one, if no model accepts them
[[nodiscard]] product_inputs inputs_of(const product_options& options,
                                       const product_request& request);

}  // namespace sim::cli
