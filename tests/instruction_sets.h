// SPDX-License-Identifier: Apache-2.0
// tests/instruction_sets.h: the same computation on every instruction set of the machine.
#pragma once
#include <string>
#include <vector>

#include "catch.h"
#include "mx/number/bits.h"
#include "mx/tensor/bulk.h"

namespace test {

class instruction_set_of_scope {
 public:
  explicit instruction_set_of_scope(const std::string& name) { mx::use_instruction_set(name); }
  ~instruction_set_of_scope() { mx::use_instruction_set(""); }
  instruction_set_of_scope(const instruction_set_of_scope&) = delete;
  instruction_set_of_scope& operator=(const instruction_set_of_scope&) = delete;
};

/// Calls work() on every instruction set.
template <class Work>
void on_all_instruction_sets(const Work& work) {
  for (const std::string& set : mx::instruction_sets()) {
    const instruction_set_of_scope scope(set);
    INFO(set);
    work();
  }
}

inline std::vector<std::uint32_t> bits(const std::vector<float>& values) {
  std::vector<std::uint32_t> result;
  result.reserve(values.size());
  for (const float v : values) result.push_back(mx::bits_of(v));
  return result;
}

/// `work` returns floats; their bits must be the same everywhere.
template <class Work>
void require_same_bits_on_every_instruction_set(const Work& work) {
  const std::vector<std::uint32_t> expected = bits(work());
  on_all_instruction_sets([&] {
    const bool same = bits(work()) == expected;
    REQUIRE(same);
  });
}

}  // namespace test
