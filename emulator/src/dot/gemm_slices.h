// SPDX-License-Identifier: Apache-2.0
// emulator/src/dot/gemm_slices.h: operands of block-scaled products of E2M1, in the order in which
// the kernels read them.
// An element is 2 x, an integer of at most 12. In A it is a signed byte; in B 12 is added, so that
// it is an unsigned one. Sums of products begin with an integer that is the pattern of a binary32
// number, 1.5 * 2^23: the pattern of a sum is then that number plus the sum, and needs no
// conversion. If sums become binary64 they begin with 1.5 * 2^23 itself.
#pragma once
#include <cstddef>
#include <cstdint>

#include "mx/tensor/blocks.h"

namespace mx {

/// Elements of a step in fused models.
inline constexpr std::int64_t step_elements = 64;

/// Tile size of the kernels of an instruction set.
struct gemm_tile {
  int rows;     ///< of A, a strip
  int columns;  ///< of B, a panel
};

/// Initial value of the integer sums, as a binary32 number: a unit's sum of at most 32 * 24 * 12 in
/// magnitude leaves its exponent unchanged.
inline constexpr float sum_start = 12582912;

/// Scales of a step of four units as integers: a scale is its weight times the step's power of two.
/// They are less than 2^(4 + a) if the scales' exponents lie at most `a` apart.
///   pairs   [unit / 2][width]: the weight of the second of two units in the lower half, that of
///           the first in the upper half
///   powers  [step][width]: of B, patterns of binary32; of A, to be added to them
///   starts  [unit][width], of A: -12 * sum of 2 x, the excess of a sum; of every second unit,
///           `raised` is added
struct gemm_weights {
  static constexpr std::int32_t raised = 1 << 15;
  const std::int32_t* pairs;
  const std::int32_t* powers;
  const std::int32_t* starts;
};

/// A unit is the elements that share a scale; a step is what the model adds at once. An operand has
/// lines: rows of A, columns of B; `width` of them are interleaved.
///   codes    [unit][unit size / 4][width][4]
///   scales   [unit][width], of A times 1/4: the value is the integer sum times both scales
///   starts   [unit][width], of A: excess of a sum's number over the sum of products, subtracted if
///            units have 16 elements: sum_start + 12 * sum of 2 x; for 32 elements, whose scales
///            are powers of two, that times -scale. Null where there are weights
///   high       [step][width]: the power of two of the largest exponent of a scale; 0 if none
///              counts, since each is zero or all elements under it are
///   low        [step][width], or [unit][width] in steps of four units: that of the smallest; or
///              2^60
///   least      of A times 1/4: the power at which smaller scales are read, as subnormal ones are
///   weights    of steps of four units
struct gemm_slice {
  const std::uint8_t* codes;
  const float* scales;
  const float* starts;
  const float* high;
  const float* low;
  float least;
  gemm_weights weights;
};

/// Initial value of sums: +0 for all of K, or any C.
enum class starting : std::uint8_t { at_zero, anywhere };

/// A tile of sums between two steps: rows * columns, row-major.
struct gemm_sums {
  float* values;
  std::int64_t stride;
  starting start;
};

/// Whole units of a line's codes; packed codes begin at a byte boundary.
struct gemm_line {
  const std::uint8_t* codes;
  code_packing packing;
  int units;
};

/// Destination of a line's units.
///   codes  the line's position in the first unit, `width` lines interleaved
///   sums   of each unit: the sum of its 2 x; null for B
///   zeros  of each unit: whether all of its elements are zeros
struct gemm_place {
  int width;
  std::uint8_t* codes;
  std::int32_t* sums;
  std::uint8_t* zeros;
};

/// One step of one element by the core, for elements whose alignment cuts off bits.
///   row, column, step  of the tile's first element and the slice's first step
class exact_steps {
 public:
  using function = float (*)(const void* product, std::int64_t row, std::int64_t column,
                             std::int64_t step, float sum);
  exact_steps(function of, const void* product, std::int64_t row, std::int64_t column,
              std::int64_t step)
      : of_(of), product_(product), row_(row), column_(column), step_(step) {}

  [[nodiscard]] float operator()(int row, int column, int step, float sum) const {
    return of_(product_, row_ + row, column_ + column, step_ + step, sum);
  }

 private:
  function of_;
  const void* product_;
  std::int64_t row_, column_, step_;
};

struct gemm_scale;

/// Lines of at most 32 codes, with a scale for each unit.
///   table  by scale code
struct few_source {
  const std::uint8_t* codes;
  std::int64_t line_bytes;
  code_packing packing;
  const std::uint8_t* scales;
  std::int64_t lines;
  int k;
  const gemm_scale* table;
};

/// What the kernels must know of a group of lines.
///   irregular  a bit a line: it has a scale that they do not support
///   apart      largest difference between the scales' exponents of a line
struct few_note {
  std::uint64_t irregular = 0;
  int apart = 0;
};

/// Destination of lines: groups one after another, in the order of gemm_slice.
///   starts  null for B
struct few_target {
  int width;
  std::uint8_t* codes;
  float* scales;
  float* starts;
  few_note* notes;
};

/// Where a tile of one leaf's D is added into the levels of a tree.
///   alpha  of the leaf's product      nan  as the model writes it
///   at     of the tile's first element in each level, whose rows are `stride` apart
struct leaf_place {
  float alpha;
  std::uint32_t nan;
  std::int64_t leaf;
  float* const* levels;
  std::ptrdiff_t at, stride;
};

/// Kernels of an instruction set for a model. Functions that the model does not use are null.
///   near  as fused, if no C is larger than `largest`, the bound of are_near; else it changes
///         nothing and returns false
struct gemm_kernels {
  gemm_tile tile;
  int unit;          ///< elements that share a scale: 16 or 32
  int units_a_step;  ///< 1 if the sum is rounded after each unit
  void (*place)(const gemm_line& line, const gemm_place& place);
  void (*sequential)(gemm_slice a, gemm_slice b, int units, const gemm_sums& c);
  void (*fused)(gemm_slice a, gemm_slice b, int steps, const gemm_sums& c);
  bool (*near)(gemm_slice a, gemm_slice b, int steps, float largest, const gemm_sums& c);
  void (*place_few)(const few_source& from, const few_target& to);
  void (*few)(const gemm_slice& a, const gemm_slice& b, int units, const leaf_place& to);
};

/// How sums over a block are rounded: as in `fp32.sequential`; as in `blackwell.mxf4` and
/// `.mxf4nvf4`.
enum class gemm_rounding : std::uint8_t { sequential, fused };

/// How products are added.
///   matrix  by an instruction that multiplies matrices (gemm_matrix.h), if kernels exist
///   four    four products of bytes by one instruction
///   pairs   by three
enum class dot_instruction : std::uint8_t { matrix, four, pairs };

/// Kernels of the chosen instruction set; null if it has none.
///   unit  16 or 32
const gemm_kernels* gemm_kernels_for(gemm_rounding how, int unit, dot_instruction dot);

/// Whether this machine has the instruction, under the chosen instruction set.
bool has_dot_of_four();

/// The best instruction that the machine has and the user has not excluded.
dot_instruction best_dot();

}  // namespace mx
