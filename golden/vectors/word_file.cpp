// SPDX-License-Identifier: Apache-2.0
// golden/vectors/word_file.cpp: reads a file of committed words, and refuses a malformed one.
#include "golden/vectors/word_file.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>

#include "golden/vectors/text_lines.h"

namespace golden::words {
namespace {

struct code_shape {
  std::string_view name;
  std::size_t digits;
  int bits;
};

constexpr code_shape numbers[] = {
    {"e2m1", 1, 4},  {"e2m3", 2, 6},     {"e3m2", 2, 6},     {"e4m3", 2, 8},  {"e5m2", 2, 8},
    {"int8", 2, 8},  {"e4m3fnuz", 2, 8}, {"e5m2fnuz", 2, 8}, {"fp16", 4, 16}, {"bf16", 4, 16},
    {"tf32", 8, 32}, {"fp32", 8, 32},    {"s8", 2, 8},       {"s32", 8, 32}};
constexpr code_shape scales[] = {{"e8m0", 2, 8}, {"ue4m3", 2, 8}};

class word_parser : text_lines {
 public:
  using text_lines::text_lines;

  word_file file() {
    word_file read;
    read.name = name();
    skip_head();
    read.model = valued_line("model");
    read.evidence = valued_line("evidence");
    do {
      read.sections.push_back(section());
    } while (!at_end());
    return read;
  }

 private:
  template <std::size_t Size>
  code_shape shape_in(const code_shape (&list)[Size], const std::string& name) const {
    const auto* found = std::find_if(std::begin(list), std::end(list),
                                     [&](const code_shape& each) { return each.name == name; });
    expect(found != std::end(list), "`" + name + "` is no format here");
    return *found;
  }

  operand_names operands() {
    const std::vector<std::string> fields = fields_of(valued_line("operands"));
    expect(fields.size() == 3 || fields.size() == 4,
           "expected three formats, or one of scales too");
    const std::size_t arrow = fields[2].find('>');
    const bool apart = arrow != std::string::npos;
    operand_names read{fields[0], fields[1], fields[2].substr(0, arrow), "", 0};
    read.d = apart ? fields[2].substr(arrow + 1) : read.c;
    a_ = shape_in(numbers, read.a);
    b_ = shape_in(numbers, read.b);
    c_ = shape_in(numbers, read.c);
    d_ = shape_in(numbers, read.d);
    if (fields.size() == 3) return read;
    const std::size_t slash = fields[3].find('/');
    expect(slash != std::string::npos, "expected SCALE/BLOCK");
    read.scale = fields[3].substr(0, slash);
    read.block = decimal<int>(fields[3].substr(slash + 1));
    scale_ = shape_in(scales, read.scale);
    return read;
  }

  std::vector<std::uint32_t> codes(const std::string& text, const code_shape& shape) const {
    expect(!text.empty() && text.size() % shape.digits == 0, "half a code of " + named(shape));
    std::vector<std::uint32_t> read;
    for (std::size_t at = 0; at < text.size(); at += shape.digits) {
      std::uint64_t code = 0;
      for (const char letter : text.substr(at, shape.digits)) code = code * 16 + digit(letter);
      expect(code >> shape.bits == 0, "a code beyond " + named(shape));
      read.push_back(static_cast<std::uint32_t>(code));
    }
    return read;
  }
  static std::string named(const code_shape& shape) { return std::string(shape.name); }

  std::uint32_t one_code(const std::string& text, const code_shape& shape) const {
    const std::vector<std::uint32_t> read = codes(text, shape);
    expect(read.size() == 1, "c and d are one code each");
    return read.front();
  }

  dot_word word(const operand_names& operands) {
    const std::vector<std::string> fields = fields_of(next_line());
    const bool scaled = operands.block > 0;
    expect(fields.size() == (scaled ? 7U : 5U), "expected label, a, b, scales if any, c, d");
    expect(!fields[0].empty(), "no label");
    dot_word read{fields[0], number(), codes(fields[1], a_), codes(fields[2], b_), {}, {}};
    expect(read.a.size() == read.b.size(), "a and b differ in length");
    if (scaled) {
      read.scale_a = codes(fields[3], scale_);
      read.scale_b = codes(fields[4], scale_);
      const auto block = static_cast<std::size_t>(operands.block);
      const std::size_t blocks = (read.a.size() + block - 1) / block;
      const bool fits = read.scale_a.size() == blocks && read.scale_b.size() == blocks;
      expect(fits, "expected " + std::to_string(blocks) + " scales for each side");
    }
    read.c = one_code(fields[fields.size() - 2], c_);
    read.d = one_code(fields.back(), d_);
    return read;
  }

  word_section section() {
    word_section read{operands(), {}};
    const auto count = decimal<std::size_t>(valued_line("words"));
    std::set<std::string> labels;
    while (read.words.size() < count) {
      read.words.push_back(word(read.operands));
      expect(labels.insert(read.words.back().label).second, "a label appears twice");
    }
    return read;
  }

  code_shape a_{}, b_{}, c_{}, d_{}, scale_{};
};

}  // namespace

word_file parsed_words(const std::string& name, std::string_view text) {
  return word_parser(name, text).file();
}

word_file read_words(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  return parsed_words(path.filename().string(), text);
}

int code_bits(std::string_view number) {
  const auto* found = std::ranges::find(numbers, number, &code_shape::name);
  if (found == std::end(numbers)) throw std::invalid_argument(std::string(number));
  return found->bits;
}

std::vector<word_file> words_in(const std::filesystem::path& folder) {
  std::set<std::filesystem::path> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".txt") paths.insert(entry.path());
  }
  std::vector<word_file> files;
  for (const auto& path : paths) files.push_back(read_words(path));
  return files;
}

}  // namespace golden::words
