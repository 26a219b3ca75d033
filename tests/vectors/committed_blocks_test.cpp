// SPDX-License-Identifier: Apache-2.0
// tests/vectors/committed_blocks_test.cpp: the committed blocks lie at the decision thresholds of a
// quantization.
#include <set>

#include "catch.h"
#include "committed_words.h"
#include "golden/vectors/block_file.h"

namespace {

using golden::words::block_file;
using golden::words::block_section;
using golden::words::coded_block;

std::vector<block_file> committed_blocks() {
  return golden::words::blocks_in(test::golden_folder("vectors") / "blocks");
}

const coded_block* find(const block_section& section, const std::string& label) {
  for (const coded_block& block : section.blocks) {
    if (block.label == label) return &block;
  }
  return nullptr;
}

/// Elements whose code in `above` follows that in `below`; 0 if any element differs otherwise.
std::size_t steps_between(const std::vector<std::uint32_t>& below,
                          const std::vector<std::uint32_t>& above) {
  std::size_t steps = 0;
  for (std::size_t i = 0; i < below.size(); ++i) {
    if (above[i] != below[i] && above[i] != below[i] + 1) return 0;
    steps += above[i] - below[i];
  }
  return steps;
}

TEST_CASE("neighbours_at_a_threshold_have_different_scales") {
  int pairs = 0;
  for (const block_file& file : committed_blocks()) {
    for (const block_section& section : file.sections) {
      for (const std::string label : {"threshold", "threshold.other"}) {
        const coded_block* below = find(section, label + ".below");
        const coded_block* above = find(section, label + ".above");
        if (below == nullptr || above == nullptr) continue;
        INFO(file.name << " " << section.input << " " << label);
        CHECK(steps_between(below->x, above->x) == 1);
        CHECK(below->scale != above->scale);
        ++pairs;
      }
    }
  }
  CHECK(pairs == 4 * static_cast<int>(committed_blocks().size()));
}

TEST_CASE("every_block_has_a_file_of_its_quantization_and_roundings_tell_them_apart") {
  std::set<std::vector<std::uint32_t>> ties;
  std::size_t roundings = 0;
  for (const block_file& file : committed_blocks()) {
    CHECK(file.name == file.format + "." + file.rule + "." + file.rounding + ".txt");
    REQUIRE(file.sections.size() == 3);
    if (file.format != "mxfp4" || file.rule != "floor") continue;
    ties.insert(find(file.sections[1], "ties")->codes);
    ++roundings;
  }
  CHECK(roundings == 5);
  CHECK(ties.size() == roundings);
}

TEST_CASE("a_block_with_inf_has_a_nan_scale_and_no_codes") {
  for (const block_file& file : committed_blocks()) {
    for (const block_section& section : file.sections) {
      const coded_block* block = find(section, "inf");
      REQUIRE(block != nullptr);
      const std::vector<std::uint32_t> zeros(file.elements, 0);
      CHECK(block->codes == zeros);
      CHECK(block->values == std::vector<std::uint32_t>(file.elements, 0x7FC00000));
    }
  }
}

}  // namespace
