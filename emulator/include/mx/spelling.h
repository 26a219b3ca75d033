// SPDX-License-Identifier: Apache-2.0
// mx/spelling.h: formats and corrections as words, parsed and printed.
//
//   format      NAME | ELEMENT:SCALE:BLOCK[:TENSOR]        then any +CORRECTION, each once
//   NAME        mxfp4 mxfp6-e2m3 ... nvfp4 fp8-1x128       (mx/block/names.h)
//   ELEMENT     e2m1 ... int8, or eXmY[@BIAS][fn|ieee|fnuz] of at most 8 bits, or intW;
//               BIAS is 2^(X-1) - 1 without the @, of fnuz 2^(X-1)
//   SCALE       e8m0 ... e8m16 ue4m3 ue5m3 fp32 (or f32) exact
//   BLOCK       32 | 1x32 | 16x16                          rows x columns, columns along the axis
//   TENSOR      tensor | row | tensor256 | row256          an FP32 scale above the blocks
//   CORRECTION  mbs=ELEMENTS[,BITS]                        macro-block factor
//               of=ALPHA[,dead:T|amax:T|crest:T[,GRANULE]] outlier fallback, of all or selective
//               gain=3/4 | gain=16/17                      before the quantizer
//               rotate=SIZE[,fixed|random:SEED]            Hadamard
//               double                                     first along the axis before the last
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "mx/block/corrected_quantizer.h"
#include "mx/dot/gemm.h"
#include "mx/dot/model.h"
#include "mx/tensor/recipe.h"

namespace mx {

struct variant_entry;

/// A format with everything that its spelling specifies.
struct spelled_format {
  block_format format;
  mx::corrections corrections = {};
  mx::passes passes = passes::once;

  friend bool operator==(const spelled_format&, const spelled_format&) = default;
};

/// Parses a format.
///   errors  throws std::invalid_argument with the invalid part, what was expected there, and the
///           nearest name if one is near
[[nodiscard]] spelled_format format_spelled(std::string_view text);

/// The shortest text that format_spelled parses back to the same value.
[[nodiscard]] std::string spelling_of(const spelled_format& format);
[[nodiscard]] std::string spelling_of(const block_format& format);
[[nodiscard]] std::string spelling_of(const mx::format& element);

/// A rotation as in +rotate=: "32", "16,fixed", "64,random:7"; printed, an empty text without one.
///   errors  throws std::invalid_argument with what was expected
[[nodiscard]] rotation rotation_spelled(std::string_view text);
[[nodiscard]] std::string spelling_of(const rotation& r);

/// The model of a dot product by name (mx/dot/models.h).
///   errors  throws std::invalid_argument with unknown_name
[[nodiscard]] const named_model& model_spelled(std::string_view name);

/// "e4m3", "bf16", "tf32", "f32"
[[nodiscard]] std::string number_format_name(const mx::format& f);
/// "e8m0", "ue4m3", "fp32"
[[nodiscard]] std::string scale_format_name(const mx::format& f);

/// The number format of a name: f16 bf16 tf32 f32, or an ELEMENT. Other names of the wide ones are
/// read too: fp16 binary16 float16, bfloat16, TF32, fp32 binary32 float32.
///   errors  throws std::invalid_argument with what was expected
[[nodiscard]] mx::format number_format_spelled(const std::string& name);
/// The scale format of a name, `exact` excepted; ue8m0 is e8m0.
[[nodiscard]] mx::format scale_format_spelled(const std::string& name);

/// Formats of a dot product's operands that the model's name does not determine.
///   scale, block  empty and 0: no scales
struct product_formats {
  mx::format a, b;
  std::optional<mx::format> scale;
  int block = 0;
};

/// Why a model does not accept an operand in a format; empty if it does. Instructions for FP8 and
/// narrower numbers accept A and B of two formats.
[[nodiscard]] std::string refusal_of(const named_model& model, const mx::format& own,
                                     const mx::format& asked);

/// The model for operands of these formats.
///   errors  throws std::invalid_argument if they cannot be combined, or a sum would not fit
[[nodiscard]] dot_model model_for(const named_model& model, const product_formats& formats);

/// The preset of a name (mx/presets/variants.h).
///   errors  throws std::invalid_argument with unknown_name
[[nodiscard]] const variant_entry& variant_spelled(std::string_view name);

/// The format a preset quantizes to: the requested one, or its first.
///   errors  throws std::invalid_argument if it does not support the requested format
[[nodiscard]] block_format format_of_variant(const variant_entry& entry,
                                             const std::optional<spelled_format>& asked);

/// The names that an unknown one may mean, in their order; none if no name is like it. The first of
/// these that holds for any name:
///   it has all components of `asked`, between `.` and `-`, in any order
///   `asked` has all of its components
///   it has, as a whole or in adjacent components, the fewest typing errors, one in three
///   characters at most; a name that begins or ends with `asked`, of three characters or more,
///   counts as one
[[nodiscard]] std::vector<std::string_view> near_names(std::string_view asked,
                                                       const std::vector<std::string_view>& names);

/// "there is no model `mxf4nvf4`; did you mean `blackwell.mxf4nvf4`?", "there is no model `xyzzy`;"
[[nodiscard]] std::string no_such_name(std::string_view what, std::string_view asked,
                                       const std::vector<std::string_view>& names);

/// "there is no scale rule `foor`; did you mean `floor`? There are: floor ceil ..."
[[nodiscard]] std::string unknown_name(std::string_view what, std::string_view asked,
                                       const std::vector<std::string_view>& names);

/// The value of a name in a table.
///   errors  throws std::invalid_argument with unknown_name
template <class Table>
[[nodiscard]] auto value_named(const Table& table, std::string_view what, std::string_view asked);

/// The shortest decimal that parses to the same bits: "0.1", "-0", "1e-45", "NaN", "-Inf".
[[nodiscard]] std::string decimal_text(float value);

/// A refusal as a sentence with the remedy.
[[nodiscard]] std::string sentence_of(refusal why);
[[nodiscard]] std::string sentence_of(correction_refusal why);
[[nodiscard]] std::string sentence_of(model_refusal why);
/// With the value of the plan that is refused, by the name that every interface has for it.
[[nodiscard]] std::string sentence_of(gemm_refusal why, const gemm_plan& plan);

/// All names of a table.
template <class Table>
[[nodiscard]] std::vector<std::string_view> names_of_table(const Table& table) {
  std::vector<std::string_view> names;
  for (const auto& entry : table) names.push_back(entry.name);
  return names;
}

[[noreturn]] void throw_unknown(std::string_view what, std::string_view asked,
                                const std::vector<std::string_view>& names);

template <class Table>
auto value_named(const Table& table, std::string_view what, std::string_view asked) {
  for (const auto& entry : table) {
    if (entry.name == asked) return entry.value;
  }
  throw_unknown(what, asked, names_of_table(table));
}

/// The name of a value in a table, or an empty text.
template <class Table, class T>
[[nodiscard]] std::string_view name_in(const Table& table, const T& value) {
  for (const auto& entry : table) {
    if (entry.value == value) return entry.name;
  }
  return {};
}

}  // namespace mx
