// SPDX-License-Identifier: Apache-2.0
// tests/golden/reference/recorded_words.h: dot-product-add words from a file, in order.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "golden/io/tensor_file.h"
#include "golden/reference/dot_word.h"

namespace test {

/// Numbers of a tensor U8, U16 or U32; empty if the file has no such tensor.
std::vector<std::uint32_t> numbers_of(const golden::io::tensor_file& file, const std::string& name);

/// The words of a file with tensors a, b [V, K], c, d [V], and maybe scale_a, scale_b [V, blocks].
class recorded_words {
 public:
  explicit recorded_words(const std::string& path);

  [[nodiscard]] std::size_t size() const { return c_.size(); }
  [[nodiscard]] golden::word_codes word(std::size_t index) const;
  [[nodiscard]] std::uint32_t result(std::size_t index) const { return d_.at(index); }

 private:
  [[nodiscard]] golden::codes row(const std::vector<std::uint32_t>& all, std::size_t index) const;

  std::vector<std::uint32_t> a_, b_, c_, d_, scale_a_, scale_b_;
};

}  // namespace test
