// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/golden_dot.h: dot products and tiles from packed vectors, under any model with
// such operands, and the internal steps of the last dot product: calls of mx::, nothing else.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "mx/dot/models.h"
#include "mx/dot/steps.h"
#include "rtl_models/dpi/dot_coverage.h"
#include "rtl_models/dpi/mx_dpi.h"

namespace hardware {

/// Arguments of mx_dpi_dot_select.
struct dot_choice {
  std::string model, format_a, format_b, format_scale;
  unsigned block = 0, k = 0;
};

/// Operands of one dot product, or of the lines of a tile, one after another.
struct dot_vectors {
  const svBitVecVal *a, *b, *scale_a, *scale_b, *c;
};

/// Bits of vectors that are read.
struct dot_extent {
  int a, b, scale;
};

class golden_dot {
 public:
  /// errors  dpi_refusal; the previous choice stays
  void select(const dot_choice& requested);

  [[nodiscard]] dot_extent extent() const noexcept;

  /// c + a * b, stored as the last dot product.
  [[nodiscard]] std::uint32_t multiply(const dot_vectors& in);
  /// 16 lines of A, 8 of B, 128 words of C and D.
  void multiply_tile(const dot_vectors& in, svBitVecVal* d) const;

  /// Number of steps of the last dot product.
  ///   errors  dpi_refusal if there is none, or the step is out of range
  [[nodiscard]] int step_count() const;
  [[nodiscard]] mx::step_record step(unsigned number) const;
  /// The k of a term; -1 for C and for a result of other steps.
  [[nodiscard]] mx::term_place place_of(const mx::step_record& step, int term) const;

  /// Coverage of the sampled dot products; empty after select.
  [[nodiscard]] const dot_coverage& coverage() const noexcept { return coverage_; }
  /// Samples the last dot product.
  void cover();
  /// errors  dpi_refusal if the other one is of another model
  void merge(const dot_coverage& other);
  void clear_coverage() { coverage_ = dot_coverage(model_); }

 private:
  /// Codes of lines, concatenated, and likewise their scales.
  struct lines {
    std::vector<std::uint32_t> codes, scales;
  };
  struct operands {
    lines a, b;
    std::uint32_t c;
  };

  [[nodiscard]] lines lines_of(const svBitVecVal* codes, const svBitVecVal* scales, int count,
                               const mx::format& f) const;
  [[nodiscard]] const std::uint32_t* scales_of(const lines& from) const noexcept;
  [[nodiscard]] const operands& remembered() const;
  [[nodiscard]] mx::step_observer observed(int wanted) const;

  mx::dot_model model_ = mx::model_named("blackwell.mxf4")->model;
  int k_ = mx_dpi_k;
  std::optional<operands> last_;
  dot_coverage coverage_{model_};
};

}  // namespace hardware
