// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_nvfp4.cpp: presets of mx/presets/nvfp4_variants.h for programs in other
// languages.
//   oracle_nvfp4 PRESET   reads, for every block, the FP32 amax of its tensor and its elements;
//                         writes the code of its scale and those of its elements, a byte each
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "mx/presets/nvfp4_variants.h"

int main(int count, char** words) {
  const mx::nvfp4_variant* v =
      count == 2 ? mx::preset_named(mx::nvfp4_presets::all, words[1]) : nullptr;
  if (v == nullptr) {
    std::fputs("usage: oracle_nvfp4 PRESET\n", stderr);
    return EXIT_FAILURE;
  }
  const auto size = static_cast<std::size_t>(v->size());
  std::vector<float> block(1 + size);
  std::vector<std::uint8_t> codes(1 + size);
  while (std::fread(block.data(), sizeof(float), block.size(), stdin) == block.size()) {
    codes[0] = quantize_block(*v, block.data() + 1, tensor_of(*v, block[0]), codes.data() + 1);
    std::fwrite(codes.data(), 1, codes.size(), stdout);
  }
  return EXIT_SUCCESS;
}
