// SPDX-License-Identifier: Apache-2.0
// rtl_models/dpi/known_operands.h: converts operands of four states to two, or reports that they
// contain X or Z.
#pragma once
#include <vector>

#include "rtl_models/dpi/dpi_context.h"
#include "rtl_models/dpi/packed_vector.h"

namespace hardware {

/// Vectors of one operand, concatenated.
struct logic_operand {
  int number;        ///< mx_dpi_operand_*
  const char* name;  ///< in error messages
  const svLogicVecVal* words;
  int count;  ///< of vectors
  int bits;   ///< of a vector
  int read;   ///< low bits that are read
};

/// The bits of an operand.
///   errors  dpi_refusal with mx_dpi_unknown_bits, counted by the context
[[nodiscard]] std::vector<svBitVecVal> known_bits_of(dpi_context& context,
                                                     const logic_operand& operand);

/// A result of two states as one of four.
void write_known(const svBitVecVal* result, int bits, svLogicVecVal* out);

}  // namespace hardware
