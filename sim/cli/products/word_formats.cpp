// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/word_formats.cpp: the formats of words, from the model's name, the options, the
// metadata and the types of tensors.
#include "sim/cli/products/word_formats.h"

#include <fmt/format.h>

#include <stdexcept>

#include "mx/spelling.h"
#include "sim/cli/products/code_view.h"
#include "sim/cli/terminal/input_tensor.h"
#include "sim/study/number_in.h"

namespace sim::cli {
namespace {

namespace io = golden::io;

/// A word of an option or of the metadata, and its origin.
struct stated_word {
  std::string word, where;
  bool by_option = false;
};

std::optional<stated_word> word_stated(const io::tensor_file& file,
                                       const std::optional<std::string>& requested,
                                       const std::string& option, const std::string& key) {
  if (requested) return stated_word{*requested, option, true};
  const auto found = file.metadata().find(key);
  if (found == file.metadata().end()) return {};
  return stated_word{found->second, fmt::format("its metadata `{}`", key), false};
}

[[noreturn]] void refuse(const io::tensor_file& file, const stated_word& s,
                         const std::string& why) {
  if (s.by_option) throw usage_error("{} {}: {}", s.where, s.word, why);
  refuse_file(file, "{} is {}: {}", s.where, io::printable(s.word), why);
}

template <class Read>
mx::format read(const io::tensor_file& file, const stated_word& s, const Read& reader) {
  try {
    return reader(s.word);
  } catch (const std::invalid_argument& wrong) {
    refuse(file, s, wrong.what());
  }
}

/// Elements a scale, from option or metadata.
std::optional<int> stated_block(const io::tensor_file& file, const word_options& options) {
  if (options.block) return options.block;
  const auto found = file.metadata().find("block");
  if (found == file.metadata().end()) return {};
  const std::string& text = found->second;
  const auto block = number_in<int>(text);
  if (block && *block > 0) return block;
  refuse_file(file, "its metadata `block` is {}; expected a number of elements, such as 32",
              io::printable(text));
}

}  // namespace

mx::format word_source::element_format(const io::tensor& t, const mx::format& own,
                                       const std::optional<std::string>& requested) const {
  const std::string side = t.name;
  const auto stated = word_stated(file, requested, "--" + side + "-format", side + "_format");
  if (stated) {
    const mx::format f = read(file, *stated, mx::number_format_spelled);
    const std::string why = refusal_of(model, own, f);
    if (!why.empty()) refuse(file, *stated, why);
    return f;
  }
  if (is_of_model()) return own;
  if (model.name.ends_with("." + number_format_name(own))) return own;
  if (const auto of_type = format_of(t.type)) return *of_type;
  throw usage_error(
      "--model {} takes any format, and {} does not give that of tensor {}; add --{}-format, such "
      "as e4m3",
      model.name, file.path(), t.name, t.name);
}

int word_source::block_size(const io::tensor& scale, std::uint64_t k) const {
  const std::optional<int> stated = stated_block(file, options);
  if (is_of_model()) {
    if (!stated || *stated == model.model.block) return model.model.block;
    refuse_file(file, "blocks of {}; {} has a scale for every {}", *stated, model.name,
                model.model.block);
  }
  if (stated) return *stated;
  const std::uint64_t count = scale.shape.size() == 2 ? scale.shape[1] : 0;
  if (count > 0 && k > 0 && k % count == 0) return static_cast<int>(k / count);
  if (k == 0) return 1;
  refuse_tensor(scale,
                "has the shape {}; K = {} is not a multiple of its scales; give the elements per "
                "scale by --block",
                io::shape_text(scale.shape), k);
}

mx::format word_source::scale_format(const io::tensor& scale) const {
  const auto stated = word_stated(file, options.scale_format, "--scale-format", "scale");
  if (!stated) {
    if (is_of_model()) return model.model.scale;
    if (scale.type == io::dtype::f8_e8m0) return mx::formats::e8m0;
    throw usage_error(
        "--model {} takes any scales, and {} does not give their format; add --scale-format, such "
        "as e8m0",
        model.name, file.path());
  }
  const mx::format requested = read(file, *stated, mx::scale_format_spelled);
  if (is_of_model() && !(requested == model.model.scale)) {
    refuse(file, *stated,
           fmt::format("{} has scales in {}", model.name, scale_format_name(model.model.scale)));
  }
  return requested;
}

}  // namespace sim::cli
