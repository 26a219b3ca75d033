// SPDX-License-Identifier: Apache-2.0
// golden/bindings/arguments.cpp: validation of caller arguments before anything reads or writes
// them.
#include "golden/bindings/arguments.h"

namespace bindings {
namespace {

/// Upper limit of a struct_size: no later version of a structure exceeds it.
constexpr std::uint64_t largest_struct = 4096;

[[noreturn]] void refuse_argument(const std::string& sentence) {
  throw refused(mx_status_bad_argument, sentence);
}

}  // namespace

std::uint64_t product(std::uint64_t a, std::uint64_t b) {
  if (a != 0 && b > (size_limit - 1) / a) refuse_argument("a size is 2^60 or more");
  return a * b;
}

std::uint64_t struct_size_of(const void* structure, const publication& known) {
  const std::string name = known.name;
  if (structure == nullptr) refuse_argument(name + " is null");
  std::uint64_t size = 0;  // the first member of every structure
  std::memcpy(&size, structure, sizeof size);
  if (size >= known.first_size && size <= largest_struct) return size;
  refuse_argument(name + ": struct_size is " + std::to_string(size) +
                  "; set it to the size of the structure, " + std::to_string(known.first_size) +
                  " or more");
}

void expect_zeros(const void* structure, std::uint64_t known, std::uint64_t size,
                  const char* name) {
  const auto* bytes = static_cast<const unsigned char*>(structure);
  for (std::uint64_t i = known; i < size; ++i) {
    if (bytes[i] == 0) continue;
    throw refused(mx_status_unsupported,
                  std::string(name) +
                      " sets a member of a later library; update the library or leave it zero");
  }
}

void expect_bytes(const void* data, std::uint64_t bytes, std::uint64_t expected, const char* name) {
  if (bytes != expected) {
    refuse_argument(std::string(name) + " has " + std::to_string(bytes) + " bytes; expected " +
                    std::to_string(expected));
  }
  if (expected > 0 && data == nullptr) refuse_argument(std::string(name) + " is null");
}

void expect_aligned(const void* data, std::uint64_t size, const char* name) {
  if (reinterpret_cast<std::uintptr_t>(data) % size == 0) return;
  refuse_argument(std::string(name) + " is not aligned to " + std::to_string(size) + " bytes");
}

std::vector<float> floats_of(const mx_buffer& buffer) {
  std::vector<float> values(buffer.bytes / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), buffer.data, values.size() * sizeof(float));
  return values;
}

}  // namespace bindings
