// SPDX-License-Identifier: Apache-2.0
// golden/bindings/arguments.cpp: what callers give, checked before anything reads or writes it.
#include "golden/bindings/arguments.h"

#include <algorithm>

namespace bindings {
namespace {

/// A structure of which a later library knows that much would be another structure.
constexpr std::uint64_t largest_struct = 4096;

[[noreturn]] void refuse(const std::string& sentence) {
  throw refused(mxp_status_bad_argument, sentence);
}

}  // namespace

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > (size_limit - 1) / a) refuse("a size is 2^60 or more");
  return a * b;
}

void expect_struct_size(std::uint64_t struct_size, std::uint64_t known, const char* name) {
  if (struct_size >= known && struct_size <= largest_struct) return;
  refuse(std::string(name) + ": struct_size is " + std::to_string(struct_size) +
         "; set it to the size of the structure, which is " + std::to_string(known) + " or more");
}

void expect_zeros(const void* structure, std::uint64_t known, std::uint64_t struct_size,
                  const char* name) {
  const auto* bytes = static_cast<const unsigned char*>(structure);
  if (std::all_of(bytes + known, bytes + struct_size, [](unsigned char b) { return b == 0; })) {
    return;
  }
  throw refused(mxp_status_unsupported,
                std::string(name) + " asks for something that only a later library knows");
}

void expect_bytes(const void* data, std::uint64_t bytes, std::uint64_t expected, const char* name) {
  if (bytes != expected) {
    refuse(std::string(name) + " has " + std::to_string(bytes) + " bytes; expected " +
           std::to_string(expected));
  }
  if (expected > 0 && data == nullptr) refuse(std::string(name) + " is null");
}

void expect_aligned(const void* data, std::uint64_t size, const char* name) {
  if (reinterpret_cast<std::uintptr_t>(data) % size == 0) return;
  refuse(std::string(name) + " does not lie at a multiple of " + std::to_string(size) + " bytes");
}

std::vector<float> floats_of(const mxp_buffer& buffer) {
  std::vector<float> values(buffer.bytes / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), buffer.data, values.size() * sizeof(float));
  return values;
}

}  // namespace bindings
