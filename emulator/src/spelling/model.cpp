// SPDX-License-Identifier: Apache-2.0
// emulator/src/spelling/model.cpp: models of dot products by name, for given operand formats.
#include <stdexcept>

#include "mx/block/names.h"
#include "mx/dot/binary64_dot.h"
#include "mx/dot/mixed_models.h"
#include "mx/spelling.h"

namespace mx {

const named_model& model_spelled(std::string_view name) {
  if (binary64::model_named(name) != nullptr) {
    throw std::invalid_argument("the model " + std::string(name) +
                                " multiplies FP64 numbers; `mxprism dot` alone takes them");
  }
  const named_model* model = any_model_named(name);
  if (model == nullptr) throw_unknown("model", name, names_of_table(model_table));
  return *model;
}

std::string refusal_of(const named_model& model, const format& own, const format& asked) {
  if (model.operands == operands::any || own == asked) return "";
  std::string others;
  for (const named_model& entry : model_table) {
    if (!is_one_instruction(model, entry)) continue;
    if (entry.model.a == asked) return "";
    others += " " + number_format_name(entry.model.a);
  }
  return std::string(model.name) + " takes " +
         (others.empty() ? number_format_name(own) : "one of" + others);
}

dot_model model_for(const named_model& model, const product_formats& given) {
  dot_model m = with_formats(model.model, given.a, given.b);
  if (model.operands == operands::of_model) return m;
  if ((given.a == formats::tf32) != (given.b == formats::tf32)) {
    throw std::invalid_argument(
        "tf32 lies in the upper bits of FP32, other formats do not; both operands or none are "
        "tf32");
  }
  m.unread_bits = given.a == formats::tf32 ? 13 : 0;
  m.block = given.block;
  if (given.scale) m.scale = *given.scale;
  const model_refusal why = refusal_of(m);
  if (why == model_refusal::none) return m;
  if (why != model_refusal::room) {
    throw std::invalid_argument(std::string(model.name) + ": " + sentence_of(why));
  }
  throw std::invalid_argument(std::string(model.name) + ": its sums have no room for products of " +
                              number_format_name(m.a) + " and " + number_format_name(m.b) +
                              (m.block > 0 ? " under " + scale_format_name(m.scale) : "") +
                              "; use exact.rne, or narrower formats");
}

}  // namespace mx
