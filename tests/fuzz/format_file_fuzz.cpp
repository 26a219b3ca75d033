// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/format_file_fuzz.cpp: any text as a file of --format @FILE.
#include "golden/io/file.h"
#include "memory_path.h"
#include "mx/spelling.h"
#include "sim/cli/rules/format_file.h"
#include "sim/study/study_file.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::memory_path file(data, size);
  try {
    const mx::recipe_words options = sim::cli::format_file(file.name());
    fuzz::require(options.format.has_value(), "a format file says a format");
    fuzz::require(options.random_bits.value_or(1) >= 1 && options.random_bits.value_or(24) <= 24,
                  "random bits are 1 to 24");
    static_cast<void>(mx::format_spelled(*options.format));
  } catch (const sim::study_error&) {
  } catch (const golden::io::file_error&) {
  } catch (const std::invalid_argument&) {
    // The spelling of the format may be refused.
  }
  return 0;
}
