// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_candidates.h: the models that `gemm` accepts for A and B under the same
// options, with the operands as they read them; and a kernel's D and C.
#pragma once
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "golden/validator/product/diagnose.h"
#include "golden/validator/product/model.h"
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
struct read_candidate {
  const mx::named_model* entry = nullptr;
  std::shared_ptr<const gemm_factor> a, b;
  mx::gemm_plan plan;
  mx::sum_factors factors;
  std::size_t same_as = 0;
  std::shared_ptr<candidate_maker> maker = nullptr;

  [[nodiscard]] loaded_operands operands() const;
};

/// Creates candidates of named models from two files. Of A and of B it keeps the codes of one
/// reading, the last one requested.
class candidate_maker {
 public:
  candidate_maker(const product_options& options, const verify_request& request);

  /// The candidate of a model; its entry is that of the formats of A and B.
  ///   errors  usage_error, file_error where gemm would refuse it
  [[nodiscard]] read_candidate candidate(const mx::named_model& model, const mx::format& output);

  /// Every model for A and B as `gemm` would read them for it.
  [[nodiscard]] std::vector<read_candidate> all(const mx::format& output);

  /// Every model that accepts A and B as a declared one reads them.
  [[nodiscard]] std::vector<read_candidate> beside(const read_candidate& declared,
                                                   const mx::format& output) const;

  /// The options of a side, and its numbers or codes as a model reads them by others.
  [[nodiscard]] const rule_options& rules_of(factor_side side) const;
  [[nodiscard]] gemm_factor read_by(const mx::named_model& model, factor_side side,
                                    const rule_options& rules) const;

  /// The codes of a candidate's a or b.
  [[nodiscard]] std::shared_ptr<const gemm_factor> loaded(
      const std::shared_ptr<const gemm_factor>& known);

 private:
  /// What determines how a model reads a side: its format there, or that it accepts any.
  struct reading {
    factor_side side;
    mx::operands operands;
    mx::format element, scale;
    int block;
    bool siblings;

    friend bool operator==(const reading&, const reading&) = default;
  };
  ///   known   without codes       by  the first model that reads so
  struct made {
    reading how;
    const mx::named_model* by;
    std::shared_ptr<const gemm_factor> known;
    std::exception_ptr refusal;
  };
  /// The cached codes of a side.
  struct kept {
    std::shared_ptr<const gemm_factor> known, loaded;
  };

  /// Adds the plan of a model for a candidate's operands.
  void plan(read_candidate& one, const mx::named_model& model, const mx::format& output) const;
  [[nodiscard]] static reading reading_of(const mx::named_model& model, factor_side side);
  [[nodiscard]] std::shared_ptr<const gemm_factor> factor(const mx::named_model& model,
                                                          factor_side side);
  [[nodiscard]] gemm_factor read(const mx::named_model& model, factor_side side) const;

  const product_options& options_;
  rule_options of_a_, of_b_;
  golden::io::tensor_file a_, b_;
  std::vector<made> made_;
  kept kept_[2];
};

/// The files of a verified product, read: D, C and the candidates for A and B.
///   output    the type of D         c         C in bits of results, if any
///   declared  of --model, an index of candidates; no value: none declared
struct product_files {
  std::string kernel_out;
  mx::format output = mx::formats::binary32;
  matrix_place place;
  std::vector<std::uint32_t> d;
  wide_addends c;
  std::vector<read_candidate> candidates;
  std::optional<std::size_t> declared;

  /// The validator's view of the same; this outlives it.
  [[nodiscard]] golden::validator::product_inputs inputs() const;
  [[nodiscard]] bool has_c() const { return c.c32 || c.c16; }
};

/// Reads the files, and A and B in every reading of the models. The options outlive it.
///   errors  usage_error, file_error: of the declared model; without one, if no model accepts them
[[nodiscard]] product_files product_files_of(const product_options& options,
                                             const verify_request& request);

}  // namespace sim::cli
