// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/known_operands.h: operands of four states as operands of two, or the report that they
// hold X or Z.
#pragma once
#include <vector>

#include "rtl_models/dpi/dpi_context.h"
#include "rtl_models/dpi/packed_vector.h"

namespace hardware {

/// Vectors of one operand, one after another.
struct logic_operand {
  int number;        ///< mx_dpi_operand_*
  const char* name;  ///< in a sentence
  const svLogicVecVal* words;
  int count;  ///< of vectors
  int bits;   ///< of a vector
  int read;   ///< the lowest ones, which are looked at
};

/// The bits of an operand.
///   errors  dpi_refusal with mx_dpi_unknown_bits, which the context counts
[[nodiscard]] std::vector<svBitVecVal> known_bits_of(dpi_context& context,
                                                     const logic_operand& operand);

/// A result of two states as one of four.
void write_known(const svBitVecVal* result, int bits, svLogicVecVal* out);

}  // namespace hardware
