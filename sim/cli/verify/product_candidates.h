// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/product_candidates.h: the models that `gemm` accepts for A and B under the same
// options, with the operands as they read them.
#pragma once
#include <exception>

#include "sim/cli/verify/product_inputs.h"

namespace sim::cli {

/// Creates candidates of named models from two files. Of A and of B it keeps the codes of one
/// reading, the last one requested.
class candidate_maker {
 public:
  candidate_maker(const product_options& options, const product_request& request);

  /// The candidate of a model; its entry is that of the formats of A and B.
  ///   errors  usage_error, file_error where gemm would refuse it
  [[nodiscard]] product_candidate candidate(const mx::named_model& model, const mx::format& output);

  /// Every model for A and B as `gemm` would read them for it.
  [[nodiscard]] std::vector<product_candidate> all(const mx::format& output);

  /// Every model that accepts A and B as a declared one reads them.
  [[nodiscard]] std::vector<product_candidate> beside(const product_candidate& declared,
                                                      const mx::format& output) const;

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
  void plan(product_candidate& one, const mx::named_model& model, const mx::format& output) const;
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

}  // namespace sim::cli
