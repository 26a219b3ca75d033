// SPDX-License-Identifier: Apache-2.0
// sim/cli/dequantize_command.cpp: the FP32 values that codes and scales stand for.
#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>

#include "golden/io/tensor_file.h"
#include "sim/cli/blocked_tensor.h"
#include "sim/cli/input_tensor.h"
#include "sim/cli/json_text.h"
#include "sim/cli/output_file.h"

namespace sim::cli {
namespace {

namespace io = golden::io;
using shape = std::vector<std::uint64_t>;

struct options {
  std::string in, out;
  output form = output::text;
};

/// Codes and scales of one tensor, and how they lie.
struct coded_pair {
  std::string name;  ///< of the result
  const io::tensor *codes = nullptr, *scales = nullptr;
  shape values;  ///< shape of the result
  block_axis axis;
  packing how = packing::packed;
};

/// Reads "[2, 32]".
shape parsed_shape(const io::tensor_file& file, const std::string& key, const std::string& text) {
  const ordered_json parsed = ordered_json::parse(text, nullptr, false);
  const bool whole = parsed.is_array() &&
                     std::all_of(parsed.begin(), parsed.end(),
                                 [](const ordered_json& n) { return n.is_number_unsigned(); });
  if (!whole) {
    throw io::file_error(file.path(),
                         fmt::format("its metadata `{}` is {}; expected a shape such as "
                                     "[2, 32]",
                                     key, io::printable(text)));
  }
  return parsed.get<shape>();
}

const std::string* note(const io::tensor_file& file, const std::string& key) {
  const auto found = file.metadata().find(key);
  return found == file.metadata().end() ? nullptr : &found->second;
}

/// Refuses a file whose metadata names anything that does not exist here.
void expect_known(const io::tensor_file& file, const std::string& key,
                  std::span<const named_choice> choices) {
  const std::string* value = note(file, key);
  if (value == nullptr) return;
  const auto same = [&](const named_choice& c) { return c.name == *value; };
  if (std::any_of(choices.begin(), choices.end(), same)) return;
  throw io::file_error(
      file.path(), fmt::format("its metadata `{}` is {}, which is not in this version; it has: {}",
                               key, io::printable(*value), names_of(choices)));
}

int axis_of(const io::tensor_file& file, const std::string& prefix, const io::tensor& scales) {
  const int axes = static_cast<int>(scales.shape.size());
  const std::string* text = note(file, prefix + "axis");
  if (text == nullptr) return axes - 1;
  const ordered_json parsed = ordered_json::parse(*text, nullptr, false);
  const auto axis = parsed.is_number_integer() ? parsed.get<std::int64_t>() : axes;
  if (axis < -axes || axis >= axes) {
    throw io::file_error(
        file.path(), fmt::format("its metadata `{}axis` is {}; expected an axis of its scales {}",
                                 prefix, io::printable(*text), io::shape_text(scales.shape)));
  }
  return static_cast<int>(axis < 0 ? axis + axes : axis);
}

void expect_type(const io::tensor& t) {
  if (t.type == io::dtype::u8) return;
  throw io::file_error(t.source, t.name, fmt::format("is {}; expected U8", io::name_of(t.type)));
}

[[noreturn]] void refuse_codes(const coded_pair& p) {
  throw io::file_error(
      p.codes->source, p.codes->name,
      fmt::format("has the shape {}, which does not fit scales {} along axis {} and values {}: "
                  "expected {} codes a block, padded to whole blocks",
                  io::shape_text(p.codes->shape), io::shape_text(p.scales->shape), p.axis.axis,
                  io::shape_text(p.values), mx::mxfp4::size));
}

/// Shapes decide how codes are packed, unless the metadata say it.
packing packing_of(const io::tensor_file& file, const coded_pair& p, std::size_t axis) {
  if (const std::string* text = note(file, "packing")) {
    return *text == "packed" ? packing::packed : packing::unpacked;
  }
  const std::uint64_t blocks = p.scales->shape[axis];
  return p.codes->shape.size() > axis && p.codes->shape[axis] == blocks * mx::mxfp4::size
             ? packing::unpacked
             : packing::packed;
}

coded_pair pair_of(const io::tensor_file& file, const std::string& prefix) {
  coded_pair p;
  p.name = prefix.empty() ? "x" : prefix.substr(0, prefix.size() - 1);
  p.codes = &file.at(prefix + "codes");
  p.scales = &file.at(prefix + "scales");
  expect_type(*p.codes);
  expect_type(*p.scales);
  if (p.scales->shape.empty()) {
    throw io::file_error(file.path(), p.scales->name, "has no axis; expected one scale a block");
  }
  const int axis = axis_of(file, prefix, *p.scales);
  const auto at = static_cast<std::size_t>(axis);
  const std::string* text = note(file, prefix + "shape");
  p.values = text != nullptr
                 ? parsed_shape(file, prefix + "shape", *text)
                 : with_length(p.scales->shape, axis, p.scales->shape[at] * mx::mxfp4::size);
  p.axis = block_axis_of({p.name, io::dtype::f32, p.values, {}, file.path()}, axis);
  p.how = packing_of(file, p, at);
  if (with_length(p.values, axis, p.axis.blocks_along()) != p.scales->shape ||
      with_length(p.values, axis, code_bytes_along(p.axis, p.how)) != p.codes->shape) {
    refuse_codes(p);
  }
  return p;
}

void expect_codes_of_four_bits(const coded_pair& p) {
  if (p.how == packing::packed) return;
  const auto wide = std::find_if(p.codes->bytes.begin(), p.codes->bytes.end(),
                                 [](std::uint8_t code) { return code > 15; });
  if (wide == p.codes->bytes.end()) return;
  throw io::file_error(p.codes->source, p.codes->name,
                       fmt::format("element {} is {}; expected codes of 4 bits, 0 to 15",
                                   wide - p.codes->bytes.begin(), *wide));
}

bool ends_with(const std::string& text, const std::string& end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

/// Every pair of the file; a tensor that belongs to none is refused.
std::vector<coded_pair> pairs_of(const io::tensor_file& file) {
  std::vector<coded_pair> pairs;
  for (const io::tensor& t : file.tensors()) {
    const bool codes = t.name == "codes" || ends_with(t.name, ".codes");
    const bool scales = t.name == "scales" || ends_with(t.name, ".scales");
    if (!codes && !scales) {
      throw io::file_error(file.path(), t.name,
                           "is neither codes nor scales; expected what `mxprism quantize` writes: "
                           "`codes` and `scales`, or NAME.codes and NAME.scales");
    }
    if (scales) static_cast<void>(file.at(t.name.substr(0, t.name.size() - 6) + "codes"));
    if (codes) pairs.push_back(pair_of(file, t.name.substr(0, t.name.size() - 5)));
  }
  return pairs;
}

int run(const options& o) {
  expect_writable(o.out, {".safetensors", ".npy"});
  const io::tensor_file in = io::load(o.in);
  expect_known(in, "format", formats());
  expect_known(in, "layout", layouts());
  expect_known(in, "packing", packings());
  const std::vector<coded_pair> pairs = pairs_of(in);
  std::deque<std::vector<float>> values;
  std::vector<io::tensor> tensors;
  ordered_json summary = ordered_json::array();
  for (const coded_pair& p : pairs) {
    expect_codes_of_four_bits(p);
    progress_bar bar(io::printable(p.name), p.axis.blocks());
    values.push_back(dequantized(p.codes->bytes, p.scales->bytes, p.axis, p.how, bar));
    const std::vector<float>& x = values.back();
    const io::byte_view bytes(reinterpret_cast<const std::uint8_t*>(x.data()),
                              x.size() * sizeof(float));
    tensors.push_back({p.name, io::dtype::f32, p.values, bytes, o.out});
    summary.push_back({{"name", p.name}, {"shape", p.values}, {"blocks", p.axis.blocks()}});
  }
  io::save(o.out, tensors);
  if (o.form == output::json) {
    print_json({{"output", o.out}, {"tensors", summary}});
  } else {
    fmt::print("{}: {}\n", o.out, counted(tensors.size(), "tensor"));
  }
  return exit_status::done;
}

}  // namespace

void add_dequantize(CLI::App& program, action& chosen) {
  CLI::App* command =
      program.add_subcommand("dequantize", "Write the FP32 values that codes and scales stand for");
  const auto o = std::make_shared<options>();
  command->add_option("IN", o->in, ".safetensors as `quantize` writes it; metadata may be missing")
      ->required();
  command->add_option("-o,--output", o->out, ".safetensors, or .npy for a single tensor")
      ->required()
      ->type_name("OUT");
  add_json_flag(*command, o->form);
  command->footer("Blocks with scale byte 255 become NaN; beyond FLT_MAX a value becomes Inf.\n\n" +
                  example("  mxprism explain 0.3 -1.2 4.7 --save x.npy\n"
                          "  mxprism quantize x.npy -o coded.safetensors\n"
                          "  mxprism dequantize coded.safetensors -o values.npy\n"));
  command->callback([o, &chosen] { chosen = [o] { return run(*o); }; });
}

}  // namespace sim::cli
