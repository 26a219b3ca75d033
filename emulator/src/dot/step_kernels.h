// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/step_kernels.h: chains of steps of a dot product for many outputs at once: one
// lane an output. Operands in the order in which the kernels read them, and the numbers of a model
// that they need. An element is a binary32 number beside the exponent at which it is read.
#pragma once
#include <cstdint>
#include <optional>

#include "mx/dot/bulk_gemm.h"

namespace mx {

/// The exponent of a zero element: that of a product or a term with one lies below no_term.
inline constexpr int no_number = -8192, no_term = -4000;

/// How a step adds, and rounds.
///   truncated   a window, terms cut toward zero; FP32 toward zero
///   halved      the same; FP16 to nearest
///   sticky      a window, terms cut toward zero, the bits lost kept as one; FP32 to nearest
///   late        a window for the products, C in a stage of its own, cut downward
///   late_pairs  the same with even and odd products apart
///   exact       nothing is cut; FP32 to nearest
///   flushed     FP32 products and sums in pairs, subnormals flushed
enum class step_kind : std::uint8_t { truncated, halved, sticky, late, late_pairs, exact, flushed };

/// How codes of a format become numbers: a magnitude's bits are shifted to where binary32 has them.
///   sign_mask, magnitude_mask  of a code as stored      sign_places, places  to the left
///   largest  the pattern, after the shift, of the largest number      bias  the format's
///   least    the exponent at which subnormals are read, or the least of all
///   is_plain whether a number is read at its own field and -0 is no NaN, and nothing is flushed
struct code_rule {
  std::int32_t sign_mask, magnitude_mask;
  int sign_places, places;
  std::int32_t largest;
  int bias, least;
  bool is_plain;
  factor_exponent read;
  subnormals inputs;
  specials nan;
};

/// The numbers of a model.
///   fused      products added at once       unit       elements of k between two sums with C
///   partial    products whose cut sum fits into 32 bits
///   window     fraction bits                least      lower bound of the window's exponent
///   least_sound, most_sound  exponents within which steps of the kernels are those of the model
///   addend_least  at which subnormals of C are read
///   kept_bits  of a binary32 result         late       of the kinds `late`
///   has_scales powers of two on the products
struct step_rule {
  step_kind kind;
  int fused, unit;
  step_order order;
  int partial, window, least, least_sound, most_sound, addend_least;
  std::uint32_t kept_bits;
  late_addend late;
  bool has_scales;
  code_rule a, b;

  [[nodiscard]] bool is_chain() const { return unit == fused; }
};

/// The kernels' numbers of a model; none if they do not support it.
[[nodiscard]] std::optional<step_rule> step_rule_of(const dot_model& model);

/// Some units of a factor, of a strip of A's lines or a panel of B's.
///   values, exponents  strip: [unit][row][k], panel: [unit][k][column]
///   scales             exponents, [unit][line]; null without scales
struct step_slice {
  const float* values;
  const std::int32_t* exponents;
  const std::int32_t* scales;
};

/// Lines of codes before they are laid out.
///   lines  first code of each      count  of lines; zeros follow up to a strip's or panel's width
struct step_source {
  const void* const* lines;
  int count;
  code_storage storage;
  std::int64_t first, k;
};

/// Codes are laid out in chunks of this many elements of k, padded with zeros.
inline constexpr std::int64_t step_chunk = 64;

/// Destination of lines. Lines with Inf or NaN have zeros instead.
///   returned  a bit a line with Inf or NaN
struct step_place {
  float* values;
  std::int32_t* exponents;
};

/// Steps of single elements that the kernels do not support.
///   row, column, unit  relative to the kernel's first      sum  before the step
class odd_steps {
 public:
  virtual float operator()(int row, int column, int unit, float sum) = 0;

 protected:
  ~odd_steps() = default;
};

/// A tile of sums in place: `columns` a row.
struct step_sums {
  float* values;
  odd_steps& odd;
};

/// Kernels of an instruction set for a kind.
///   add        rows [0, rows) of a strip times a panel
///   add_words  words: line j of the one panel with line j of the other
struct step_kernels {
  int rows, columns;
  std::uint32_t (*place_strip)(const step_rule& rule, const code_rule& codes,
                               const step_source& from, const step_place& to);
  std::uint32_t (*place_panel)(const step_rule& rule, const code_rule& codes,
                               const step_source& from, const step_place& to);
  void (*add)(const step_rule& rule, step_slice a, step_slice b, int rows, int units,
              const step_sums& sums);
  void (*add_words)(const step_rule& rule, step_slice a, step_slice b, int units,
                    const step_sums& sums);

  static constexpr int most_rows = 16, most_columns = 32;
};

/// Kernels of the chosen instruction set; null if it has none.
const step_kernels* step_kernels_for(step_kind kind);

}  // namespace mx
