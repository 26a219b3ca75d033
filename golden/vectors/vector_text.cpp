// SPDX-License-Identifier: Apache-2.0
// golden/vectors/vector_text.cpp: the words of a model as lines of text.
#include "golden/vectors/vector_text.h"

#include "golden/reference/formats.h"
#include "golden/vectors/block_text.h"
#include "golden/vectors/word_list.h"

namespace golden {
namespace {

using std::to_string;

std::string head_of(const vector_pack& pack) {
  return "# golden/vectors/dot/" + pack.name +
         ".txt: words of a dot product, d = c + sum of a[k] b[k].\n"
         "# What d is, golden/reference tells. Written by emit_vectors; format: ../README.md.\n"
         "version 1\nmodel " +
         pack.name + "\nevidence " + pack.evidence + "\n";
}

// Hexadecimal digits of a stored code: TF32 is stored as FP32 patterns, UE4M3 in bytes.
int digits_of(const number_format& format) {
  if (&format == &formats::tf32()) return 8;
  return (format.width() + 3) / 4;
}

std::string hex(const number_format& format, codes all) {
  constexpr char digits[] = "0123456789abcdef";
  std::string text;
  for (const std::uint32_t code : all) {
    for (int at = digits_of(format); at-- > 0;) text += digits[code >> (4 * at) & 15];
  }
  return text;
}

std::string operands_line(const device_model& model) {
  const word_formats& formats = model.formats;
  std::string line =
      "operands " + formats.a->name() + " " + formats.b->name() + " " + formats.c->name();
  if (formats.d != nullptr) line += ">" + formats.d->name();
  if (formats.scale != nullptr) {
    line += " " + formats.scale->name() + "/" + to_string(model.block_size.value());
  }
  return line + "\n";
}

std::string line_of(const device_model& model, const vector_word& word) {
  const word_formats& formats = model.formats;
  std::string line = word.label + " " + hex(*formats.a, word.a) + " " + hex(*formats.b, word.b);
  if (formats.scale != nullptr) {
    line += " " + hex(*formats.scale, word.scale_a) + " " + hex(*formats.scale, word.scale_b);
  }
  const std::uint32_t c = word.c, d = dot(model, word.codes());
  return line + " " + hex(*formats.c, {&c, 1}) + " " + hex(formats.result(), {&d, 1}) + "\n";
}

}  // namespace

std::string text_of(const vector_pack& pack) {
  std::string text = head_of(pack);
  for (const device_model& model : pack.models) {
    const std::vector<vector_word> words = words_of(model);
    text += operands_line(model) + "words " + to_string(words.size()) + "\n";
    for (const vector_word& word : words) text += line_of(model, word);
  }
  return text;
}

std::vector<vector_file> vector_files() {
  std::vector<vector_file> files;
  for (const vector_pack& pack : vector_packs()) {
    files.push_back({"dot/" + pack.name + ".txt", text_of(pack)});
  }
  for (const block_pack& pack : block_packs()) {
    files.push_back({"blocks/" + pack.name() + ".txt", text_of(pack)});
  }
  return files;
}

}  // namespace golden
