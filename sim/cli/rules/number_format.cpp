// SPDX-License-Identifier: Apache-2.0
// sim/cli/rules/number_format.cpp: names of the formats of numbers, narrow and wide.
#include "sim/cli/rules/number_format.h"

#include <fmt/format.h>

#include <array>
#include <stdexcept>

#include "mx/names.h"
#include "mx/spelling.h"

namespace sim::cli {
namespace {

/// A format that is too wide to be an element of a block; the first name is the one that is told.
struct wide_format {
  mx::format value;
  std::string_view name, other_name;
};

constexpr std::array wide_formats{wide_format{mx::formats::binary16, "f16", "fp16"},
                                  wide_format{mx::formats::bfloat16, "bf16", "bfloat16"},
                                  wide_format{mx::formats::tf32, "tf32", "TF32"},
                                  wide_format{mx::formats::binary32, "f32", "fp32"}};

/// What a format spelled out would be; a name with a colon or a plus is none.
mx::block_format spelled_with(const std::string& name, const std::string& spelling) {
  if (name.find_first_of(":+") != std::string::npos) {
    throw std::invalid_argument(
        fmt::format("`{}` is a whole format; expected a part of one", name));
  }
  return mx::format_spelled(spelling).format;
}

}  // namespace

std::string number_format_name(const mx::format& f) {
  for (const wide_format& w : wide_formats) {
    if (w.value == f) return std::string(w.name);
  }
  return mx::spelling_of(f);
}

std::string scale_format_name(const mx::format& f) {
  for (const mx::scale_name& entry : mx::scale_format_table) {
    if (entry.value == f) return std::string(entry.name);
  }
  return "e8m" + std::to_string(f.fraction_bits);
}

mx::format number_format_spelled(const std::string& name) {
  for (const wide_format& w : wide_formats) {
    if (w.name == name || w.other_name == name) return w.value;
  }
  try {
    return spelled_with(name, name + ":e8m0:32").element;
  } catch (const std::invalid_argument& wrong) {
    throw std::invalid_argument(fmt::format("{}; wide ones are f16 bf16 tf32 f32", wrong.what()));
  }
}

mx::format scale_format_spelled(const std::string& name) {
  if (name == "ue8m0") return mx::formats::e8m0;
  const mx::block_format f = spelled_with(name, "e2m1:" + name + ":32");
  if (f.precision == mx::scale_precision::stored) return f.scale;
  throw std::invalid_argument("an exact scale cannot be stored; expected e8m0, ue4m3, fp32, ...");
}

}  // namespace sim::cli
