// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/number.cpp: names of the formats of numbers, narrow and wide, and of
// scales.
#include <array>
#include <stdexcept>

#include "mx/block/names.h"
#include "mx/spelling.h"

namespace mx {
namespace {

/// A format too wide to be an element of a block; the first name is the one printed.
struct wide_format {
  format value;
  std::string_view name, other_name;
};

constexpr std::array wide_formats{wide_format{formats::binary16, "f16", "fp16"},
                                  wide_format{formats::bfloat16, "bf16", "bfloat16"},
                                  wide_format{formats::tf32, "tf32", "TF32"},
                                  wide_format{formats::binary32, "f32", "fp32"}};

/// The block format of a spelling; refuses a name with a colon or a plus.
block_format spelled_with(const std::string& name, const std::string& spelling) {
  if (name.find_first_of(":+") != std::string::npos) {
    throw std::invalid_argument("`" + name + "` is a whole format; expected a part of one");
  }
  return format_spelled(spelling).format;
}

}  // namespace

std::string number_format_name(const format& f) {
  for (const wide_format& w : wide_formats) {
    if (w.value == f) return std::string(w.name);
  }
  return spelling_of(f);
}

std::string scale_format_name(const format& f) {
  for (const scale_name& entry : scale_format_table) {
    if (entry.value == f) return std::string(entry.name);
  }
  return "e8m" + std::to_string(f.fraction_bits);
}

format number_format_spelled(const std::string& name) {
  for (const wide_format& w : wide_formats) {
    if (w.name == name || w.other_name == name) return w.value;
  }
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
