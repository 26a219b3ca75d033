// SPDX-License-Identifier: Apache-2.0
// sim/cli/verify/verify_files.h: an input and a kernel's output, as the validator takes them.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "golden/validator/tensor/diagnose.h"
#include "sim/cli/quantize/coded_notes.h"

namespace sim::cli {

/// Open files, and their tensors side by side.
struct verified_files {
  golden::io::tensor_file input, output;
  std::vector<golden::validator::subject> subjects;
};

/// How codes and scales of a tensor `x` may be called: `x.codes`, or `codes` too.
enum class array_names : unsigned char { with_tensor, bare_too };

/// A tensor, and the codes and scales that a kernel made of it. The bytes are the files'.
///   errors  file_error where there are none, or they are of a type that holds none
[[nodiscard]] golden::validator::subject subject_of(const golden::io::tensor& x,
                                                    const golden::io::tensor_file& output,
                                                    array_names names);

/// Opens both files, and finds codes and scales of every tensor of the input.
///   errors  file_error where there are none, or they are of a type that holds none
[[nodiscard]] verified_files files_of(const std::string& input, const std::string& output);

/// An array of a tensor by its name; of a single tensor, the tensor's own name may be left out.
///   returns  null where there is none
[[nodiscard]] const golden::io::tensor* array_of(const golden::io::tensor_file& output,
                                                 const std::string& tensor,
                                                 const std::string& array, array_names names);

/// What is expected of the kernel.
///   packing  shapes: the sizes that were found decide it
struct declared_recipe {
  mx::recipe recipe;
  packing_source packing = packing_source::shapes;
  std::optional<int> axis;
};

/// The same as the validator takes it. Where no packing was asked for, sizes decide it.
///   errors  usage_error where the validator does not know the format; file_error where a tensor has
///           no such axis
[[nodiscard]] golden::validator::recipe recipe_of(const declared_recipe& declared,
                                                  const verified_files& files);

/// Refuses output whose sizes are not those of the recipe.
void expect_sizes(const golden::validator::recipe& r, const verified_files& files,
                  const golden::validator::diagnosis& d);

}  // namespace sim::cli
