// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/require.h: conditions for every input; a violation is a trap for the fuzzer.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

/// Ends the program with a message, so that libFuzzer keeps the input.
inline void require(bool holds, const std::string& sentence) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken: %s\n", sentence.c_str());
  std::abort();
}

}  // namespace fuzz
