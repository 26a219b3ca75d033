// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/spelling_fuzz.cpp: any text as the word of an option. An accepted word has a spelling
// that is accepted and means the same.
#include <stdexcept>
#include <string>

#include "mx/dot/models.h"
#include "mx/presets/variants.h"
#include "mx/spelling.h"
#include "require.h"

namespace {

/// Calls a parser that refuses words in one way only.
template <class Read>
void try_to(Read read) {
  try {
    read();
  } catch (const std::invalid_argument& refusal) {
    fuzz::require(*refusal.what() != '\0', "a refusal says why");
  }
}

void check_format(const std::string& word) {
  const mx::spelled_format taken = mx::format_spelled(word);
  const std::string spelling = mx::spelling_of(taken);
  const mx::spelled_format again = mx::format_spelled(spelling);
  const mx::spelled_format copy = taken;
  const bool comparable = copy == taken;  // not with an alpha of NaN
  fuzz::require(again == taken || !comparable, word + " means what " + spelling + " means");
  fuzz::require(mx::spelling_of(again) == spelling, "one spelling each");
}

void check_numbers(const std::string& word) {
  const mx::format taken = mx::number_format_spelled(word);
  fuzz::require(mx::number_format_spelled(mx::number_format_name(taken)) == taken,
                word + " means what its name means");
}

void check_scales(const std::string& word) {
  const mx::format taken = mx::scale_format_spelled(word);
  fuzz::require(mx::scale_format_spelled(mx::scale_format_name(taken)) == taken,
                word + " means what its name means");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string word(data, data + size);
  try_to([&] { check_format(word); });
  try_to([&] { check_numbers(word); });
  try_to([&] { check_scales(word); });
  try_to([&] { fuzz::require(mx::model_spelled(word).name == word, "models have one name"); });
  try_to([&] { static_cast<void>(mx::variant_spelled(word)); });
  return 0;
}
