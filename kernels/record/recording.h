// SPDX-License-Identifier: Apache-2.0
// kernels/record/recording.h: committed words with the bits that a device gave for them, as a file
// of the same format (golden/vectors/README.md).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/vectors/word_file.h"

namespace mx::kernels {

/// What a recording rests on.
///   date  YYYY-MM-DD
struct device_facts {
  std::string name, compute_capability, driver, runtime, date;
};

/// The text of a file of words, each with another d, and with the facts at its head.
///   text     of golden/vectors/dot, as `words` was read from
///   results  of the words, section after section
///   errors   std::invalid_argument where there are not as many
[[nodiscard]] std::string recorded_text(const std::string& text,
                                        const golden::words::word_file& words,
                                        const std::vector<std::uint32_t>& results,
                                        const device_facts& facts);

/// A device's name as a name of a folder: lower-case letters, digits, one hyphen for all else.
[[nodiscard]] std::string folder_name(const std::string& device);

}  // namespace mx::kernels
