// SPDX-License-Identifier: Apache-2.0
// golden/bindings/dot.cpp: many dot products from the caller's arrays.
#include <algorithm>
#include <vector>

#include "golden/bindings/model_handle.h"
#include "mx/dot/bulk_dot.h"

namespace bindings {
namespace {

void expect_words(const mx::dot_model& m, const mx_words& w) {
  require(w.k <= mx::longest_k, "k is above 2^30");
  const std::uint64_t a_bytes = code_bytes(m, m.a), b_bytes = code_bytes(m, m.b);
  const std::uint64_t codes = product(w.count, w.k);
  const std::uint64_t scales = product(w.count, blocks_of(m, w.k));
  expect_bytes(w.a, product(codes, a_bytes), "a");
  expect_bytes(w.b, product(codes, b_bytes), "b");
  expect_bytes(w.scale_a, scales, "scale_a");
  expect_bytes(w.scale_b, scales, "scale_b");
  expect_bytes(w.c, product(w.count, sizeof(std::uint32_t)), "c");
  expect_bytes(w.d, product(w.count, sizeof(std::uint32_t)), "d");
  expect_aligned(w.a.data, a_bytes, "a");
  expect_aligned(w.b.data, b_bytes, "b");
  expect_aligned(w.c.data, sizeof(std::uint32_t), "c");
  expect_aligned(w.d.data, sizeof(std::uint32_t), "d");
  expect_narrow(w.a.data, codes, a_bytes, code_bits(m, m.a), "a");
  expect_narrow(w.b.data, codes, b_bytes, code_bits(m, m.b), "b");
  expect_narrow(w.c.data, w.count, sizeof(std::uint32_t), format_of_c(m.sum).width(), "c");
}

/// Codes converted to a type of at least their width; copied only if it is wider.
template <class Code>
const Code* widened_codes(const mx_buffer& codes, std::uint64_t count, std::uint64_t bytes,
                          std::vector<Code>& copy) {
  if (bytes == sizeof(Code)) return static_cast<const Code*>(codes.data);
  copy.resize(count);
  for (std::uint64_t i = 0; i < count; ++i) {
    copy[i] = static_cast<Code>(code_at(codes.data, i, bytes));
  }
  return copy.data();
}

template <class Code>
void dot_all(const mx::dot_model& m, const mx_words& w) {
  const std::uint64_t codes = w.count * w.k;
  std::vector<Code> a, b;
  mx::dot_words<Code> words;
  words.count = static_cast<std::int64_t>(w.count);
  words.k = static_cast<int>(w.k);
  words.a = widened_codes(w.a, codes, code_bytes(m, m.a), a);
  words.b = widened_codes(w.b, codes, code_bytes(m, m.b), b);
  words.scale_a = static_cast<const std::uint8_t*>(w.scale_a.data);
  words.scale_b = static_cast<const std::uint8_t*>(w.scale_b.data);
  words.c = static_cast<const std::uint32_t*>(w.c.data);
  words.d = static_cast<std::uint32_t*>(w.d.data);
  mx::dot_all(m, words);
}

}  // namespace
}  // namespace bindings

mx_status mx_model_dot(const mx_model* model, const mx_words* words, mx_error* error) {
  return bindings::guarded(error, [&] {
    const mx::dot_model& m = bindings::model_of(model);
    const mx_words w = bindings::read(words);
    bindings::expect_words(m, w);
    if (w.count == 0) return;
    const std::uint64_t widest =
        std::max(bindings::code_bytes(m, m.a), bindings::code_bytes(m, m.b));
    if (widest == 1) return bindings::dot_all<std::uint8_t>(m, w);
    if (widest == 2) return bindings::dot_all<std::uint16_t>(m, w);
    bindings::dot_all<std::uint32_t>(m, w);
  });
}
