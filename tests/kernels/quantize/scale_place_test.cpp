// SPDX-License-Identifier: Apache-2.0
// tests/kernels/quantize/scale_place_test.cpp: scale positions by shifts and a multiplication,
// against the core's layouts.
#include "quantize/scale_place.h"

#include "catch.h"
#include "mx/number/philox.h"

using namespace mx;
using namespace mx::kernels;

namespace {

void expect_place(const scale_place_of& place, std::uint64_t line, std::uint64_t along) {
  const std::uint64_t expected =
      offset(place.layout, place.lines, place.blocks_a_line, line, along);
  const std::uint64_t block = line * place.blocks_a_line + along;
  if (place.at(line, along) != expected || place(block) != expected) {
    FAIL("layout " << int(place.layout) << ", " << place.lines << " x " << place.blocks_a_line
                   << ", line " << line << ", block " << along << ": " << place.at(line, along)
                   << " and " << place(block) << " for " << expected);
  }
}

std::uint64_t random_below(std::uint64_t limit, std::uint32_t seed) {
  const philox_counter drawn = philox(3, {{seed, 0, 0, 0}});
  return (drawn.word[0] | std::uint64_t{drawn.word[1]} << 32) % limit;
}

}  // namespace

TEST_CASE("every_scale_of_every_layout_has_the_place_of_the_core") {
  for (const auto& layout : scale_layout_table) {
    for (const std::uint64_t lines : {1U, 7U, 128U, 300U}) {
      for (const std::uint64_t blocks : {1U, 2U, 3U, 8U, 21U, 64U}) {
        const scale_place_of place(layout.value, lines, blocks);
        for (std::uint64_t line = 0; line < lines; ++line) {
          for (std::uint64_t b = 0; b < blocks; ++b) expect_place(place, line, b);
        }
      }
    }
  }
}

TEST_CASE("large_matrices_have_the_places_of_the_core") {
  for (const auto& layout : scale_layout_table) {
    for (const std::uint64_t blocks : {std::uint64_t{1} << 33, (std::uint64_t{1} << 28) - 1,
                                       std::uint64_t{0xFFFFF}, std::uint64_t{3}}) {
      const std::uint64_t lines = (std::uint64_t{1} << 36) / blocks;
      const scale_place_of place(layout.value, lines, blocks);
      expect_place(place, lines - 1, blocks - 1);
      expect_place(place, lines - 1, 0);
      for (std::uint32_t i = 0; i < 100; ++i) {
        expect_place(place, random_below(lines, 2 * i), random_below(blocks, 2 * i + 1));
      }
    }
  }
}

TEST_CASE("a_shared_divisor_divides_up_to_its_bound") {
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint64_t by = 1 + random_below(std::uint64_t{1} << (1 + i % 40), 3 * i);
    const std::uint64_t limit = ~std::uint64_t{0} / by;
    const shared_divisor divisor(by, limit - 1);
    CHECK((divisor.reciprocal != 0) == (by > 1));
    const std::uint64_t whole = limit / by * by;
    for (const std::uint64_t n :
         {std::uint64_t{0}, by - 1, by, whole - 1, limit - 2, random_below(limit - 1, 3 * i + 1)}) {
      if (n < limit - 1) CHECK(divisor.of(n) == n / by);
    }
    CHECK(shared_divisor(by, limit).reciprocal == 0);
  }
}
