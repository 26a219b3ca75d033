// SPDX-License-Identifier: Apache-2.0
// golden/vectors/block_text.cpp: the blocks of a quantization as lines of text.
#include "golden/vectors/block_text.h"

#include "golden/vectors/block_list.h"

namespace golden {
namespace {

using std::to_string;

std::string hex(std::uint32_t code, int digits) {
  constexpr char letters[] = "0123456789abcdef";
  std::string text;
  for (int at = digits; at-- > 0;) text += letters[code >> (4 * at) & 15];
  return text;
}

std::string hex(const std::vector<std::uint32_t>& all, int width) {
  std::string text;
  for (const std::uint32_t code : all) text += hex(code, (width + 3) / 4);
  return text;
}

std::string head_of(const block_pack& pack) {
  const random_source random =
      pack.how.mode == rounding::stochastic ? pack.how.random : random_source{0, 0};
  return "# golden/vectors/blocks/" + pack.name() +
         ".txt: blocks of numbers, their scale and codes, and the numbers that these stand for.\n"
         "# What they are, golden/reference tells. Written by emit_vectors; format: ../README.md.\n"
         "version 1\nformat " +
         pack.format + "\nrule " + pack.rule + "\nrounding " + pack.rounding + "\nrandom " +
         to_string(random.seed) + " " + to_string(random.bits) + "\ntensor_scale " +
         hex(bits_of(pack.tensor_scale), 8) + "\nelements " + to_string(pack.elements) + "\n";
}

std::string line_of(const block_pack& pack, const number_format& input, const vector_block& block,
                    std::uint64_t index) {
  const rational above = value_of(pack.tensor_scale).magnitude;
  const quantized_block made =
      quantize_block(numbers_of(input, block.x), pack.how, above, index * pack.elements);
  std::vector<std::uint32_t> values;
  for (const float value : dequantize_block(made, *pack.how.element, above)) {
    values.push_back(bits_of(value));
  }
  const int element = pack.how.element->width(), scale = pack.how.scale->width();
  return block.label + " " + hex(block.x, input.width()) + " " +
         hex(made.scale.code, (scale + 3) / 4) + " " + hex(made.codes, element) + " " +
         hex(values, 32) + "\n";
}

}  // namespace

std::string text_of(const block_pack& pack) {
  std::string text = head_of(pack);
  for (const block_section& section : sections_of(pack)) {
    text +=
        "input " + section.input->name() + "\nblocks " + to_string(section.blocks.size()) + "\n";
    std::uint64_t index = 0;
    for (const vector_block& block : section.blocks) {
      text += line_of(pack, *section.input, block, index++);
    }
  }
  return text;
}

}  // namespace golden
