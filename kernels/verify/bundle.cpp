// SPDX-License-Identifier: Apache-2.0
// kernels/verify/bundle.cpp: writes the files of a case.
#include "bundle.h"

#include "case_list.h"
#include "safetensors.h"
#include "whole_file.h"

namespace mx::kernels {
namespace {

namespace fs = std::filesystem;

std::string command_of(const kernel_case& one) {
  std::string command = "mxprism verify --input input.safetensors output.safetensors --format " +
                        name_in(block_format_table, one.how.format) + " --scale-rule " +
                        name_in(scale_rule_table, one.how.rule) + " --rounding " +
                        name_in(rounding_table, one.how.rounding) + " --layout " +
                        name_in(scale_layout_table, one.layout);
  if (one.how.rounding != rounding::stochastic) return command;
  return command + " --seed " + std::to_string(one.how.random.seed) + " --random-bits " +
         std::to_string(one.how.random.bits);
}

bool has_command(const kernel_case& one) {
  return one.what == operation::quantize && one.results != wanted::columns &&
         !one.how.format.has_tensor_scale() && one.how.format.scale.width() <= 8;
}

constexpr named_value<number_type> stored_types[] = {
    {number_type::fp32, "F32"}, {number_type::fp16, "F16"}, {number_type::bf16, "BF16"}};

void write_quantizer(const fs::path& folder, const kernel_case& one, const case_input& input,
                     const std::vector<named_bytes>& found) {
  const coded_size size = size_of(one.how.format, one.layout, one.shape.rows, one.shape.columns);
  write_safetensors(
      folder / "input.safetensors",
      {{"x", name_in(stored_types, one.type), {one.shape.rows, one.shape.columns}, input.x}});
  // A padded layout has more bytes than blocks: it is stored as one row.
  const bool linear = one.layout == scale_layout::linear;
  write_safetensors(folder / "output.safetensors",
                    {{"codes", "U8", {one.shape.rows, size.line_bytes}, found[0].bytes},
                     {"scales",
                      "U8",
                      {linear ? one.shape.rows : 1, linear ? size.blocks_a_line : size.scale_bytes},
                      found[1].bytes}});
}

}  // namespace

void write_bundle(const fs::path& folder, const kernel_case& one, const case_input& input,
                  const std::vector<named_bytes>& found, const std::string& difference) {
  const fs::path at = folder / one.name;
  fs::create_directories(at);
  std::string text = one.name + "\n" + difference + "\n";
  const std::size_t verified =
      has_command(one) ? 2 : 0;  // arrays of rows that the command verifies
  if (verified > 0) {
    write_quantizer(at, one, input, found);
    text += command_of(one) + "\n";
  }
  for (std::size_t k = verified; k < found.size(); ++k) {
    write_file(at / (found[k].name + ".bin"), {}, found[k].bytes);
  }
  for (const auto& [name, bytes] :
       {std::pair{"x.bin", &input.x}, {"codes.bin", &input.codes}, {"scales.bin", &input.scales}}) {
    if (verified < found.size() && !bytes->empty()) write_file(at / name, {}, *bytes);
  }
  write_file(at / "README.txt", text);
}

}  // namespace mx::kernels
