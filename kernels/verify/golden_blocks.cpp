// SPDX-License-Identifier: Apache-2.0
// kernels/verify/golden_blocks.cpp: a section of blocks as the rows of a matrix.
#include "golden_blocks.h"

#include <stdexcept>

#include "case_list.h"
#include "case_places.h"
#include "packed_lines.h"

namespace mx::kernels {
namespace {

using golden::words::block_file;
using golden::words::block_section;
using golden::words::coded_block;

template <class Table>
auto value_named(const Table& table, const std::string& name) {
  if (const auto* entry = entry_named(table, name)) return entry->value;
  throw std::invalid_argument("unknown name " + name);
}

/// Numbers of all blocks, concatenated, in `bytes` bytes each; 0: two numbers a byte.
std::vector<std::uint8_t> bytes_of_all(const block_section& section, int bytes,
                                       std::vector<std::uint32_t> coded_block::*member) {
  std::vector<std::uint32_t> all;
  for (const coded_block& block : section.blocks) {
    const std::vector<std::uint32_t>& codes = block.*member;
    for (std::size_t i = 0; i < codes.size(); ++i) {
      if (bytes == 0 && i % 2 == 1) {
        all.back() |= codes[i] << 4;
      } else {
        all.push_back(codes[i]);
      }
    }
  }
  return packed_numbers(all, bytes == 0 ? 1 : bytes);
}

std::vector<std::uint8_t> scales_of_all(const block_section& section, const block_format& f) {
  std::vector<std::uint32_t> scales;
  for (const coded_block& block : section.blocks) scales.push_back(block.scale);
  return packed_numbers(scales, f.scale.width() <= 8 ? 1 : 4);
}

/// The common part of both cases of a section.
golden_blocks blocks_of(const block_file& file, const block_section& section) {
  golden_blocks made;
  made.one.name = "blocks." + file.name.substr(0, file.name.rfind('.')) + "." + section.input;
  made.one.how = {value_named(block_format_table, file.format),
                  value_named(scale_rule_table, file.rule),
                  value_named(rounding_table, file.rounding)};
  if (file.bits > 0) made.one.how.random = {file.seed, file.bits};
  made.one.shape = {static_cast<std::int64_t>(section.blocks.size()),
                    static_cast<std::int64_t>(file.elements)};
  made.one.kernels = {};  // any kernel
  made.input.tensor_scale = float_of(file.tensor_scale);
  for (const coded_block& block : section.blocks) made.labels.push_back(block.label);
  return made;
}

void add_section(const block_file& file, const block_section& section,
                 std::vector<golden_blocks>& to) {
  const golden_blocks both = blocks_of(file, section);
  const block_format& f = both.one.how.format;
  const auto codes = bytes_of_all(section, f.element.width() == 4 ? 0 : 1, &coded_block::codes);
  const auto scales = scales_of_all(section, f);
  golden_blocks there = both, back = both;
  there.one.type = value_named(type_names, section.input);
  there.input.x =
      bytes_of_all(section, static_cast<int>(bytes_of(there.one.type)), &coded_block::x);
  there.expected = {{"rows.codes", codes}, {"rows.scales", scales}};
  back.one.what = operation::dequantize;
  back.one.name += ".back";
  back.input.codes = codes, back.input.scales = scales;
  back.expected = {{"out", bytes_of_all(section, 4, &coded_block::values)}};
  to.push_back(there);
  to.push_back(back);
}

}  // namespace

std::vector<golden_blocks> golden_blocks_of(const std::vector<block_file>& files) {
  std::vector<golden_blocks> all;
  for (const block_file& file : files) {
    for (const block_section& section : file.sections) add_section(file, section, all);
  }
  return all;
}

std::string difference_between(const golden_blocks& one, const std::vector<named_bytes>& found) {
  const std::string text = difference_between(one.one, one.expected, found);
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::vector<std::uint8_t>&right = one.expected[k].bytes, &bytes = found[k].bytes;
    for (std::size_t i = 0; i < right.size(); ++i) {
      if (bytes[i] == right[i]) continue;
      return text + ", golden's block " + one.labels[i / (right.size() / one.labels.size())];
    }
  }
  return text;
}

}  // namespace mx::kernels
