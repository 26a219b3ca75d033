// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/spelling.cpp: a format with its corrections as words, parsed and printed.
#include "mx/spelling.h"

#include "spelling/parts.h"
#include "spelling/words.h"

namespace mx {

spelled_format format_spelled(std::string_view text) {
  const auto parts = spelling::split(text, '+');
  spelled_format result{spelling::block_format_spelled(parts.front())};
  for (std::size_t i = 1; i < parts.size(); ++i) spelling::read_correction(parts[i], result);
  return result;
}

std::string spelling_of(const spelled_format& f) {
  return spelling_of(f.format) + spelling::corrections_spelling(f);
}

}  // namespace mx
