// SPDX-License-Identifier: Apache-2.0
// kernels/record/recording.h: committed words with a device's results, as a file of the same
// format (golden/vectors/README.md).
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/vectors/word_file.h"

namespace mx::kernels {

/// Provenance of a recording.
///   date  YYYY-MM-DD
struct device_facts {
  std::string name, compute_capability, driver, runtime, date;
};

/// The text of a file of words with d replaced in each word, and the facts in its header.
///   text     of golden/vectors/dot, the source of `words`
///   results  of the words, section after section
///   errors   std::invalid_argument if their count differs
[[nodiscard]] std::string recorded_text(const std::string& text,
                                        const golden::words::word_file& words,
                                        const std::vector<std::uint32_t>& results,
                                        const device_facts& facts);

/// A device's name as a folder name: lower-case letters, digits, one hyphen for each run of others.
[[nodiscard]] std::string folder_name(const std::string& device);

}  // namespace mx::kernels
