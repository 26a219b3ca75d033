// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/corrected_comparison.h: a kernel's arrays against those that a format with
// corrections writes.
#pragma once
#include "golden/validator/tensor/compare.h"
#include "sim/cli/quantize/coded_tensor.h"
#include "sim/cli/verify/verify_files.h"

namespace sim::cli {

/// The arrays of one tensor in a kernel's output.
struct found_arrays {
  const verified_files& files;
  const std::string& tensor;

  [[nodiscard]] const golden::io::tensor* of(const std::string& array) const;
  /// Whether an array exists with exactly these bytes.
  [[nodiscard]] bool hold(const golden::io::owned_tensor& a) const;
};

/// Places of a tensor's codes with its axis padded for corrections; elements are the tensor's own.
struct padded_places {
  golden::validator::geometry padded, own;
  const golden::validator::subject& s;
};
[[nodiscard]] padded_places places_of(const declared_recipe& d,
                                      const golden::validator::hypothesis& r,
                                      const golden::validator::subject& s);

/// All differences; the first one in codes and scales, then in those of the residual, then in an
/// array of numbers, whose name is set.
///   made  of the same sizes as what was found
[[nodiscard]] golden::validator::comparison compared_arrays(const coded_tensor& made,
                                                            const found_arrays& found,
                                                            const padded_places& where);

}  // namespace sim::cli
