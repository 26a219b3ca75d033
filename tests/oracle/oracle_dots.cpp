// SPDX-License-Identifier: Apache-2.0
// tests/oracle/oracle_dots.cpp: dot products under the core's models for programs in other
// languages.
//   oracle_dots MODEL K   reads words of K codes of a, K of b, the scales of a and of b, and c;
//                         writes the code of each d. A model of any formats is given FP32 numbers
// Every code is a word of 32 bits, of FP64 models 64, in the machine's order of bytes.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <optional>
#include <vector>

#include "mx/dot/binary64_dot.h"
#include "mx/dot/dot.h"
#include "mx/dot/mixed_models.h"

namespace {

std::optional<mx::dot_model> model_of(const char* name) {
  const mx::named_model* known = mx::any_model_named(name);
  if (known == nullptr) return {};
  if (known->operands == mx::operands::of_model) return known->model;
  return mx::with_scales(
      mx::with_formats(known->model, mx::formats::binary32, mx::formats::binary32),
      known->model.scale, 0);
}

/// Reads words of `size` codes; writes result_of(codes) of each.
template <class Code, class Result>
void replay(std::size_t size, const Result& result_of) {
  std::vector<Code> word(size);
  while (std::fread(word.data(), sizeof(Code), size, stdin) == size) {
    const Code d = result_of(word.data());
    std::fwrite(&d, sizeof d, 1, stdout);
  }
}

void replay_binary64(std::size_t k) {
  replay<std::uint64_t>(2 * k + 1, [k](const std::uint64_t* a) {
    return mx::binary64::dot(a, a + k, static_cast<int>(k), a[2 * k]);
  });
}

void replay_model(const mx::dot_model& model, std::size_t k) {
  const auto block = static_cast<std::size_t>(model.block);
  const std::size_t scales = block == 0 ? 0 : (k + block - 1) / block;
  replay<std::uint32_t>(2 * (k + scales) + 1, [&](const std::uint32_t* a) {
    const std::uint32_t *b = a + k, *of_a = b + k, *of_b = of_a + scales;
    return dot(model, a, b, static_cast<int>(k), of_b[scales], scales == 0 ? nullptr : of_a,
               scales == 0 ? nullptr : of_b);
  });
}

}  // namespace

int main(int count, char** words) {
  const auto k = static_cast<std::size_t>(count == 3 ? std::atoi(words[2]) : 0);
  const bool binary64 = k > 0 && mx::binary64::model_named(words[1]) != nullptr;
  const std::optional<mx::dot_model> model = k > 0 ? model_of(words[1]) : std::nullopt;
  if (!binary64 && !model) {
    std::fputs("usage: oracle_dots MODEL K\n", stderr);
    return EXIT_FAILURE;
  }
  binary64 ? replay_binary64(k) : replay_model(*model, k);
  return EXIT_SUCCESS;
}
