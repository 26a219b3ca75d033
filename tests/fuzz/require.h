// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/require.h: what must hold for every input, and how a fuzzer is told that it does not.
#pragma once
#include <cstdio>
#include <cstdlib>
#include <string>

namespace fuzz {

/// Ends the program with a sentence, so that libFuzzer keeps the input.
inline void require(bool holds, const std::string& sentence) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: broken: %s\n", sentence.c_str());
  std::abort();
}

}  // namespace fuzz
