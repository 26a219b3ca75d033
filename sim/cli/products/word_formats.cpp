// SPDX-License-Identifier: Apache-2.0
// sim/cli/products/word_formats.cpp: the formats of words, from the model's name, the options, the
// metadata and the types of tensors.
#include "sim/cli/products/word_formats.h"

#include <fmt/format.h>

#include <charconv>
#include <stdexcept>

#include "mx/spelling.h"

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
  if (s.by_option) throw usage_error(fmt::format("{} {}: {}", s.where, s.word, why));
  throw io::file_error(file.path(),
                       fmt::format("{} is {}: {}", s.where, io::printable(s.word), why));
}

template <class Read>
mx::format read(const io::tensor_file& file, const stated_word& s, const Read& reader) {
  try {
    return reader(s.word);
  } catch (const std::invalid_argument& wrong) {
    refuse(file, s, wrong.what());
  }
}

/// The format of a tensor's type; no value for a container type.
std::optional<mx::format> format_of_type(io::dtype type) {
  switch (type) {
    case io::dtype::f4:
      return mx::formats::e2m1;
    case io::dtype::f8_e4m3:
      return mx::formats::e4m3;
    case io::dtype::f8_e5m2:
      return mx::formats::e5m2;
    case io::dtype::f16:
      return mx::formats::binary16;
    case io::dtype::bf16:
      return mx::formats::bfloat16;
    case io::dtype::f32:
      return mx::formats::binary32;
    default:
      return {};
  }
}

/// Elements a scale, from option or metadata.
std::optional<int> stated_block(const io::tensor_file& file, const word_options& options) {
  if (options.block) return options.block;
  const auto found = file.metadata().find("block");
  if (found == file.metadata().end()) return {};
  const std::string& text = found->second;
  int block = 0;
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, block);
  if (error == std::errc() && stop == end && block > 0) return block;
  throw io::file_error(file.path(), fmt::format("its metadata `block` is {}; expected a number of "
                                                "elements, such as 32",
                                                io::printable(text)));
}

}  // namespace

mx::format operand_format(const io::tensor_file& file, const io::tensor& t,
                          const mx::named_model& model, const mx::format& own,
                          const std::optional<std::string>& requested) {
  const std::string side = t.name;
  const auto stated = word_stated(file, requested, "--" + side + "-format", side + "_format");
  if (stated) {
    const mx::format f = read(file, *stated, mx::number_format_spelled);
    const std::string why = refusal_of(model, own, f);
    if (!why.empty()) refuse(file, *stated, why);
    return f;
  }
  if (model.operands == mx::operands::of_model) return own;
  if (model.name.ends_with("." + number_format_name(own))) return own;
  if (const auto of_type = format_of_type(t.type)) return *of_type;
  throw usage_error(
      fmt::format("--model {} takes any format, and {} does not give that of tensor {}; add "
                  "--{}-format, such as e4m3",
                  model.name, file.path(), t.name, t.name));
}

int block_of(const io::tensor_file& file, const mx::named_model& model, const word_options& options,
             const io::tensor& scale, std::uint64_t k) {
  const std::optional<int> stated = stated_block(file, options);
  if (model.operands == mx::operands::of_model) {
    if (!stated || *stated == model.model.block) return model.model.block;
    throw io::file_error(file.path(), fmt::format("blocks of {}; {} has a scale for every {}",
                                                  *stated, model.name, model.model.block));
  }
  if (stated) return *stated;
  const std::uint64_t count = scale.shape.size() == 2 ? scale.shape[1] : 0;
  if (count > 0 && k > 0 && k % count == 0) return static_cast<int>(k / count);
  if (k == 0) return 1;
  throw io::file_error(scale.source, scale.name,
                       fmt::format("has the shape {}; K = {} is not a multiple of its scales; give "
                                   "the elements per scale by --block",
                                   io::shape_text(scale.shape), k));
}

mx::format scale_format(const io::tensor_file& file, const mx::named_model& model,
                        const word_options& options, const io::tensor& scale) {
  const auto stated = word_stated(file, options.scale_format, "--scale-format", "scale");
  const bool of_model = model.operands == mx::operands::of_model;
  if (!stated) {
    if (of_model || scale.type == io::dtype::f8_e8m0) {
      return of_model ? model.model.scale : mx::formats::e8m0;
    }
    throw usage_error(
        fmt::format("--model {} takes any scales, and {} does not give their format; add "
                    "--scale-format, such as e8m0",
                    model.name, file.path()));
  }
  const mx::format requested = read(file, *stated, mx::scale_format_spelled);
  if (of_model && !(requested == model.model.scale)) {
    refuse(file, *stated,
           fmt::format("{} has scales in {}", model.name, scale_format_name(model.model.scale)));
  }
  return requested;
}

}  // namespace sim::cli
