// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/study_fuzz.cpp: any text as a study file. The resolved text of an accepted study is
// accepted and is the same study.
#include "memory_path.h"
#include "sim/study/study_file.h"

namespace {

sim::study study_in(const std::string& text) {
  const fuzz::memory_path file(reinterpret_cast<const std::uint8_t*>(text.data()), text.size());
  return sim::read_study(file.name());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const fuzz::memory_path file(data, size);
  std::string resolved;
  try {
    resolved = sim::resolved_toml(sim::read_study(file.name()));
  } catch (const sim::study_error& error) {
    // A study that is extended is refused by its own name.
    const bool alone = std::string(data, data + size).find("extends") == std::string::npos;
    fuzz::require(!alone || std::string(error.what()).starts_with(file.name() + ":"),
                  "a refusal begins with the file");
    return 0;
  }
  const sim::study again = study_in(resolved);
  fuzz::require(sim::resolved_toml(again) == resolved, "a resolved study resolves to itself");
  return 0;
}
