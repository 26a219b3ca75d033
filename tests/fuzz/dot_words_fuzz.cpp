// SPDX-License-Identifier: Apache-2.0
// tests/fuzz/dot_words_fuzz.cpp: any bytes as a file of words for a model, selected by the first
// byte.
#include <algorithm>

#include "golden/io/safetensors.h"
#include "mx/dot/models.h"
#include "require.h"
#include "sim/cli/products/dot_file.h"

namespace {

namespace io = golden::io;

constexpr std::uint64_t most_vectors = 16;

/// Codes are no wider than the model's formats.
void check_word(const sim::cli::dot_file& words, const sim::cli::dot_word& word) {
  const auto widest = [](const std::vector<std::uint32_t>& codes) {
    return codes.empty() ? 0U : *std::max_element(codes.begin(), codes.end());
  };
  const auto fits = [&](const std::vector<std::uint32_t>& codes, const mx::format& f) {
    return widest(codes) >> (f.width() - 1) <= 1;
  };
  fuzz::require(word.a.size() == words.k && word.b.size() == words.k, "a word has K codes a side");
  fuzz::require(fits(word.a, words.model.a) && fits(word.b, words.model.b), "codes are narrow");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const mx::named_model& model = mx::model_table[data[0] % mx::model_table.size()];
  try {
    const io::tensor_file file("f", nullptr, io::parse_safetensors({data + 1, size - 1}, "f"));
    const sim::cli::dot_file words = sim::cli::words_of(file, model, {});
    sim::cli::dot_word word;
    for (std::uint64_t v = 0; v < std::min(words.vectors, most_vectors) && words.k > 0; ++v) {
      word.read(words, v);
      check_word(words, word);
    }
  } catch (const io::file_error& error) {
    fuzz::require(std::string(error.what()).starts_with("f: "), "a refusal begins with the file");
  } catch (const sim::cli::usage_error&) {
  }
  return 0;
}
