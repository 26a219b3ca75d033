// SPDX-License-Identifier: Apache-2.0
// tests/golden/io/damage.h: every truncation and bit flip of a file, and many random mutations
// of it.
#pragma once
#include <cstdint>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "catch.h"
#include "golden/io/own_convention.h"
#include "golden/io/widen.h"

namespace test {

enum class verdict : unsigned char { accepted, refused };

/// Codes, if any, as the command reads them; every byte is read.
inline void rewrite(const golden::io::tensor_file& file) {
  try {
    const golden::io::rewritten_file own = golden::io::in_own_convention(file);
    for (const golden::io::tensor& t : own.file.tensors()) {
      golden::io::expect_matching_bytes(t);
      (void)std::accumulate(t.bytes.begin(), t.bytes.end(), 0U);
    }
  } catch (const golden::io::file_error& error) {
    REQUIRE(std::string(error.what()).starts_with("f: "));
  }
}

/// Parses a copy that ends at the end of the heap block, so that a sanitizer detects every read
/// beyond it. An accepted tensor must lie inside the file; every exception must be a file_error.
template <class Parse>
verdict parse_exact_copy(const std::string& contents, Parse parse) {
  const auto copy = std::make_unique<std::uint8_t[]>(contents.size());
  std::copy(contents.begin(), contents.end(), copy.get());
  const golden::io::byte_view bytes(copy.get(), contents.size());
  try {
    const golden::io::tensor_file file("f", nullptr, parse(bytes));
    for (const golden::io::tensor& found : file.tensors()) {
      REQUIRE((found.bytes.empty() || found.bytes.data() >= bytes.data()));
      REQUIRE((found.bytes.empty() ||
               found.bytes.data() + found.bytes.size() <= bytes.data() + bytes.size()));
      golden::io::expect_matching_bytes(found);
      try {
        (void)golden::io::to_float32(found, golden::io::narrowing::round_to_nearest_even);
      } catch (const golden::io::file_error&) {
        // A type without FP32 values.
      }
    }
    rewrite(file);
  } catch (const golden::io::file_error& error) {
    REQUIRE(std::string(error.what()).starts_with("f: "));
    return verdict::refused;
  }
  return verdict::accepted;
}

template <class Parse>
void parse_every_truncation_and_flip(const std::string& valid, Parse parse) {
  REQUIRE(parse_exact_copy(valid, parse) == verdict::accepted);
  for (std::size_t size = 0; size < valid.size(); ++size) {
    REQUIRE(parse_exact_copy(valid.substr(0, size), parse) == verdict::refused);
  }
  REQUIRE(parse_exact_copy(valid + '\0', parse) == verdict::refused);
  for (std::size_t bit = 0; bit < valid.size() * 8; ++bit) {
    std::string damaged = valid;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ (1 << bit % 8));
    (void)parse_exact_copy(damaged, parse);
  }
}

/// Overwrites, removes and repeats random pieces.
template <class Parse>
void parse_random_mutations(const std::string& valid, int count, Parse parse) {
  std::mt19937 random(12);
  for (int i = 0; i < count; ++i) {
    std::string damaged = valid;
    for (unsigned step = 0; step <= random() % 3; ++step) {
      const std::size_t at = random() % damaged.size();
      const std::size_t length = 1 + random() % 8;
      switch (random() % 4) {
        case 0:
          damaged[at] = static_cast<char>(random() % 256);
          break;
        case 1:
          damaged[at] = "0123456789[]{}(),:\"'-eL"[random() % 23];
          break;
        case 2:
          damaged.erase(at, length);
          break;
        default:
          damaged.insert(at, valid, random() % valid.size(), length);
          break;
      }
      if (damaged.empty()) damaged = valid;
    }
    (void)parse_exact_copy(damaged, parse);
  }
}

}  // namespace test
