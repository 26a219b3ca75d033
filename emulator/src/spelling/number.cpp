// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/number.cpp: names of the formats of numbers, narrow and wide, and of
// scales.
#include <array>
#include <stdexcept>

#include "mx/block/names.h"
#include "spelling/parts.h"

namespace mx {
namespace {

/// Names that are read and not printed.
struct other_name {
  std::string_view name, printed;
};

constexpr std::array other_names{other_name{"fp16", "f16"},     other_name{"binary16", "f16"},
                                 other_name{"float16", "f16"},  other_name{"bfloat16", "bf16"},
                                 other_name{"TF32", "tf32"},    other_name{"fp32", "f32"},
                                 other_name{"binary32", "f32"}, other_name{"float32", "f32"}};

/// The block format of a spelling; refuses a name with a colon or a plus.
block_format spelled_with(const std::string& name, const std::string& spelling) {
  if (name.find_first_of(":+") != std::string::npos) {
    throw std::invalid_argument("`" + name + "` is a whole format; expected a part of one");
  }
  return format_spelled(spelling).format;
}

}  // namespace

std::optional<format> spelling::wide_format_spelled(std::string_view name) {
  for (const other_name& other : other_names) {
    if (other.name == name) name = other.printed;
  }
  for (const auto& wide : wide_format_table) {
    if (wide.name == name) return wide.value;
  }
  return {};
}

std::string number_format_name(const format& f) {
  const std::string_view wide = name_in(wide_format_table, f);
  return wide.empty() ? spelling_of(f) : std::string(wide);
}

std::string scale_format_name(const format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.value == f) return std::string(entry.name);
  }
  return "e8m" + std::to_string(f.fraction_bits);
}

format number_format_spelled(const std::string& name) {
  if (const auto wide = spelling::wide_format_spelled(name)) return *wide;
  try {
    return spelled_with(name, name + ":e8m0:32").element;
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(std::string(wrong.what()) + "; wide ones are f16 bf16 tf32 f32");
  }
}

format scale_format_spelled(const std::string& name) {
  if (name == "ue8m0") return formats::e8m0;
  const block_format f = spelled_with(name, "e2m1:" + name + ":32");
  if (f.precision == scale_precision::stored) return f.scale;
  throw std::invalid_argument("an exact scale cannot be stored; expected e8m0, ue4m3, fp32, ...");
}

}  // namespace mx
