// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_files.h: an input and a kernel's output, in the form the validator takes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/io/chosen_tensors.h"
#include "golden/validator/tensor/diagnose.h"
#include "sim/cli/quantize/coded_notes.h"

namespace sim::cli {

/// Open files, and their tensors in pairs.
struct verified_files {
  golden::io::tensor_file input, output;
  std::vector<golden::validator::subject> subjects;
};

/// Accepted names of a tensor's codes and scales: `x.codes`, or also `codes`.
enum class array_names : unsigned char { with_tensor, bare_too };

/// A tensor, and a kernel's codes and scales for it. The files own the bytes.
///   errors  file_error where they are missing, or their type cannot hold them
[[nodiscard]] golden::validator::subject subject_of(const golden::io::tensor& x,
                                                    const golden::io::tensor_file& output,
                                                    array_names names);

/// Opens both files, and finds the arrays of a recipe for every tensor of the input whose name
/// matches.
///   errors  file_error where they are missing, or their type cannot hold them
[[nodiscard]] verified_files files_of(const std::string& input,
                                      const golden::io::name_patterns& names,
                                      const std::string& output, const mx::recipe& declared);

/// An array of a tensor by its name; for a single tensor, the tensor's own name may be omitted.
///   returns  null where it is missing
[[nodiscard]] const golden::io::tensor* array_of(const golden::io::tensor_file& output,
                                                 const std::string& tensor,
                                                 const std::string& array, array_names names);

/// The declared recipe of the kernel.
struct declared_recipe : file_recipe {
  std::optional<int> axis;
};

/// The validator's form of the same. If no packing was specified, sizes decide it.
///   errors  usage_error where the validator does not support the format; file_error where a tensor
///           has no such axis
[[nodiscard]] golden::validator::hypothesis recipe_of(const declared_recipe& declared,
                                                      const verified_files& files);

/// Refuses output whose sizes are not those of the recipe.
void expect_sizes(const golden::validator::hypothesis& r, const verified_files& files,
                  const golden::validator::diagnosis& d);

}  // namespace sim::cli
