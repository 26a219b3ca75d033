// SPDX-License-Identifier: Apache-2.0
// sim/cli/quantize/coded_notes.cpp: the recipe of a file of codes, in its metadata.
#include "sim/cli/quantize/coded_notes.h"

#include <fmt/format.h>

#include "sim/cli/terminal/input_tensor.h"
#include "sim/study/number_in.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

constexpr const char* by_variant = "variant";

std::optional<std::string> text_at(const io::tensor_file& file, const std::string& key) {
  const std::string* text = note(file, key);
  return text == nullptr || *text == by_variant ? std::nullopt : std::optional(*text);
}

template <class Number>
std::optional<Number> number_at(const io::tensor_file& file, const std::string& key) {
  const std::string* text = note(file, key);
  if (text == nullptr) return {};
  if (const auto number = number_in<Number>(*text)) return number;
  refuse_file(file, "its metadata `{}` is {}; expected a number", key, io::printable(*text));
}

/// The options that would reproduce the file. A format with @ would refer to another file.
mx::recipe_words words_in(const io::tensor_file& file) {
  mx::recipe_words o;
  o.format = text_at(file, "format");
  if (o.format && o.format->starts_with('@')) {
    refuse_file(file, "its metadata `format` names a file; expected a format");
  }
  o.scale_rule = text_at(file, "scale_rule");
  o.rounding = text_at(file, "rounding");
  o.byte_map = text_at(file, "byte_map");
  o.variant = text_at(file, "variant");
  o.packing = text_at(file, "packing");
  o.layout = text_at(file, "layout");
  o.seed = number_at<std::uint64_t>(file, "seed");
  o.random_bits = number_at<int>(file, "random_bits");
  if (!mx::uses_byte_map(o.random_bits.value_or(8))) o.byte_map.reset();  // it orders no bits
  return o;
}

/// The metadata's words, overridden by those of the options. A preset excludes rules.
mx::recipe_words replaced(mx::recipe_words notes, const mx::recipe_words& requested) {
  mx::recipe_words words = requested.format || requested.variant ? mx::recipe_words{} : notes;
  if (requested.format || requested.variant) {
    words.format = requested.format;
    words.variant = requested.variant;
  }
  words.packing = requested.packing ? requested.packing : notes.packing;
  words.layout = requested.layout ? requested.layout : notes.layout;
  return words;
}

}  // namespace

const std::string* note(const io::tensor_file& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? nullptr : &found->second;
}

io::metadata notes_of(const mx::recipe& r) {
  const mx::block_format& f = r.format();
  const mx::recipe_words words = mx::words_of(r);
  io::metadata notes{
      {"format", *words.format},
      {"scale_rule", scale_rule_name(r)},
      {"rounding", rounding_name(r)},
      {"packing", *words.packing},
      {"layout", *words.layout},
      {"block", f.rows > 1 ? fmt::format("{}x{}", f.rows, f.columns) : std::to_string(f.columns)}};
  if (words.variant) notes["variant"] = *words.variant;
  if (words.seed) notes["seed"] = std::to_string(*words.seed);
  if (words.random_bits) notes["random_bits"] = std::to_string(*words.random_bits);
  if (words.byte_map) notes["byte_map"] = *words.byte_map;
  return notes;
}

file_recipe recipe_of(const io::tensor_file& file, const mx::recipe_words& options) {
  const mx::recipe_words words = replaced(words_in(file), options);
  const bool requested = options.format || options.variant || options.packing || options.layout;
  try {
    file_recipe result{recipe_of(words)};
    const bool known = words.packing || result.recipe.codes.nibbles != mx::nibble_order::low_first;
    if (known) result.packing = packing_source::words;
    return result;
  } catch (const usage_error& wrong) {
    if (requested) throw usage_error("{}: {}", file.path(), wrong.what());
    refuse_file(file, "its metadata: {}", wrong.what());
  }
}

}  // namespace sim::cli
