// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/decoded_tensor.h: finds, checks and decodes the codes and scales of a file.
#pragma once
#include <string>
#include <vector>

#include "sim/cli/quantize/coded_notes.h"
#include "sim/cli/quantize/coded_tensor.h"

namespace sim::cli {

/// The arrays of one pass; null where the recipe has no such array.
struct stored_pass {
  const golden::io::tensor *codes = nullptr, *scales = nullptr, *macro_fractions = nullptr;
};

/// One tensor of a file of codes.
struct coded_source {
  std::string name;                   ///< of the result
  std::string prefix;                 ///< of its arrays
  std::vector<std::uint64_t> values;  ///< shape of the result
  mx::recipe recipe;                  ///< its packing may be derived from the shapes
  mx::coded_shape shape;
  stored_pass first, residual;
  const golden::io::tensor *tensor_scale = nullptr, *tensor_amax = nullptr;
};

/// Every tensor of a file; refuses an array that belongs to none.
///   axis    overrides that of the metadata
///   errors  file_error where arrays are missing, or their types and shapes do not fit
[[nodiscard]] std::vector<coded_source> sources_of(const golden::io::tensor_file& file,
                                                   const file_recipe& how, std::optional<int> axis);

/// The FP32 values; padding is cut off.
///   errors  file_error where an unpacked code or a macro-block factor has more bits than its
///           format
[[nodiscard]] golden::io::byte_buffer decoded(const coded_source& source, progress_bar& bar);

/// Codes one a byte and scales in linear order, both padded to whole blocks, for any file order.
///   source  of a recipe without corrections
///   errors  as of decoded
struct ordered_codes {
  golden::io::byte_buffer codes, scales;
};
[[nodiscard]] ordered_codes ordered(const coded_source& source);

}  // namespace sim::cli
