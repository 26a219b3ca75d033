// SPDX-License-Identifier: Apache-2.0
// sim/pretrained/saved_model.cpp: writes a policy as a Hugging Face folder.
#include <fmt/format.h>

#include <bit>
#include <cmath>

#include "golden/io/replaced_file.h"
#include "golden/io/replaced_folder.h"
#include "golden/io/tensor_writer.h"
#include "mx/number/element.h"
#include "sim/pretrained/model_weights.h"
#include "sim/study/model_config.h"

namespace sim {
namespace {

namespace io = golden::io;
namespace fs = std::filesystem;

io::byte_view bytes_of(const void* data, std::size_t count) {
  return {static_cast<const std::uint8_t*>(data), count};
}

///   errors  file_error: a finite number that rounds to Inf, which no reader of a model takes
std::vector<std::uint16_t> as_bfloat16(const fs::path& file, const parameter& p,
                                       std::span<const float> numbers) {
  std::vector<std::uint16_t> result;
  result.reserve(numbers.size());
  for (const float v : numbers) {
    const float rounded = mx::rounded_to_bfloat16(v);
    if (std::isinf(rounded) && std::isfinite(v)) {
      throw io::file_error(
          file.string(), p.name,
          fmt::format("holds {} at {}, which is Inf in bf16; write fp32", v, result.size()));
    }
    const auto bits = std::bit_cast<std::uint32_t>(rounded);
    result.push_back(static_cast<std::uint16_t>(bits >> 16));
  }
  return result;
}

io::tensor_plan plan_of(const parameter& p, saved_numbers numbers) {
  return {p.name, numbers == saved_numbers::fp32 ? io::dtype::f32 : io::dtype::bf16, p.shape()};
}

void write_tensors(const fs::path& file, const parameter_table& table,
                   const std::vector<float>& weights, saved_numbers numbers) {
  std::vector<io::tensor_plan> plans;
  for (const parameter& p : table.all()) plans.push_back(plan_of(p, numbers));
  io::tensor_writer writer(file.string(), std::move(plans), {{"format", "pt"}});
  for (const parameter& p : table.all()) {
    const auto count = static_cast<std::size_t>(p.count());
    const std::span<const float> values(weights.data() + p.offset, count);
    if (numbers == saved_numbers::fp32) {
      writer.append(bytes_of(values.data(), values.size_bytes()));
    } else {
      const std::vector<std::uint16_t> narrow = as_bfloat16(file, p, values);
      writer.append(bytes_of(narrow.data(), 2 * narrow.size()));
    }
  }
  writer.finish();
}

}  // namespace

void save_model(const fs::path& folder, const parameter_table& table,
                const std::vector<float>& weights, saved_numbers numbers) {
  io::replaced_folder made(folder);
  try {
    write_tensors(made.path() / "model.safetensors", table, weights, numbers);
    const std::string config =
        config_of(table.shape(), numbers == saved_numbers::fp32 ? "float32" : "bfloat16");
    io::write_text(made.path() / config_name, config);
  } catch (const io::file_error& wrong) {
    made.refuse_for(folder, wrong);
  }
  made.take_the_place_of_target();
}

}  // namespace sim
