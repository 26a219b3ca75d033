// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_file.cpp: reads a file of committed blocks.
#include "golden/vectors/block_file.h"

#include <fstream>
#include <iterator>
#include <set>

#include "golden/vectors/text_lines.h"

namespace golden::words {
namespace {

class block_parser : text_lines {
 public:
  using text_lines::text_lines;

  block_file file() {
    block_file read;
    read.name = name();
    skip_head();
    read.format = valued_line("format");
    read.rule = valued_line("rule");
    read.rounding = valued_line("rounding");
    const std::vector<std::string> random = fields_of(valued_line("random"));
    expect(random.size() == 2, "expected `random SEED BITS`");
    if (random[1] != "0") read.bits = decimal<int>(random[1]);
    if (random[0] != "0") read.seed = decimal<std::uint64_t>(random[0]);
    read.tensor_scale = codes(valued_line("tensor_scale"), 1, 8).front();
    read.elements = decimal<std::size_t>(valued_line("elements"));
    do {
      read.sections.push_back(section(read.elements));
    } while (!at_end());
    return read;
  }

 private:
  /// `count` codes of equally many digits.
  [[nodiscard]] std::vector<std::uint32_t> codes(const std::string& text, std::size_t count,
                                                 std::size_t digits) const {
    expect(text.size() == count * digits,
           "expected " + std::to_string(count) + " codes of " + std::to_string(digits) + " digits");
    std::vector<std::uint32_t> read(count);
    for (std::size_t i = 0; i < text.size(); ++i) {
      read[i / digits] = read[i / digits] << 4 | digit(text[i]);
    }
    return read;
  }

  coded_block block(std::size_t elements, std::size_t digits) {
    const std::vector<std::string> fields = fields_of(next_line());
    expect(fields.size() == 5, "expected label, x, scale, codes, values");
    expect(!fields[0].empty(), "no label");
    const std::size_t scale = fields[2].size() == 8 ? 8 : 2;
    const std::size_t element = fields[3].size() == elements ? 1 : 2;
    return {fields[0], codes(fields[1], elements, digits), codes(fields[2], 1, scale).front(),
            codes(fields[3], elements, element), codes(fields[4], elements, 8)};
  }

  block_section section(std::size_t elements) {
    block_section read{valued_line("input"), {}};
    const bool is_wide = read.input == "fp32";
    expect(is_wide || read.input == "fp16" || read.input == "bf16",
           "`" + read.input + "` is no input");
    const auto count = decimal<std::size_t>(valued_line("blocks"));
    std::set<std::string> labels;
    while (read.blocks.size() < count) {
      read.blocks.push_back(block(elements, is_wide ? 8 : 4));
      expect(labels.insert(read.blocks.back().label).second, "a label appears twice");
    }
    return read;
  }
};

}  // namespace

block_file parsed_blocks(const std::string& name, std::string_view text) {
  return block_parser(name, text).file();
}

std::vector<block_file> blocks_in(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") paths.insert(entry.path());
  }
  std::vector<block_file> files;
  for (const auto& path : paths) {
    std::ifstream in(path, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    files.push_back(parsed_blocks(path.filename().string(), text));
  }
  return files;
}

}  // namespace golden::words
