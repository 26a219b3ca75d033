// SPDX-License-Identifier: Apache-2.0
// tests/train/large_blocks_test.cpp: sim/cli/large_blocks.cpp: which blocks of operator new the
// system may keep in huge pages.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <new>
#include <sstream>
#include <string>
#include <vector>

#include "catch.h"

namespace {

/// Whether the mapping that holds an address asked for huge pages: flag "hg" of its VmFlags.
bool asks_for_huge_pages(const void* at) {
  const auto address = reinterpret_cast<std::uintptr_t>(at);
  std::ifstream in("/proc/self/smaps");
  bool inside = false;
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::uintptr_t begin = 0, end = 0;
    if (words >> std::hex >> begin && words.get() == '-' && words >> end) {
      inside = begin <= address && address < end;
    } else if (inside && line.starts_with("VmFlags:")) {
      return line.find(" hg") != std::string::npos;
    }
  }
  return false;
}

TEST_CASE("blocks_of_4_MiB_and_more_may_lie_in_huge_pages") {
  if (!std::filesystem::exists("/sys/kernel/mm/transparent_hugepage")) {
    std::cout << "SKIPPED: this system has no huge pages\n";
    return;
  }
  constexpr std::size_t mebibyte = std::size_t{1} << 20;
  const std::vector<char> small(mebibyte), large(4 * mebibyte), larger(33 * mebibyte + 5);
  CHECK_FALSE(asks_for_huge_pages(small.data() + mebibyte / 2));
  CHECK(asks_for_huge_pages(large.data() + 2 * mebibyte));
  CHECK(asks_for_huge_pages(larger.data() + 16 * mebibyte));
  // What lies behind the last whole huge page has pages of its own.
  CHECK_FALSE(asks_for_huge_pages(larger.data() + larger.size() - 1));
}

TEST_CASE("requests_that_no_memory_can_hold_are_refused") {
  std::size_t most = ~std::size_t{0} / 2;
  CHECK_THROWS_AS(::operator new(most), std::bad_alloc);
  ::operator delete(::operator new(0));
}

}  // namespace
