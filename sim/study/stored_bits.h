// SPDX-License-Identifier: Apache-2.0
// sim/study/stored_bits.h: bits that an element of a tensor takes where it is stored.
#pragma once
#include <limits>
#include <optional>

#include "sim/study/study.h"

namespace sim {

/// Scale included, tensor scales left out: 4.25 of MXFP4, 6.25 of MXFP6. Elements take their own
/// width, as in a memory that packs them (files hold elements of 5 to 7 bits a byte each); scales
/// take whole bytes.
[[nodiscard]] double bits_an_element(const mx::block_format& f);

/// With the fractions of macro blocks, and the residual of an outlier fallback if every block has
/// one. No value where a toggle has switched on parts of an error: that is no stored format.
///   length  of a line, which has at least one fraction of a macro block
[[nodiscard]] std::optional<double> bits_an_element(const mx::operand& f,
                                                    int length = std::numeric_limits<int>::max());

/// The mean over the elements of all linears' operands, each in its own format; X counts once for
/// the linears that share it, and experts' tokens are those that an expert gets on average. No
/// value where one has none.
///   f  of pass p, of an arm of the study
[[nodiscard]] std::optional<double> bits_an_element(const study& s, const pass_format& f, pass p,
                                                    operand_role role);

}  // namespace sim
