// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/recorded_words.cpp: dot-product-add words from a file, in order.
#include "recorded_words.h"

namespace test {

std::vector<std::uint32_t> numbers_of(const golden::io::tensor_file& file,
                                      const std::string& name) {
  const golden::io::tensor* found = file.find(name);
  if (found == nullptr) return {};
  const std::size_t bytes = bits_of(found->type) / 8;
  std::vector<std::uint32_t> numbers;
  for (std::size_t at = 0; at < found->bytes.size(); at += bytes) {
    std::uint32_t number = 0;
    for (std::size_t i = bytes; i-- > 0;) number = number * 256 + found->bytes[at + i];
    numbers.push_back(number);
  }
  return numbers;
}

recorded_words::recorded_words(const std::string& path) {
  const golden::io::tensor_file file = golden::io::load(path);
  for (const char* name : {"a", "b", "c", "d"}) (void)file.at(name);
  a_ = numbers_of(file, "a");
  b_ = numbers_of(file, "b");
  c_ = numbers_of(file, "c");
  d_ = numbers_of(file, "d");
  scale_a_ = numbers_of(file, "scale_a");
  scale_b_ = numbers_of(file, "scale_b");
}

golden::codes recorded_words::row(const std::vector<std::uint32_t>& all, std::size_t index) const {
  const std::size_t length = all.size() / size();
  return golden::codes(all).subspan(index * length, length);
}

golden::word_codes recorded_words::word(std::size_t index) const {
  return {row(a_, index), row(b_, index), c_.at(index), row(scale_a_, index), row(scale_b_, index)};
}

}  // namespace test
